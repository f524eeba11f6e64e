//! Regular expressions in the syntax of Go's RE2, translated for Rust's engine, which is of the same
//! family: classes that are ASCII there and Unicode here, or characters that are literal there and syntax here, are spelled out.

use std::fmt;

use cty::{Type, Value, budget};
use regex::{Captures, Regex, RegexBuilder};

use super::string::replaced;
use super::text;
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    let pattern = || Param::string("pattern");
    vec![
        Function::new("regex", first_match)
            .takes(pattern())
            .takes(Param::string("string"))
            .returns_of(|args| match_type(args).map(|ty| ty.unwrap_or(Type::Dynamic)))
            .not_null(),
        Function::new("regexall", all_matches)
            .takes(pattern())
            .takes(Param::string("string"))
            .returns_of(|args| match_type(args).map(|ty| Type::list(ty.unwrap_or(Type::Dynamic))))
            .not_null(),
        Function::string("replace", replace)
            .takes(Param::string("str"))
            .takes(Param::string("substr"))
            .takes(Param::string("replace")),
    ]
}

/// The type of a match: the whole text, the groups in a row, or the groups by name. `None` while the
/// pattern is not known.
fn match_type(args: &[Value]) -> Result<Option<Type>, CallError> {
    let Some(pattern) = args[0].as_str() else {
        return Ok(None);
    };
    let regex = compiled(pattern)
        .map_err(|error| CallError::argument(0, format!("invalid regexp pattern: {error}")))?;
    let groups: Vec<Option<&str>> = regex.capture_names().skip(1).collect();
    let names: Vec<&str> = groups.iter().flatten().copied().collect();
    match (groups.is_empty(), names.len()) {
        (true, _) => Ok(Some(Type::String)),
        (false, 0) => Ok(Some(Type::tuple(groups.iter().map(|_| Type::String)))),
        (false, named) if named == groups.len() => Ok(Some(Type::object(
            names.into_iter().map(|name| (name, Type::String)),
        ))),
        _ => Err(CallError::argument(
            0,
            "invalid regexp pattern: cannot mix both named and unnamed capture groups",
        )),
    }
}

fn match_value(regex: &Regex, captures: &Captures<'_>, ty: &Type) -> Value {
    let group = |index: usize| match captures.get(index) {
        Some(group) => Value::string(group.as_str()),
        None => Value::null(Type::String),
    };
    match ty {
        Type::Tuple(groups) => Value::tuple((1..=groups.len()).map(group).collect()),
        Type::Object(_) => {
            let names = regex.capture_names().enumerate();
            Value::object(names.filter_map(|(index, name)| Some((name?, group(index)))))
        }
        _ => group(0),
    }
}

fn first_match(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let regex = compiled(text(&args[0])).map_err(|error| CallError::argument(0, error))?;
    charge_search(text(&args[0]), text(&args[1]));
    match regex.captures(text(&args[1])) {
        Some(captures) => Ok(match_value(&regex, &captures, ty)),
        None => Err("pattern did not match any part of the given string".into()),
    }
}

fn all_matches(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let regex = compiled(text(&args[0])).map_err(|error| CallError::argument(0, error))?;
    let element = ty.element_type().cloned().unwrap_or(Type::Dynamic);
    charge_search(text(&args[0]), text(&args[1]));
    let matches = regex.captures_iter(text(&args[1]));
    let matches = matches.map(|captures| {
        budget::spend(STEPS_PER_MATCH);
        match_value(&regex, &captures, &element)
    });
    let matches = matches.collect();
    Ok(Value::list(element, matches))
}

/// Between slashes, the text to replace is a pattern.
fn replace(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (string, wanted, replacement) = (text(&args[0]), text(&args[1]), text(&args[2]));
    let pattern = wanted
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    Ok(Value::string(match pattern {
        Some(pattern) => {
            let regex = compiled(pattern).map_err(|error| {
                format!("error parsing regexp: {}: `{}`", error.reason, error.part)
            })?;
            charge_search(pattern, string);
            let references = replacement.matches('$').count();
            let expanded = |found: &Captures<'_>| {
                let most = found.get_match().len().saturating_mul(references);
                budget::allocate(most.saturating_add(replacement.len()));
                let mut text = String::new();
                found.expand(replacement, &mut text);
                text
            };
            regex.replace_all(string, expanded).into_owned()
        }
        None => replaced(string, wanted, replacement),
    }))
}

