//! "Did you mean": the nearest of the names that would have been right.

use std::fmt;

/// More names are not compared: each wrong name of a text is compared with all that it declares.
const COMPARED: usize = 500;

/// The suggestion closest to `given`, if one is less than three edits away; of equally near ones the first.
pub fn similar<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .take(COMPARED)
        .filter_map(|name| Some((distance_within(given, name, 2)?, name)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The first suggestion that is less than three edits away, as HCL chooses it.
pub fn first_similar<N: AsRef<str>>(given: &str, names: impl IntoIterator<Item = N>) -> Option<N> {
    let mut names = names.into_iter();
    names.find(|name| distance_within(given, name.as_ref(), 2).is_some())
}

/// The name that was perhaps meant. Shown as the end of a message: ` Did you mean "name"?`, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suggestion<'a>(pub Option<&'a str>);

pub fn did_you_mean<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Suggestion<'a> {
    Suggestion(similar(given, names))
}

impl Suggestion<'_> {
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Display for Suggestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, " Did you mean \"{name}\"?"),
            None => Ok(()),
        }
    }
}

/// The Levenshtein distance, in characters, if it is at most `limit`.
fn distance_within(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (mut a, mut b) = (a.chars(), b.chars());
    loop {
        let (rest_a, rest_b) = (a.as_str(), b.as_str());
        let (next_a, next_b) = (a.next(), b.next());
        if next_a.is_none() && next_b.is_none() {
            return Some(0);
        }
        if next_a == next_b {
            continue;
        }
        let limit = limit.checked_sub(1)?;
        let (next_a, next_b) = (next_a.map(|_| a.as_str()), next_b.map(|_| b.as_str()));
        let replaced = next_a.zip(next_b);
        let removed = next_a.map(|a| (a, rest_b));
        let added = next_b.map(|b| (rest_a, b));
        let edited = [replaced, removed, added].into_iter().flatten();
        let distances = edited.filter_map(|(a, b)| distance_within(a, b, limit));
        return Some(distances.min()? + 1);
    }
}

/// The Levenshtein distance, in characters.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
