//! Which elements of a sequence before are which of the sequence after.

/// An element of the two sequences together, by its positions in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aligned {
    Both(usize, usize),
    Before(usize),
    After(usize),
}

impl Aligned {
    pub(super) fn before(self) -> Option<usize> {
        match self {
            Aligned::Both(before, _) | Aligned::Before(before) => Some(before),
            Aligned::After(_) => None,
        }
    }

    pub(super) fn after(self) -> Option<usize> {
        match self {
            Aligned::Both(_, after) | Aligned::After(after) => Some(after),
            Aligned::Before(_) => None,
        }
    }
}

/// Comparisons above which sequences are aligned by position: the time and memory of two thousand
/// elements each.
const COMPARISONS_LIMIT: usize = 4_000_000;

/// Each position with the same position of the other.
pub(super) fn by_position(before: usize, after: usize) -> Vec<Aligned> {
    let aligned = |at| match (at < before, at < after) {
        (true, true) => Aligned::Both(at, at),
        (true, false) => Aligned::Before(at),
        (false, _) => Aligned::After(at),
    };
    (0..before.max(after)).map(aligned).collect()
}

/// Equal elements with each other, in order, as many as there can be. Of the others, those that
/// stand opposite and are `similar` are one that changed.
pub(super) fn by_content<T>(
    before: &[T],
    after: &[T],
    same: impl Fn(&T, &T) -> bool,
    similar: impl Fn(&T, &T) -> bool,
) -> Vec<Aligned> {
    if before.len().saturating_mul(after.len()) > COMPARISONS_LIMIT {
        return by_position(before.len(), after.len());
    }
    let mut aligned = Vec::new();
    let (mut old, mut new) = (0, 0);
    let common = common_elements(before, after, &same);
    for next in common.iter().map(|&at| Some(&before[at])).chain([None]) {
        let is_next = |element: &T| next.is_some_and(|next| same(element, next));
        while old < before.len() && !is_next(&before[old]) {
            let opposite = after.get(new).filter(|opposite| !is_next(opposite));
            if opposite.is_some_and(|opposite| similar(&before[old], opposite)) {
                aligned.push(Aligned::Both(old, new));
                new += 1;
            } else {
                aligned.push(Aligned::Before(old));
            }
            old += 1;
        }
        while new < after.len() && !is_next(&after[new]) {
            aligned.push(Aligned::After(new));
            new += 1;
        }
        if next.is_some() {
            aligned.push(Aligned::Both(old, new));
            old += 1;
            new += 1;
        }
    }
    aligned
}

/// The longest common subsequence, as positions in `before`. Where there are several, the one that
/// Terraform finds.
fn common_elements<T>(before: &[T], after: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    // lengths[old][new]: of the longest one in the first `old` and `new` elements.
    let mut lengths = vec![vec![0_u32; after.len() + 1]; before.len() + 1];
    let mut equal = vec![vec![false; after.len()]; before.len()];
    for (old, element) in before.iter().enumerate() {
        for (new, opposite) in after.iter().enumerate() {
            equal[old][new] = same(element, opposite);
            lengths[old + 1][new + 1] = match equal[old][new] {
                true => lengths[old][new] + 1,
                false => lengths[old][new + 1].max(lengths[old + 1][new]),
            };
        }
    }
    let mut common = Vec::new();
    let (mut old, mut new) = (before.len(), after.len());
    while old > 0 && new > 0 {
        if equal[old - 1][new - 1] {
            common.push(old - 1);
            old -= 1;
            new -= 1;
        } else if lengths[old - 1][new] > lengths[old][new - 1] {
            old -= 1;
        } else {
            new -= 1;
        }
    }
    common.reverse();
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements with `-`, `+`, `~` or nothing in front; capital letters are similar.
    fn aligned(before: &str, after: &str) -> String {
        let (before, after): (Vec<char>, Vec<char>) =
            (before.chars().collect(), after.chars().collect());
        let similar = |a: &char, b: &char| a.is_uppercase() && b.is_uppercase();
        let shown = |aligned: Aligned| match aligned {
            Aligned::Both(old, new) if before[old] == after[new] => before[old].to_string(),
            Aligned::Both(old, new) => format!("~{}{}", before[old], after[new]),
            Aligned::Before(old) => format!("-{}", before[old]),
            Aligned::After(new) => format!("+{}", after[new]),
        };
        let all = by_content(&before, &after, |a, b| a == b, similar);
        all.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn unchanged_lines_keep_their_order() {
        assert_eq!(aligned("abc", "bc"), "-a b c");
        assert_eq!(aligned("ab", "ba"), "-a b +a");
        assert_eq!(aligned("xyz", "yq"), "-x y -z +q");
        assert_eq!(aligned("", "ab"), "+a +b");
        assert_eq!(aligned("aab", "abb"), "a -a b +b");
    }

    #[test]
    fn similar_elements_that_stand_opposite_changed() {
        assert_eq!(aligned("AB", "CBD"), "~AC B +D");
        assert_eq!(aligned("ABC", "CA"), "-A -B C +A");
    }
}