/// The error of a pattern, and its part of the text.
#[derive(Debug)]
struct PatternError {
    reason: &'static str,
    part: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.reason, self.part)
    }
}

/// Charges a search: each state of the pattern may be looked at for each byte of the text.
fn charge_search(pattern: &str, string: &str) {
    const LOOKS_PER_STEP: usize = 16;
    budget::spend(string.len().saturating_mul(states(pattern)) / LOOKS_PER_STEP);
}

/// About how many states the program of a pattern has. A repetition repeats them, at most a thousand times, as in RE2.
fn states(pattern: &str) -> usize {
    let most = |braces: &str| {
        let numbers = braces.split('}').next()?.split(',');
        numbers
            .filter_map(|number| number.parse::<usize>().ok())
            .max()
    };
    let repetitions = pattern.split('{').skip(1).filter_map(most);
    let repeated = repetitions.fold(1, usize::saturating_mul).clamp(1, 1_000);
    pattern.len().saturating_mul(repeated)
}

const MAX_PROGRAM: usize = 16 << 20;

/// Finding a match and its groups costs about as much as so many values, however short it is.
const STEPS_PER_MATCH: usize = 16;

/// Building a state costs about as much as so many values.
const STEPS_PER_STATE: usize = 4;

fn compiled(pattern: &str) -> Result<Regex, PatternError> {
    budget::spend(states(pattern).saturating_mul(STEPS_PER_STATE));
    let translated = Translator {
        pattern,
        position: 0,
        out: String::new(),
    }
    .translate()?;
    RegexBuilder::new(&translated)
        .size_limit(MAX_PROGRAM)
        .build()
        .map_err(|error| PatternError {
            reason: match error {
                regex::Error::CompiledTooBig(_) => "expression too large",
                _ => "invalid or unsupported syntax",
            },
            part: pattern.to_owned(),
        })
}

struct Translator<'a> {
    pattern: &'a str,
    position: usize,
    out: String,
}

const DIGIT: &str = "0-9";
const SPACE: &str = r"\t\n\x0C\r ";
const WORD: &str = "0-9A-Za-z_";

