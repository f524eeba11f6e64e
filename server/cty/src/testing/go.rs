//! Reads values, types and paths written as Go source.

use crate::{Number, Path, PathStep, Type, Value};

pub(super) fn value(text: &str) -> Option<Value> {
    as_value(&parse(text)?)
}

pub(super) fn ty(text: &str) -> Option<Type> {
    as_type(&parse(text)?)
}

pub(super) fn path(text: &str) -> Option<Path> {
    match parse(text)? {
        Expr::Composite(_, steps) => steps
            .iter()
            .map(|(_, step)| as_step(step))
            .collect::<Option<_>>()
            .map(Path),
        Expr::Call(..) => Some(Path::new()),
        _ => None,
    }
}

pub(super) fn text(text: &str) -> Option<String> {
    as_text(&parse(text)?).map(str::to_string)
}

pub(super) fn list<T>(text: &str, read: fn(&Expr) -> Option<T>) -> Option<Vec<T>> {
    match parse(text)? {
        Expr::Composite(_, elements) => elements.iter().map(|(_, element)| read(element)).collect(),
        _ => None,
    }
}

/// What of Go's expressions occurs.
pub(super) enum Expr {
    Text(String),
    /// A number, constant, function or type.
    Name(String),
    Call(String, Vec<Expr>),
    /// A call on the result of an expression.
    Method(Box<Expr>, String, Vec<Expr>),
    /// Elements between braces, with their keys.
    Composite(String, Vec<(Option<Expr>, Expr)>),
}

fn as_step(expr: &Expr) -> Option<PathStep> {
    let Expr::Composite(kind, fields) = expr else {
        return None;
    };
    let (_, field) = fields.first()?;
    match (kind.as_str(), field) {
        ("cty.GetAttrStep", Expr::Text(name)) => Some(PathStep::GetAttr(name.into())),
        ("cty.IndexStep", key) => Some(PathStep::Index(as_value(key)?)),
        _ => None,
    }
}

pub(super) fn as_type(expr: &Expr) -> Option<Type> {
    Some(match expr {
        Expr::Name(name) => match name.as_str() {
            "cty.String" => Type::String,
            "cty.Number" => Type::Number,
            "cty.Bool" => Type::Bool,
            "cty.DynamicPseudoType" => Type::Dynamic,
            "cty.EmptyObject" => Type::empty_object(),
            "cty.EmptyTuple" => Type::tuple([]),
            _ => return None,
        },
        Expr::Call(name, args) => match (name.as_str(), &args[..]) {
            ("cty.List", [element]) => Type::list(as_type(element)?),
            ("cty.Set", [element]) => Type::set(as_type(element)?),
            ("cty.Map", [element]) => Type::map(as_type(element)?),
            ("cty.Tuple", [Expr::Composite(_, elements)]) => Type::tuple(
                elements
                    .iter()
                    .map(|(_, ty)| as_type(ty))
                    .collect::<Option<Vec<_>>>()?,
            ),
            ("cty.Object", [Expr::Composite(_, attributes)]) => {
                Type::object(entries(attributes, as_type)?)
            }
            (
                "cty.ObjectWithOptionalAttrs",
                [Expr::Composite(_, attributes), Expr::Composite(_, optional)],
            ) => {
                let optional = optional.iter().map(|(_, name)| as_text(name));
                let optional = optional.collect::<Option<Vec<_>>>()?;
                Type::object_with_optional(entries(attributes, as_type)?, optional)
            }
            _ => return None,
        },
        _ => return None,
    })
}

fn as_text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Text(text) => Some(text),
        _ => None,
    }
}

fn as_number(expr: &Expr) -> Option<Number> {
    match expr {
        Expr::Name(text) | Expr::Text(text) => Number::parse(text),
        _ => None,
    }
}

fn entries<T>(
    entries: &[(Option<Expr>, Expr)],
    read: impl Fn(&Expr) -> Option<T>,
) -> Option<Vec<(&str, T)>> {
    entries
        .iter()
        .map(|(key, expr)| Some((as_text(key.as_ref()?)?, read(expr)?)))
        .collect()
}

