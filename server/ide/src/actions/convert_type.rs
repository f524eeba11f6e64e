//! Makes a value of the type that is wanted: wraps it, converts it, or takes the quotes away.

use refactor::Edit;
use syntax::ast::{Expr, ExprKind};
use text::{Fault, WantedType};

use super::Action;
use super::context::ActionContext;
use crate::Shown;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let Some((expr, _)) = place.expr(shown.range) else {
        return Vec::new();
    };
    let text = place.slice(shown.range);
    let new = match shown.diagnostic.fault {
        Fault::WrongType { wanted } => new_texts(&expr, text, wanted),
        Fault::SequenceForEach => vec![format!("toset({text})")],
        _ => return Vec::new(),
    };
    let actions = new.into_iter().enumerate().map(|(index, new)| {
        let edits = vec![Edit::replace(shown.range, new.as_str())];
        let action = place.fix(format!("Write `{}`", in_title(&new)), shown, edits);
        match index {
            0 => action.preferred(),
            _ => action,
        }
    });
    actions.collect()
}

/// Other spellings of the value, the best first.
fn new_texts(expr: &Expr, text: &str, wanted: WantedType) -> Vec<String> {
    let literal = expr.as_quoted_string();
    let literal = literal.as_deref();
    let is_sequence = matches!(expr.kind, ExprKind::Tuple(_));
    let is_object = matches!(expr.kind, ExprKind::Object(_));
    match wanted {
        WantedType::Number => match literal.map(|it| it.trim()) {
            Some(number) if is_number(number) => vec![number.to_owned()],
            Some(_) => Vec::new(),
            None if is_sequence || is_object => Vec::new(),
            None => vec![format!("tonumber({text})")],
        },
        WantedType::Bool => match literal.map(str::to_lowercase).as_deref() {
            Some("true" | "yes" | "on" | "1") => vec!["true".into()],
            Some("false" | "no" | "off" | "0" | "") => vec!["false".into()],
            Some(_) => Vec::new(),
            None => match &expr.kind {
                ExprKind::Number(number) => vec![format!("{}", number != "0")],
                _ if is_sequence || is_object => Vec::new(),
                _ => vec![format!("tobool({text})")],
            },
        },
        WantedType::String => match &expr.kind {
            ExprKind::Tuple(elements) if elements.len() == 1 => {
                let inner = text.trim_start_matches('[').trim_end_matches(']');
                vec![inner.trim().to_owned(), format!("jsonencode({text})")]
            }
            ExprKind::Tuple(_) | ExprKind::Object(_) => vec![format!("jsonencode({text})")],
            _ => vec![format!("{text}[0]"), format!("jsonencode({text})")],
        },
        WantedType::List | WantedType::Set if is_object => Vec::new(),
        WantedType::List | WantedType::Set if is_sequence => Vec::new(),
        WantedType::List => vec![format!("[{text}]"), format!("tolist({text})")],
        WantedType::Set => vec![format!("[{text}]"), format!("toset({text})")],
    }
}

fn is_number(text: &str) -> bool {
    let mut digits = text.trim_start_matches('-').chars();
    digits.next().is_some_and(|c| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// As a menu has room for it.
fn in_title(text: &str) -> String {
    const ROOM: usize = 40;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > ROOM {
        true => line.chars().take(ROOM).chain(['…']).collect(),
        false => line,
    }
}