impl<'a> Translator<'a> {
    fn rest(&self) -> &'a str {
        &self.pattern[self.position..]
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.position += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        self.position += if found { prefix.len() } else { 0 };
        found
    }

    fn error<T>(&self, reason: &'static str, part: &str) -> Result<T, PatternError> {
        Err(PatternError {
            reason,
            part: part.to_owned(),
        })
    }

    fn translate(mut self) -> Result<String, PatternError> {
        let mut open_groups = 0;
        // Where the repetition before here began, if there is one; and whether something can be repeated.
        let mut repetition: Option<usize> = None;
        let mut has_operand = false;
        while !self.rest().is_empty() {
            let start = self.position;
            let mut is_repetition = false;
            let mut is_operand = true;
            match self.next().unwrap_or_default() {
                '\\' => self.escape(start)?,
                '[' => self.class(start)?,
                '(' => {
                    open_groups += 1;
                    is_operand = self.group(start)?;
                    if !is_operand && self.pattern[start..self.position].ends_with(')') {
                        open_groups -= 1;
                    }
                }
                ')' if open_groups == 0 => return self.error("unexpected )", self.pattern),
                ')' => {
                    open_groups -= 1;
                    self.out.push(')');
                }
                '|' => {
                    self.out.push('|');
                    is_operand = false;
                }
                c @ ('*' | '+' | '?') => {
                    self.out.push(c);
                    is_repetition = true;
                }
                '{' => match self.repeat_count(start)? {
                    Some(count) => {
                        self.out.push_str(&count);
                        is_repetition = true;
                    }
                    None => self.out.push_str(r"\{"),
                },
                c @ ('^' | '$' | '.') => self.out.push(c),
                c => self.literal(c),
            }
            if !is_repetition {
                repetition = None;
                has_operand = is_operand;
                continue;
            }
            let operator = &self.pattern[start..self.position];
            if !has_operand {
                return self.error("missing argument to repetition operator", operator);
            }
            if self.eat("?") {
                self.out.push('?');
            }
            if let Some(before) = repetition {
                let both = &self.pattern[before..self.position];
                return self.error("invalid nested repetition operator", both);
            }
            repetition = Some(start);
        }
        match open_groups {
            0 => Ok(self.out),
            _ => self.error("missing closing )", self.pattern),
        }
    }

    fn literal(&mut self, c: char) {
        self.out
            .push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// `(`, `(?:`, `(?P<name>`, `(?<name>`, `(?flags:` or `(?flags)`; false for the last and for openings,
    /// which cannot be repeated.
    fn group(&mut self, start: usize) -> Result<bool, PatternError> {
        if !self.eat("?") {
            self.out.push('(');
            return Ok(false);
        }
        if self.eat("P<") || self.eat("<") {
            let Some((name, _)) = self.rest().split_once('>') else {
                return self.error("invalid named capture", &self.pattern[start..]);
            };
            self.position += name.len() + 1;
            let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
            if name.is_empty() || !name.chars().all(is_word) {
                return self.error("invalid named capture", &self.pattern[start..self.position]);
            }
            self.out.push_str(&format!("(?P<{name}>"));
            return Ok(false);
        }
        let flags_start = self.position;
        loop {
            match self.next() {
                Some('i' | 'm' | 's' | 'U' | '-') => {}
                Some(':' | ')') => break,
                Some(_) => {
                    let part = &self.pattern[start..self.position];
                    return self.error("invalid or unsupported Perl syntax", part);
                }
                None => return self.error("missing closing )", self.pattern),
            }
        }
        self.out.push_str("(?");
        self.out.push_str(&self.pattern[flags_start..self.position]);
        Ok(false)
    }

    /// `{2}`, `{2,}` or `{2,3}`; anything else after `{` makes it an ordinary character.
    fn repeat_count(&mut self, start: usize) -> Result<Option<String>, PatternError> {
        let Some((inside, _)) = self.rest().split_once('}') else {
            return Ok(None);
        };
        let (least, most) = match inside.split_once(',') {
            Some((least, most)) => (least, most),
            None => (inside, inside),
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let has_leading_zero = |text: &str| text.len() > 1 && text.starts_with('0');
        if !is_number(least) || !(most.is_empty() || is_number(most)) {
            return Ok(None);
        }
        if has_leading_zero(least) || has_leading_zero(most) {
            return Ok(None);
        }
        self.position += inside.len() + 1;
        let part = &self.pattern[start..self.position];
        let count = |text: &str| text.parse::<u32>().ok().filter(|count| *count <= 1000);
        let (Some(lowest), Some(highest)) = (
            count(least),
            count(if most.is_empty() { "1000" } else { most }),
        ) else {
            return self.error("invalid repeat count", part);
        };
        match lowest <= highest {
            true => Ok(Some(part.to_owned())),
            false => self.error("invalid repeat count", part),
        }
    }

    /// An escape outside of a class.
    fn escape(&mut self, start: usize) -> Result<(), PatternError> {
        let Some(c) = self.next() else {
            return self.error("trailing backslash at end of expression", "");
        };
        match c {
            'd' | 's' | 'w' | 'D' | 'S' | 'W' => {
                let negation = if c.is_ascii_uppercase() { "^" } else { "" };
                self.out.push_str(&format!("[{negation}{}]", perl_class(c)));
            }
            'A' | 'z' => self.out.extend(['\\', c]),
            'b' => self.out.push_str(r"(?-u:\b)"),
            'B' => self.out.push_str(r"\B"),
            'Q' => {
                let literal = self.rest().split(r"\E").next().unwrap_or_default();
                self.position += literal.len();
                self.eat(r"\E");
                self.out.push_str(&regex::escape(literal));
            }
            'p' | 'P' => {
                let class = self.unicode_class(start)?;
                self.out.push_str(class);
            }
            c => {
                let c = self.escaped_char(c, start)?;
                self.literal(c);
            }
        }
        Ok(())
    }

    fn unicode_class(&mut self, start: usize) -> Result<&'a str, PatternError> {
        match self.next() {
            Some('{') => match self.rest().find('}') {
                Some(length) => self.position += length + 1,
                None => return self.error("invalid character class range", &self.pattern[start..]),
            },
            Some(_) => {}
            None => return self.error("invalid character class range", &self.pattern[start..]),
        }
        Ok(&self.pattern[start..self.position])
    }

    /// The character that an escape stands for. `c` is the one after the backslash.
    fn escaped_char(&mut self, c: char, start: usize) -> Result<char, PatternError> {
        let escaped = match c {
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            'x' if self.eat("{") => {
                let digits = self.rest().split('}').next().unwrap_or_default();
                self.position += digits.len();
                let closed = self.eat("}");
                u32::from_str_radix(digits, 16)
                    .ok()
                    .filter(|_| closed)
                    .and_then(char::from_u32)
            }
            'x' => {
                let digits = self.rest().get(..2).unwrap_or_default();
                self.position += digits.len();
                u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)
            }
            '0'..='7' => {
                // Octal: one digit alone is one only if it is zero.
                let rest = self.rest();
                let more = rest
                    .bytes()
                    .take(2)
                    .take_while(|c| (b'0'..=b'7').contains(c))
                    .count();
                let digits = &self.pattern[self.position - 1..self.position + more];
                self.position += more;
                let octal = u32::from_str_radix(digits, 8).ok();
                octal
                    .filter(|_| c == '0' || more > 0)
                    .and_then(char::from_u32)
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        match escaped {
            Some(escaped) => Ok(escaped),
            None => self.error(
                "invalid escape sequence",
                &self.pattern[start..self.position],
            ),
        }
    }

    /// A class in brackets; the opening one has been read.
    fn class(&mut self, start: usize) -> Result<(), PatternError> {
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let from = self.position;
            let Some(c) = self.next() else {
                return self.error("missing closing ]", &self.pattern[start..]);
            };
            if c == ']' && !is_first {
                self.out.push(']');
                return Ok(());
            }
            is_first = false;
            if c == '['
                && self.rest().starts_with(':')
                && let Some((name, _)) = self.rest().split_once(":]")
            {
                self.position += name.len() + 2;
                self.out.push_str(&self.pattern[from..self.position]);
                continue;
            }
            if c == '\\' {
                match self.rest().chars().next() {
                    Some(class @ ('d' | 's' | 'w')) => {
                        self.position += 1;
                        self.out.push_str(perl_class(class));
                        continue;
                    }
                    Some(class @ ('D' | 'S' | 'W')) => {
                        self.position += 1;
                        self.out.push_str(&format!("[^{}]", perl_class(class)));
                        continue;
                    }
                    Some('p' | 'P') => {
                        self.position += 1;
                        let class = self.unicode_class(from)?;
                        self.out.push_str(class);
                        continue;
                    }
                    _ => {}
                }
            }
            let low = self.class_char(c, from, start)?;
            let rest = self.rest();
            let mut high = low;
            if rest.starts_with('-') && !rest.starts_with("-]") {
                self.position += 1;
                let high_from = self.position;
                let Some(c) = self.next() else {
                    return self.error("missing closing ]", &self.pattern[start..]);
                };
                high = self.class_char(c, high_from, start)?;
                if high < low {
                    let part = &self.pattern[from..self.position];
                    return self.error("invalid character class range", part);
                }
            }
            self.out
                .push_str(&format!(r"\x{{{:X}}}-\x{{{:X}}}", low as u32, high as u32));
        }
    }

    fn class_char(&mut self, c: char, from: usize, class: usize) -> Result<char, PatternError> {
        match c {
            '\\' => match self.next() {
                Some(escaped) => self.escaped_char(escaped, from),
                None => self.error("missing closing ]", &self.pattern[class..]),
            },
            c => Ok(c),
        }
    }
}

/// The characters of `\d`, `\s` and `\w`, as the inside of a class.
fn perl_class(letter: char) -> &'static str {
    match letter.to_ascii_lowercase() {
        'd' => DIGIT,
        's' => SPACE,
        _ => WORD,
    }
}
