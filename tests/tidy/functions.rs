//! How long functions are.

/// A function in a file.
pub struct Function {
    pub name: String,
    pub lines: usize,
    /// It does nothing but tell the cases of something apart, and names each.
    pub is_closed_match: bool,
}

/// The functions of a text that rustfmt has laid out.
pub fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        let Some(name) = name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let rest = || lines.iter().enumerate().skip(begin);
        // One without a body ends with its signature.
        let Some((open, _)) = rest().find(|(_, it)| it.ends_with(['{', ';', '}'])) else {
            continue;
        };
        if !lines[open].ends_with('{') {
            continue;
        }
        let end = format!("{indent}}}");
        let Some((end, _)) = rest().find(|(at, it)| *at > open && **it == end) else {
            continue;
        };
        let inner = format!("{indent}    ");
        let body = &lines[open + 1..end];
        let starts_with_match = body
            .first()
            .is_some_and(|it| it.trim().starts_with("match "));
        let closes = format!("{inner}}}");
        let is_one = body.iter().position(|it| *it == closes) == Some(body.len().saturating_sub(1));
        let any = format!("{inner}    _ ");
        found.push(Function {
            name: name.to_owned(),
            lines: end - begin + 1,
            is_closed_match: starts_with_match
                && is_one
                && !body.iter().any(|it| it.starts_with(&any)),
        });
    }
    found
}

fn name(line: &str) -> Option<&str> {
    let mut words = line.trim_start().split(' ');
    let is_before =
        |it: &&str| it.starts_with("pub") || ["const", "async", "unsafe", "in"].contains(it);
    let word = words.by_ref().find(|it| !is_before(it))?;
    let name = words.next().filter(|_| word == "fn")?;
    name.split(['(', '<']).next()
}
