//! Points in time as RFC 3339 text.

use cty::{Type, Value};

use super::crypto::unpredictable;
use super::{quoted, text};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::string("formatdate", formatdate)
            .takes(Param::string("format"))
            .takes(Param::string("time")),
        Function::new("plantimestamp", |_, ty, context| {
            Ok(context
                .plan_timestamp
                .map_or_else(|| Value::unknown(ty.clone()), Value::string))
        })
        .returns(Type::String),
        Function::new("timeadd", timeadd)
            .takes(Param::string("timestamp"))
            .takes(Param::string("duration"))
            .returns(Type::String),
        Function::number("timecmp", timecmp)
            .takes(Param::string("timestamp_a"))
            .takes(Param::string("timestamp_b")),
        Function::string("timestamp", unpredictable),
    ]
}

/// A moment, and the offset from UTC that it was written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Timestamp {
    /// Since 1970-01-01T00:00:00Z.
    nanoseconds: i128,
    offset_minutes: i64,
}

const SECOND: i128 = 1_000_000_000;

/// Clock and calendar at the timestamp's offset.
struct Local {
    year: i64,
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// From Sunday.
    weekday: usize,
}

impl Timestamp {
    fn local(self) -> Local {
        let seconds = self.nanoseconds.div_euclid(SECOND) as i64 + self.offset_minutes * 60;
        let (days, seconds) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        Local {
            year,
            month,
            day,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            weekday: (days + 4).rem_euclid(7) as usize,
        }
    }

    /// The offset as `+07:00`, with another separator if wanted.
    fn offset(self, separator: &str) -> String {
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.abs();
        format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
    }

    fn zone(self) -> String {
        if self.offset_minutes == 0 {
            "Z".to_owned()
        } else {
            self.offset(":")
        }
    }

    /// RFC 3339 without fractions of a second.
    fn rfc3339(self) -> String {
        let Local {
            year,
            month,
            day,
            hour,
            minute,
            second,
            ..
        } = self.local();
        format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{}",
            self.zone()
        )
    }
}

/// A time as `plantimestamp` gives it, in UTC: RFC 3339, from seconds since 1970.
pub fn timestamp_text(unix_seconds: i64) -> String {
    let nanoseconds = i128::from(unix_seconds) * SECOND;
    Timestamp {
        nanoseconds,
        offset_minutes: 0,
    }
    .rfc3339()
}

/// Days since 1970-01-01 of a date in the Gregorian calendar, after Howard Hinnant's `days_from_civil`.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, usize, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as usize, day)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a time that RFC 3339 forbids but Go's `time.Parse` accepts is an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Strict,
    Lenient,
}

/// Reads RFC 3339. Messages name the part that is wrong.
fn parse(timestamp: &str, strictness: Strictness) -> Result<Timestamp, String> {
    parse_parts(timestamp, strictness)
        .map_err(|problem| format!("not a valid RFC3339 timestamp: {problem}"))
}

fn parse_parts(timestamp: &str, strictness: Strictness) -> Result<Timestamp, String> {
    let mut rest = timestamp;
    let year = part(&mut rest, "year", 4, 0..=9999)?;
    separator(&mut rest, '-')?;
    let month = part(&mut rest, "month", 2, 1..=12)?;
    separator(&mut rest, '-')?;
    let day = part(&mut rest, "day of month", 2, 0..=99)?;
    match rest.strip_prefix('T') {
        Some(after) => rest = after,
        None => return Err("missing required time introducer 'T'".to_owned()),
    }
    let (hour, hour_digits) = match rest.as_bytes() {
        [digit, b':', ..] if digit.is_ascii_digit() => (part(&mut rest, "hour", 1, 0..=23)?, 1),
        _ => (part(&mut rest, "hour", 2, 0..=23)?, 2),
    };
    separator(&mut rest, ':')?;
    let minute = part(&mut rest, "minute", 2, 0..=59)?;
    separator(&mut rest, ':')?;
    let second = part(&mut rest, "second", 2, 0..=59)?;
    let mut nanoseconds = 0;
    let mut has_comma = false;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let digits = fraction.len()
            - fraction
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        if digits > 0 {
            has_comma = rest.starts_with(',');
            nanoseconds = format!("{:0<9.9}", &fraction[..digits])
                .parse::<i128>()
                .unwrap_or(0);
            rest = &fraction[digits..];
        }
    }
    let offset_minutes = match rest.strip_prefix('Z') {
        Some(after) => {
            rest = after;
            0
        }
        None => zone_offset(&mut rest, strictness)?,
    };
    if !rest.is_empty() {
        return Err(format!("extra text: {}", quoted(rest)));
    }
    if day < 1 || day > days_in(year, month) {
        return Err("day out of range".to_owned());
    }
    if strictness == Strictness::Strict && hour_digits == 1 {
        return Err("hour must have exactly two digits".to_owned());
    }
    if strictness == Strictness::Strict && has_comma {
        return Err("cannot use \",\" as timestamp segment".to_owned());
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        - offset_minutes * 60;
    Ok(Timestamp {
        nanoseconds: i128::from(seconds) * SECOND + nanoseconds,
        offset_minutes,
    })
}

