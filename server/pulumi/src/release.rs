//! Releases of Pulumi, and the ranges of them that a program may ask for.

use std::fmt;

/// A release: major, minor, patch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Release(pub u64, pub u64, pub u64);

impl Release {
    /// Reads `3.259.0`, with anything after `-` or `+`.
    pub fn parse(text: &str) -> Option<Release> {
        let end = text.find(['-', '+']).unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(str::parse);
        let mut next = || numbers.next()?.ok();
        let release = Release(next()?, next()?, next()?);
        numbers.next().is_none().then_some(release)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A version of a package in three parts, of a text that may have fewer, and a `v` before them.
///
/// Source: `ParseTolerant` of `github.com/blang/semver`.
pub(crate) fn tolerant(text: &str) -> Result<String, String> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<&str> = text.splitn(3, '.').collect();
    if parts.len() < 3 && parts.last().is_some_and(|it| it.contains(['+', '-'])) {
        return Err("Short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0");
    let version = parts.join(".");
    strict(&version)?;
    Ok(version)
}

/// Checks a version of a package in three parts.
///
/// Source: `Parse` of `github.com/blang/semver`.
pub(crate) fn strict(text: &str) -> Result<(), String> {
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, last] = parts[..] else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let end = last.find(['-', '+']).unwrap_or(last.len());
    let numbers = [("major", major), ("minor", minor), ("patch", &last[..end])];
    for (which, number) in numbers {
        if number.is_empty() || !number.bytes().all(|it| it.is_ascii_digit()) {
            let what = format!("Invalid character(s) found in {which} number \"{number}\"");
            return Err(what);
        }
        if number.len() > 1 && number.starts_with('0') {
            let which = which[..1].to_uppercase() + &which[1..];
            return Err(format!(
                "{which} number must not contain leading zeroes \"{number}\""
            ));
        }
    }
    Ok(())
}

/// Why a release may not run a program, or why nobody can tell. A release that is not known may.
///
/// Source: `ValidatePulumiVersionRange` in `sdk/go/common/resource/plugin/plugin.go` of Pulumi.
pub(crate) fn refusal(range: &str, release: Option<Release>) -> Option<String> {
    if range.is_empty() {
        return None;
    }
    let parsed = match parse(range) {
        Ok(parsed) => parsed,
        Err(why) => return Some(format!("parsing CLI version range \"{range}\": {why}")),
    };
    let release = release?;
    let is_in = |all: &Vec<Bound>| all.iter().all(|it| it.contains(release));
    (!parsed.iter().any(is_in)).then(|| {
        format!("Pulumi CLI version {release} does not satisfy the version range \"{range}\"")
    })
}

/// Releases from one on, and before another. `is_outside`: all others.
struct Bound {
    from: Option<Release>,
    before: Option<Release>,
    is_outside: bool,
}

impl Bound {
    fn contains(&self, release: Release) -> bool {
        let is_inside =
            self.from.is_none_or(|it| it <= release) && self.before.is_none_or(|it| release < it);
        is_inside != self.is_outside
    }
}

/// Ranges that are joined by `||`, each of bounds that all have to hold.
///
/// Source: `ParseRange` of `github.com/blang/semver`.
fn parse(range: &str) -> Result<Vec<Vec<Bound>>, String> {
    let alternatives = range.split("||");
    let parsed = alternatives.map(|it| it.split_whitespace().map(bound).collect());
    parsed.collect()
}

fn bound(text: &str) -> Result<Bound, String> {
    let Some(start) = text.find(|c: char| c.is_ascii_digit()) else {
        return Err(format!("Could not get version from string: \"{text}\""));
    };
    let (operator, version) = text.split_at(start);
    let invalid = || format!("Could not parse Range \"{text}\"");
    // Of `1.x`, all releases that begin so are meant.
    let numbers = version
        .split('.')
        .take_while(|it| !matches!(*it, "x" | "X" | "*"));
    let numbers: Vec<&str> = numbers.collect();
    let (first, behind) = match (numbers.as_slice(), version.split('.').count()) {
        ([_, _, _], 3) => {
            let first = Release::parse(version).ok_or_else(invalid)?;
            (first, Release(first.0, first.1, first.2 + 1))
        }
        ([major], 2..) => {
            let major: u64 = major.parse().map_err(|_| invalid())?;
            (Release(major, 0, 0), Release(major + 1, 0, 0))
        }
        ([major, minor], 3) => {
            let major: u64 = major.parse().map_err(|_| invalid())?;
            let minor: u64 = minor.parse().map_err(|_| invalid())?;
            (Release(major, minor, 0), Release(major, minor + 1, 0))
        }
        _ => return Err(invalid()),
    };
    let (from, before, is_outside) = match operator {
        "" | "=" | "==" => (Some(first), Some(behind), false),
        "!" | "!=" => (Some(first), Some(behind), true),
        ">" => (Some(behind), None, false),
        ">=" => (Some(first), None, false),
        "<" => (None, Some(first), false),
        "<=" => (None, Some(behind), false),
        other => {
            let why = format!("Could not parse comparator \"{other}\" in \"{text}\"");
            return Err(format!("{}: {why}", invalid()));
        }
    };
    Ok(Bound {
        from,
        before,
        is_outside,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_packages_may_be_short() {
        for (text, expected) in [
            ("v1", Ok("1.0.0")),
            (" 1.2 ", Ok("1.2.0")),
            ("1.2.3-alpha+b", Ok("1.2.3-alpha+b")),
            (
                "latest",
                Err("Invalid character(s) found in major number \"latest\""),
            ),
            (
                "01.2.3",
                Err("Major number must not contain leading zeroes \"01\""),
            ),
            (
                "1.2-x",
                Err("Short version cannot contain PreRelease/Build meta data"),
            ),
        ] {
            let found = tolerant(text);
            let found = found.as_deref().map_err(String::as_str);
            assert_eq!(found, expected, "{text}");
        }
    }

    /// As Pulumi 3.259.0 answered.
    #[test]
    fn releases_are_refused_that_pulumi_refuses() {
        let release = Some(Release(3, 259, 0));
        for range in [
            "",
            ">=3.0.0",
            "3.259.0",
            ">=3.0.0 <4.0.0 || 5.x",
            "3.x",
            "!3.1.2",
        ] {
            assert_eq!(refusal(range, release), None, "{range}");
        }
        for (range, expected) in [
            (
                ">=4.0.0",
                "Pulumi CLI version 3.259.0 does not satisfy the version range \">=4.0.0\"",
            ),
            (
                "<3.0.0",
                "Pulumi CLI version 3.259.0 does not satisfy the version range \"<3.0.0\"",
            ),
            (
                "many",
                "parsing CLI version range \"many\": Could not get version from string: \"many\"",
            ),
            (
                "^3.1.0",
                "parsing CLI version range \"^3.1.0\": Could not parse Range \"^3.1.0\": Could not parse comparator \"^\" in \"^3.1.0\"",
            ),
        ] {
            assert_eq!(refusal(range, release).as_deref(), Some(expected));
        }
        assert_eq!(refusal(">=4.0.0", None), None);
    }
}
