//! A long sequence whose versions share what did not change.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A sequence in chunks. A clone costs nothing, and a change of a clone copies one chunk and the list of chunks.
#[derive(Clone)]
pub struct Chunks<T> {
    chunks: Arc<Vec<Chunk<T>>>,
}

struct Chunk<T> {
    /// How many items there are up to the end of this chunk.
    end: usize,
    /// At least one.
    items: Arc<Vec<T>>,
}

/// Makes both, the copy of a chunk and that of the list of chunks, short in sequences of some thousand items.
const CHUNK: usize = 64;

impl<T> Chunks<T> {
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.end)
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.chunks().flatten()
    }

    /// The items, chunk by chunk; no chunk is empty.
    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &[T]> + ExactSizeIterator + Clone {
        self.chunks.iter().map(|chunk| chunk.items.as_slice())
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        let (chunk, index) = self.locate(index);
        self.chunks.get(chunk)?.items.get(index)
    }

    /// The items of `range`.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = &T> {
        let (chunk, index) = self.locate(range.start);
        let chunks = self.chunks.get(chunk..).unwrap_or_default();
        let items = chunks.iter().flat_map(|chunk| chunk.items.iter());
        items.skip(index).take(range.len())
    }

    /// The chunk with the item at `index`, and the item's place in it.
    pub fn locate(&self, index: usize) -> (usize, usize) {
        let chunk = self.chunks.partition_point(|chunk| chunk.end <= index);
        (chunk, index - self.start_of(chunk))
    }

    /// Where an item of a sorted sequence is, or else where it would be; `compare` says how an item is to it.
    pub fn binary_search_by(
        &self,
        mut compare: impl FnMut(&T) -> Ordering,
    ) -> Result<usize, usize> {
        let is_before = |chunk: &Chunk<T>| {
            let last = chunk.items.last();
            last.is_some_and(|last| compare(last) == Ordering::Less)
        };
        let chunk = self.chunks.partition_point(is_before);
        let start = self.start_of(chunk);
        match self.chunks.get(chunk) {
            Some(chunk) => match chunk.items.binary_search_by(compare) {
                Ok(index) => Ok(start + index),
                Err(index) => Err(start + index),
            },
            None => Err(start),
        }
    }

    /// The ranges of `self` and of `after` outside of which both are the same: what they begin and end with is left
    /// out. What both share isn't looked at.
    pub fn difference(
        &self,
        after: &Chunks<T>,
        is_same: impl Fn(&T, &T) -> bool,
    ) -> (Range<usize>, Range<usize>) {
        let shared =
            |(before, after): &(&Chunk<T>, &Chunk<T>)| Arc::ptr_eq(&before.items, &after.items);
        let (old, new) = (self.chunks.as_slice(), after.chunks.as_slice());
        let prefix = old.iter().zip(new).take_while(shared).count();
        let (old, new) = (&old[prefix..], &new[prefix..]);
        let suffix = old.iter().rev().zip(new.iter().rev());
        let suffix = suffix.take_while(shared).count();
        let items = |chunks: &[Chunk<T>]| {
            let start = self.start_of(prefix);
            let chunks = &chunks[..chunks.len() - suffix];
            start..chunks.last().map_or(start, |chunk| chunk.end)
        };
        let (mut old, mut new) = (items(old), items(new));
        let pairs = self.range(old.clone()).zip(after.range(new.clone()));
        let prefix = pairs.take_while(|(a, b)| is_same(a, b)).count();
        old.start += prefix;
        new.start += prefix;
        while !old.is_empty()
            && !new.is_empty()
            && let (Some(a), Some(b)) = (self.get(old.end - 1), after.get(new.end - 1))
            && is_same(a, b)
        {
            old.end -= 1;
            new.end -= 1;
        }
        (old, new)
    }

    /// The position of a chunk's first item.
    pub fn start_of(&self, chunk: usize) -> usize {
        chunk
            .checked_sub(1)
            .map_or(0, |before| self.chunks[before].end)
    }
}