/// A number of exactly so many digits.
fn part(
    rest: &mut &str,
    what: &str,
    digits: usize,
    range: std::ops::RangeInclusive<i64>,
) -> Result<i64, String> {
    let bad = |text: &str| {
        Err(match (what, text) {
            (what, "") => format!("end of string before {what}"),
            ("hour", text) if text.contains(':') => {
                "hour must be between 0 and 23 inclusive".to_owned()
            }
            ("hour" | "minute", text) if text.len() != 2 => {
                format!("{what} must have exactly two digits")
            }
            (what, text) => format!("cannot use {} as {what}", quoted(text)),
        })
    };
    let Some((text, after)) = rest
        .split_at_checked(digits)
        .filter(|(text, _)| text.bytes().all(|c| c.is_ascii_digit()))
    else {
        return bad(rest);
    };
    match text.parse::<i64>() {
        Ok(number) if range.contains(&number) => {
            *rest = after;
            Ok(number)
        }
        // The shown part begins after the number, as in Go.
        Ok(_) | Err(_) => bad(after),
    }
}

fn separator(rest: &mut &str, wanted: char) -> Result<(), String> {
    match rest.strip_prefix(wanted) {
        Some(after) => {
            *rest = after;
            Ok(())
        }
        None if rest.is_empty() => Err(format!("end of string where \"{wanted}\" is expected")),
        None => Err(format!(
            "found {} where \"{wanted}\" is expected",
            quoted(rest)
        )),
    }
}

fn zone_offset(rest: &mut &str, strictness: Strictness) -> Result<i64, String> {
    let bad = |text: &str| match text {
        "" => "end of string before UTC offset".to_owned(),
        text => format!("cannot use {} as UTC offset", quoted(text)),
    };
    let whole = *rest;
    let Some((zone, after)) = whole.split_at_checked(6) else {
        return Err(bad(whole));
    };
    let (sign, hours, minutes) = match (zone.as_bytes()[0], zone.as_bytes()[3]) {
        (b'+', b':') => (1, &zone[1..3], &zone[4..]),
        (b'-', b':') => (-1, &zone[1..3], &zone[4..]),
        _ => return Err(bad(whole)),
    };
    let number = |text: &str| {
        text.parse::<i64>()
            .ok()
            .filter(|_| text.bytes().all(|c| c.is_ascii_digit()))
    };
    let (Some(hours), Some(minutes)) = (number(hours), number(minutes)) else {
        return Err(bad(whole));
    };
    let most_hours = if strictness == Strictness::Strict {
        23
    } else {
        24
    };
    if hours > most_hours || minutes > 60 - i64::from(strictness == Strictness::Strict) {
        return Err(bad(whole));
    }
    *rest = after;
    Ok(sign * (hours * 60 + minutes))
}

/// Reads a duration as `1h30m`, in nanoseconds. It fits 64 bits.
fn duration(text: &str) -> Result<i128, String> {
    let invalid = || format!("time: invalid duration {}", quoted(text));
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let number_length = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
                .len();
        let (number, after) = rest.split_at(number_length);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        if fraction.contains('.') {
            return Err(format!(
                "time: unknown unit \".\" in duration {}",
                quoted(text)
            ));
        }
        let unit_length = after.len()
            - after
                .trim_start_matches(|c: char| c != '.' && !c.is_ascii_digit())
                .len();
        let (unit, after) = after.split_at(unit_length);
        let scale: i128 = match unit {
            "" => return Err(format!("time: missing unit in duration {}", quoted(text))),
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => SECOND,
            "m" => 60 * SECOND,
            "h" => 3600 * SECOND,
            _ => {
                return Err(format!(
                    "time: unknown unit {} in duration {}",
                    quoted(unit),
                    quoted(text)
                ));
            }
        };
        let whole = if whole.is_empty() {
            0
        } else {
            whole.parse::<i64>().map_err(|_| invalid())?
        };
        total += i128::from(whole) * scale;
        // Digits beyond the nineteenth make no difference.
        let fraction = &fraction[..fraction.len().min(18)];
        if !fraction.is_empty() {
            let digits = fraction.parse::<i128>().map_err(|_| invalid())?;
            total += digits * scale / 10_i128.pow(fraction.len() as u32);
        }
        if total > i128::from(i64::MAX) + i128::from(sign < 0) {
            return Err(invalid());
        }
        rest = after;
    }
    Ok(total * sign)
}

/// RFC 3339 without fractions of a second, from RFC 3339.
pub(super) fn normalized(timestamp: &str) -> Option<String> {
    parse(timestamp, Strictness::Lenient)
        .ok()
        .map(Timestamp::rfc3339)
}