pub(super) fn as_value(expr: &Expr) -> Option<Value> {
    let none = || std::iter::empty::<(&str, Value)>();
    Some(match expr {
        Expr::Name(name) => match name.as_str() {
            "cty.True" => Value::bool(true),
            "cty.False" => Value::bool(false),
            "cty.Zero" => Value::int(0),
            "cty.DynamicVal" => Value::dynamic(),
            "cty.EmptyObjectVal" => Value::empty_object(),
            "cty.EmptyTupleVal" => Value::empty_tuple(),
            "cty.PositiveInfinity" => Value::number(Number::infinity(false)),
            "cty.NegativeInfinity" => Value::number(Number::infinity(true)),
            _ => return None,
        },
        Expr::Call(name, args) => match (name.as_str(), &args[..]) {
            ("cty.StringVal", [text]) => Value::string(as_text(text)?),
            ("cty.NumberIntVal" | "cty.NumberFloatVal" | "cty.MustParseNumberVal", [number]) => {
                Value::number(as_number(number)?)
            }
            ("cty.NullVal", [ty]) => Value::null(as_type(ty)?),
            ("cty.UnknownVal", [ty]) => Value::unknown(as_type(ty)?),
            ("cty.ListValEmpty", [ty]) => Value::list(as_type(ty)?, Vec::new()),
            ("cty.SetValEmpty", [ty]) => Value::set(as_type(ty)?, Vec::new()),
            ("cty.MapValEmpty", [ty]) => Value::map(as_type(ty)?, none()),
            (name, [Expr::Composite(_, elements)]) => {
                let list = || {
                    elements
                        .iter()
                        .map(|(_, value)| as_value(value))
                        .collect::<Option<Vec<_>>>()
                };
                match name {
                    "cty.ListVal" => Value::list(Type::Dynamic, list()?),
                    "cty.SetVal" => Value::set(Type::Dynamic, list()?),
                    "cty.TupleVal" => Value::tuple(list()?),
                    "cty.MapVal" => Value::map(Type::Dynamic, entries(elements, as_value)?),
                    "cty.ObjectVal" => Value::object(entries(elements, as_value)?),
                    _ => return None,
                }
            }
            _ => return None,
        },
        Expr::Method(receiver, name, args) => match (name.as_str(), &args[..]) {
            ("RefineNotNull", []) => as_value(receiver)?.refine_not_null(),
            ("NewValue", []) => as_refined(receiver)?.build(),
            ("Mark", [Expr::Text(mark) | Expr::Name(mark)]) => {
                as_value(receiver)?.mark(super::mark(mark))
            }
            ("WithMarks", [Expr::Call(_, marks)]) => {
                let marks = marks.iter().map(|mark| match mark {
                    Expr::Text(mark) | Expr::Name(mark) => Some(super::mark(mark)),
                    _ => None,
                });
                as_value(receiver)?.mark_all(&marks.collect::<Option<_>>()?)
            }
            _ => return None,
        },
        Expr::Text(_) | Expr::Composite(..) => return None,
    })
}

fn as_refined(expr: &Expr) -> Option<crate::RefinementBuilder> {
    let Expr::Method(receiver, name, args) = expr else {
        return None;
    };
    if name == "Refine" {
        return Some(as_value(receiver)?.refine());
    }
    let builder = as_refined(receiver)?;
    let bound = |number: &Expr| as_value(number)?.as_number().cloned();
    let is_true = |flag: &Expr| matches!(flag, Expr::Name(flag) if flag == "true");
    let length = |number: &Expr| as_number(number)?.as_u64();
    Some(match (name.as_str(), &args[..]) {
        ("NotNull", []) => builder.not_null(),
        ("Null", []) => builder.null(),
        ("StringPrefixFull", [prefix]) => builder.string_prefix_full(as_text(prefix)?),
        ("NumberLowerBound", [value, flag]) => {
            builder.number_lower_bound(bound(value)?, is_true(flag))
        }
        ("NumberUpperBound", [value, flag]) => {
            builder.number_upper_bound(bound(value)?, is_true(flag))
        }
        ("CollectionLengthLowerBound", [number]) => builder.length_lower_bound(length(number)?),
        ("CollectionLengthUpperBound", [number]) => builder.length_upper_bound(length(number)?),
        _ => return None,
    })
}

fn parse(text: &str) -> Option<Expr> {
    let mut parser = Parser { rest: text };
    let expr = parser.expr()?;
    parser.rest.is_empty().then_some(expr)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expr(&mut self) -> Option<Expr> {
        self.rest = self.rest.trim_start();
        let mut expr = match self.rest.starts_with('"') {
            true => Expr::Text(self.text()?),
            false => {
                // Of a method chain the name ends where the first call does.
                let end = self
                    .rest
                    .find(['(', ')', '{', '}', ',', ':', '"'])
                    .unwrap_or(self.rest.len());
                let (name, rest) = self.rest.split_at(end);
                self.rest = rest;
                Expr::Name(name.trim_end().to_string())
            }
        };
        loop {
            expr = match expr {
                Expr::Name(name) if self.eat("(") => match name.rsplit_once('.') {
                    // A method of a constant.
                    Some((receiver, method)) if receiver.contains('.') => {
                        let receiver = Expr::Name(receiver.to_string());
                        Expr::Method(Box::new(receiver), method.to_string(), self.list(")")?)
                    }
                    _ => Expr::Call(name, self.list(")")?),
                },
                Expr::Name(name) if self.eat("{") => {
                    let mut elements = Vec::new();
                    while !self.eat("}") {
                        let first = self.expr()?;
                        elements.push(match self.eat(":") {
                            true => (Some(first), self.expr()?),
                            false => (None, first),
                        });
                        self.eat(",");
                    }
                    Expr::Composite(name, elements)
                }
                receiver if self.eat(".") => {
                    let (name, rest) = self.rest.split_once('(')?;
                    let name = name.to_string();
                    self.rest = rest;
                    Expr::Method(Box::new(receiver), name, self.list(")")?)
                }
                other => return Some(other),
            };
        }
    }

    fn list(&mut self, end: &str) -> Option<Vec<Expr>> {
        let mut elements = Vec::new();
        while !self.eat(end) {
            elements.push(self.expr()?);
            self.eat(",");
        }
        Some(elements)
    }

    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest[1..].char_indices();
        loop {
            match chars.next()? {
                (at, '"') => {
                    self.rest = &self.rest[at + 2..];
                    return Some(text);
                }
                (_, '\\') => match chars.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    escape @ ('u' | 'U' | 'x') => {
                        let digits = match escape {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let mut code = 0;
                        for _ in 0..digits {
                            code = code * 16 + chars.next()?.1.to_digit(16)?;
                        }
                        text.push(char::from_u32(code)?);
                    }
                    other => text.push(other),
                },
                (_, c) => text.push(c),
            }
        }
    }
}