impl<T: Clone> Chunks<T> {
    pub fn push(&mut self, item: T) {
        let end = self.len() + 1;
        let chunks = Arc::make_mut(&mut self.chunks);
        match chunks.last_mut() {
            Some(last) if last.items.len() < CHUNK => {
                Arc::make_mut(&mut last.items).push(item);
                last.end = end;
            }
            _ => chunks.push(Chunk {
                end,
                items: Arc::new(vec![item]),
            }),
        }
    }

    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let (chunk, index) = self.locate(index);
        let chunk = Arc::make_mut(&mut self.chunks).get_mut(chunk)?;
        Arc::make_mut(&mut chunk.items).get_mut(index)
    }

    /// The sequence with `items` in the place of those of `range`.
    pub fn replaced(&self, range: Range<usize>, items: &[T]) -> Chunks<T> {
        let (first, before) = self.locate(range.start);
        // The chunk that the rest begins in.
        let (last, after) = self.locate(range.end);
        let head = self
            .chunks
            .get(first)
            .map_or(&[][..], |it| &it.items[..before]);
        let tail = self
            .chunks
            .get(last)
            .map_or(&[][..], |it| &it.items[after..]);
        let middle: Vec<T> = [head, items, tail].concat();
        let pieces = middle.len().div_ceil(CHUNK).max(1);
        let mut chunks = self.chunks[..first].to_vec();
        let mut end = self.start_of(first);
        let mut add = |items: Arc<Vec<T>>| {
            end += items.len();
            chunks.push(Chunk { end, items });
        };
        // Equal pieces, so that an edit at the border of two chunks leaves no tiny one behind.
        for piece in middle.chunks(middle.len().div_ceil(pieces).max(1)) {
            add(Arc::new(piece.to_vec()));
        }
        for chunk in self.chunks.iter().skip(last + 1) {
            add(chunk.items.clone());
        }
        Chunks {
            chunks: Arc::new(chunks),
        }
    }
}

/// A result for each chunk of a sequence. For a later version, only the chunks that are not shared are computed.
pub struct PerChunk<T, R> {
    known: Vec<(Arc<Vec<T>>, R)>,
}

impl<T, R> PerChunk<T, R> {
    /// The results of the chunks of `items`, in order.
    pub fn update(
        &mut self,
        items: &Chunks<T>,
        compute: impl Fn(&[T]) -> R,
    ) -> impl Iterator<Item = &R> + Clone {
        let is_shared =
            |(known, chunk): &(&(Arc<Vec<T>>, R), &Chunk<T>)| Arc::ptr_eq(&known.0, &chunk.items);
        let (known, chunks) = (self.known.as_slice(), items.chunks.as_slice());
        let prefix = known.iter().zip(chunks).take_while(is_shared).count();
        let (known, chunks) = (&known[prefix..], &chunks[prefix..]);
        let suffix = known.iter().rev().zip(chunks.iter().rev());
        let suffix = suffix.take_while(is_shared).count();
        let replaced = prefix..self.known.len() - suffix;
        let new = chunks[..chunks.len() - suffix].iter();
        let new = new.map(|chunk| (chunk.items.clone(), compute(&chunk.items)));
        self.known.splice(replaced, new);
        self.known.iter().map(|it| &it.1)
    }
}

impl<T, R> Default for PerChunk<T, R> {
    fn default() -> PerChunk<T, R> {
        PerChunk { known: Vec::new() }
    }
}

impl<T: Clone> FromIterator<T> for Chunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Chunks<T> {
        let mut chunks = Chunks::default();
        items.into_iter().for_each(|item| chunks.push(item));
        chunks
    }
}

impl<T> Default for Chunks<T> {
    fn default() -> Chunks<T> {
        Chunks {
            chunks: Arc::default(),
        }
    }
}