fn timeadd(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut timestamp = parse(text(&args[0]), Strictness::Strict)?;
    timestamp.nanoseconds += duration(text(&args[1]))?;
    Ok(Value::string(timestamp.rfc3339()))
}

fn timecmp(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let timestamp = |index: usize| {
        parse(text(&args[index]), Strictness::Lenient)
            .map_err(|error| CallError::argument(index, error))
    };
    let order = timestamp(0)?.nanoseconds.cmp(&timestamp(1)?.nanoseconds);
    Ok(Value::int(order as i64))
}

fn formatdate(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let timestamp =
        parse(text(&args[1]), Strictness::Strict).map_err(|error| CallError::argument(1, error))?;
    let mut out = String::new();
    let mut rest = text(&args[0]);
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            rest = literal(&mut out, rest)?;
        } else if first.is_ascii_alphabetic() {
            let length = rest.len() - rest.trim_start_matches(first).len();
            let (verb, after) = rest.split_at(length);
            append(&mut out, verb, timestamp).map_err(|error| CallError::argument(0, error))?;
            rest = after;
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Ok(Value::string(out))
}

/// Appends the text between quotes, in which two quotes stand for one; returns the rest.
fn literal<'a>(out: &mut String, quoted: &'a str) -> Result<&'a str, CallError> {
    if let Some(after) = quoted.strip_prefix("''") {
        out.push('\'');
        return Ok(after);
    }
    let mut rest = &quoted[1..];
    loop {
        let Some((before, after)) = rest.split_once('\'') else {
            return Err(CallError::argument(0, "unterminated literal '"));
        };
        out.push_str(before);
        match after.strip_prefix('\'') {
            Some(after) => {
                out.push('\'');
                rest = after;
            }
            None => return Ok(after),
        }
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

fn append(out: &mut String, verb: &str, timestamp: Timestamp) -> Result<(), String> {
    let local = timestamp.local();
    let letter = verb.chars().next().unwrap_or_default();
    let invalid = |reason: &str| Err(format!("invalid date format verb {}{reason}", quoted(verb)));
    let month = MONTHS[(local.month + 11) % 12];
    let weekday = WEEKDAYS[local.weekday % 7];
    let half_day_hour = if local.hour % 12 == 0 {
        12
    } else {
        local.hour % 12
    };
    let shown = match (letter, verb.len()) {
        ('Y', 2) => format!("{:02}", local.year % 100),
        ('Y', 4) => format!("{:04}", local.year),
        ('Y', _) => return invalid(": year must either be \"YY\" or \"YYYY\""),
        ('M', 1) => local.month.to_string(),
        ('M', 2) => format!("{:02}", local.month),
        ('M', 3) => month[..3].to_owned(),
        ('M', 4) => month.to_owned(),
        ('M', _) => return invalid(": month must be \"M\", \"MM\", \"MMM\", or \"MMMM\""),
        ('D', 1) => local.day.to_string(),
        ('D', 2) => format!("{:02}", local.day),
        ('D', _) => return invalid(": day of month must either be \"D\" or \"DD\""),
        ('E', 3) => weekday[..3].to_owned(),
        ('E', 4) => weekday.to_owned(),
        ('E', _) => return invalid(": day of week must either be \"EEE\" or \"EEEE\""),
        ('h', 1) => local.hour.to_string(),
        ('h', 2) => format!("{:02}", local.hour),
        ('h', _) => return invalid(": 24-hour must either be \"h\" or \"hh\""),
        ('H', 1) => half_day_hour.to_string(),
        ('H', 2) => format!("{half_day_hour:02}"),
        ('H', _) => return invalid(": 12-hour must either be \"H\" or \"HH\""),
        ('A', 2) => if local.hour < 12 { "AM" } else { "PM" }.to_owned(),
        ('a', 2) => if local.hour < 12 { "am" } else { "pm" }.to_owned(),
        ('A' | 'a', _) => return invalid(&format!(": must be \"{letter}{letter}\"")),
        ('m', 1) => local.minute.to_string(),
        ('m', 2) => format!("{:02}", local.minute),
        ('m', _) => return invalid(": minute must either be \"m\" or \"mm\""),
        ('s', 1) => local.second.to_string(),
        ('s', 2) => format!("{:02}", local.second),
        ('s', _) => return invalid(": second must either be \"s\" or \"ss\""),
        ('Z', 1) => timestamp.zone(),
        ('Z', 3) if timestamp.offset_minutes == 0 => "UTC".to_owned(),
        ('Z', 3 | 4) => timestamp.offset(""),
        ('Z', 5) => timestamp.offset(":"),
        ('Z', _) => return invalid(": timezone must be Z, ZZZZ, or ZZZZZ"),
        _ => return invalid(""),
    };
    out.push_str(&shown);
    Ok(())
}
