//! "Did you mean": the nearest of the names that would have been right.

use std::fmt;

/// The suggestion closest to `given`, if one is less than three edits away; of equally near ones the first.
pub fn similar<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (distance(given, name), name))
        .filter(|(distance, _)| *distance < 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
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