impl<T> Clone for Chunk<T> {
    fn clone(&self) -> Chunk<T> {
        Chunk {
            end: self.end,
            items: self.items.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Chunks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: Range<usize>) -> Chunks<usize> {
        range.collect()
    }

    fn copied(before: &Chunks<usize>, after: &Chunks<usize>) -> usize {
        let is_shared = |chunk: &&Chunk<usize>| {
            let mut known = before.chunks.iter();
            known.any(|known| Arc::ptr_eq(&known.items, &chunk.items))
        };
        after.chunks.len() - after.chunks.iter().filter(is_shared).count()
    }

    #[test]
    fn a_replaced_part_copies_its_chunk_alone() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let before = numbers(0..len);
            for start in [0, 1, 63, 64, 65, 500, 999, 1000] {
                for end in [start, start + 1, start + 2, start + 70] {
                    if end > len {
                        continue;
                    }
                    for items in [&[][..], &[7], &[7, 8, 9], &[5; 200]] {
                        let after = before.replaced(start..end, items);
                        let mut expected: Vec<usize> = (0..len).collect();
                        expected.splice(start..end, items.iter().copied());
                        assert_eq!(after.iter().copied().collect::<Vec<_>>(), expected);
                        assert_eq!(after.len(), expected.len());
                        assert!(after.chunks().all(|chunk| !chunk.is_empty()));
                        assert!(copied(&before, &after) <= 2 + items.len().div_ceil(CHUNK));
                        for index in [0, start, end, len] {
                            assert_eq!(after.get(index), expected.get(index));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_sorted_sequence_is_searched_as_a_slice_is() {
        for len in [0, 1, 64, 65, 1000] {
            let slice: Vec<usize> = (0..len).map(|it| 2 * it).collect();
            let sorted: Chunks<usize> = slice.iter().copied().collect();
            for wanted in 0..2 * len + 2 {
                assert_eq!(
                    sorted.binary_search_by(|it| it.cmp(&wanted)),
                    slice.binary_search(&wanted)
                );
            }
        }
    }

    #[test]
    fn the_difference_is_the_replaced_range() {
        let before = numbers(0..1000);
        let same = |a: &usize, b: &usize| a == b;
        for (range, items) in [
            (0..0, &[][..]),
            (500..501, &[7]),
            (500..500, &[7, 8]),
            (0..100, &[]),
            (990..1000, &[7]),
            (63..65, &[7]),
        ] {
            let after = before.replaced(range.clone(), items);
            let expected = (range.clone(), range.start..range.start + items.len());
            let found = before.difference(&after, same);
            match items.is_empty() && range.is_empty() {
                true => assert!(found.0.is_empty() && found.1.is_empty()),
                false => assert_eq!(found, expected),
            }
            let rebuilt: Chunks<usize> = after.iter().copied().collect();
            assert!(range.is_empty() || before.difference(&rebuilt, same) == expected);
        }
        assert_eq!(numbers(0..0).difference(&before, same), (0..0, 0..1000));
    }

    #[test]
    fn of_a_later_version_what_is_not_shared_is_computed() {
        let mut sums = PerChunk::default();
        let computed = std::cell::Cell::new(0);
        let mut sum = |items: &Chunks<usize>| {
            let before = computed.get();
            let sum = |chunk: &[usize]| {
                computed.set(computed.get() + 1);
                chunk.iter().sum::<usize>()
            };
            let sum: usize = sums.update(items, sum).sum();
            assert_eq!(sum, items.iter().sum());
            computed.get() - before
        };
        let first = numbers(0..1000);
        assert_eq!(sum(&first), 16);
        assert_eq!(sum(&first), 0);
        assert_eq!(sum(&first.replaced(500..501, &[7])), 1);
        assert_eq!(sum(&first), 1);
        assert_eq!(sum(&first.replaced(0..0, &[1; 64])), 2);
        assert_eq!(sum(&first), 1);
        assert_eq!(sum(&first.replaced(990..1000, &[])), 1);
        assert_eq!(sum(&numbers(0..0)), 0);
        assert_eq!(sum(&first), 16);
    }

    #[test]
    fn a_changed_item_copies_its_chunk_alone() {
        let before = numbers(0..1000);
        let mut after = before.clone();
        *after.get_mut(500).unwrap() = 7;
        assert_eq!(before.get(500), Some(&500));
        assert_eq!(copied(&before, &after), 1);
        after.push(1);
        assert_eq!(copied(&before, &after), 2);
    }
}
