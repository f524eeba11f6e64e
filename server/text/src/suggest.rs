//! "Did you mean": the nearest of the names that would have been right.

/// The suggestion closest to `given`, if one is less than three edits away; of equally near ones the first.
pub fn similar<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (distance(given, name), name))
        .filter(|(distance, _)| *distance < 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// ` Did you mean "name"?`, or nothing.
pub fn did_you_mean<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    similar(given, names)
        .map(|name| format!(" Did you mean \"{name}\"?"))
        .unwrap_or_default()
}

/// The name that a message of [`did_you_mean`] suggests.
pub fn suggestion(message: &str) -> Option<&str> {
    let (_, name) = message.split_once("Did you mean \"")?;
    Some(name.split_once("\"?")?.0)
}

/// The Levenshtein distance, in characters.
fn distance(a: &str, b: &str) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggestion_is_read_as_it_was_made() {
        let message = format!("no such thing.{}", did_you_mean("nmae", ["name", "size"]));
        assert_eq!(suggestion(&message), Some("name"));
        assert_eq!(suggestion("no such thing."), None);
        assert_eq!(suggestion("Did you mean to define a block?"), None);
    }
}
