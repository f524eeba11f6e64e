//! Random expressions from the rules in `grammar`: the same seed gives the same expressions.

use std::collections::BTreeMap;
use std::fmt;

use crate::support::random::Random;

/// A type as the grammar writes it. A single letter stands for any type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    Name(String),
    List(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>),
}

impl Type {
    fn parse(text: &str) -> Type {
        let inner = || Box::new(Type::parse(&text[1..text.len() - 1]));
        match text.chars().next() {
            Some('[') => Type::List(inner()),
            Some('<') => Type::Set(inner()),
            Some('{') => Type::Map(inner()),
            _ => Type::Name(text.to_owned()),
        }
    }

    /// Whether `wanted` is of this form; binds the letters.
    fn matches(&self, wanted: &Type, letters: &mut BTreeMap<String, Type>) -> bool {
        match (self, wanted) {
            (Type::Name(name), _) if name.len() == 1 => match letters.get(name) {
                Some(bound) => bound == wanted,
                None => {
                    letters.insert(name.clone(), wanted.clone());
                    true
                }
            },
            (Type::List(this), Type::List(wanted))
            | (Type::Set(this), Type::Set(wanted))
            | (Type::Map(this), Type::Map(wanted)) => this.matches(wanted, letters),
            (Type::Name(name), Type::Name(wanted)) => name == wanted,
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Name(name) => f.write_str(name),
            Type::List(element) => write!(f, "[{element}]"),
            Type::Set(element) => write!(f, "<{element}>"),
            Type::Map(element) => write!(f, "{{{element}}}"),
        }
    }
}

enum Piece {
    Text(String),
    Hole {
        ty: Type,
        names: Vec<(String, Type)>,
    },
}

struct Rule {
    tag: String,
    ty: Type,
    pieces: Vec<Piece>,
}

pub struct Grammar {
    rules: Vec<Rule>,
    leaves: Vec<Rule>,
    /// The operators and functions that are generated in turn.
    tags: Vec<String>,
}

impl Grammar {
    pub fn parse(text: &str) -> Grammar {
        let mut grammar = Grammar {
            rules: Vec::new(),
            leaves: Vec::new(),
            tags: Vec::new(),
        };
        for line in text.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.splitn(3, ' ');
            let mut word = || words.next().expect("a rule has three parts").to_owned();
            let (tag, ty, pattern) = (word(), Type::parse(&word()), word().replace('⏎', "\n"));
            let rule = Rule {
                tag,
                ty,
                pieces: pieces(&pattern),
            };
            if rule.tag == "leaf" {
                grammar.leaves.push(rule);
                continue;
            }
            if !grammar.tags.contains(&rule.tag) {
                grammar.tags.push(rule.tag.clone());
            }
            grammar.rules.push(rule);
        }
        grammar
    }

    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The leaves of a type as expressions, the simplest first.
    pub fn leaves(&self, ty: &Type) -> impl Iterator<Item = Expression> {
        self.leaves.iter().filter(|leaf| leaf.ty == *ty).map(leaf)
    }
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some((text, after)) = rest.split_once('«') {
        let (hole, after) = after.split_once('»').expect("a hole is closed");
        let mut parts = hole.split("; ");
        let ty = Type::parse(parts.next().expect("a hole has a type"));
        let names = parts
            .map(|part| part.split_once(": ").expect("a name has a type"))
            .map(|(name, ty)| (name.to_owned(), Type::parse(ty)))
            .collect();
        pieces.push(Piece::Text(text.to_owned()));
        pieces.push(Piece::Hole { ty, names });
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

/// An expression with its parts, so that it can be made smaller.
#[derive(Debug, Clone)]
pub struct Expression {
    pub tag: String,
    pub ty: Type,
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Child(Expression),
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Child(child) => child.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl Expression {
    pub fn children(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Child(child) => Some(child),
        })
    }

    /// This expression and all in it.
    pub fn all(&self) -> Vec<&Expression> {
        let mut all = vec![self];
        for child in self.children() {
            all.extend(child.all());
        }
        all
    }

    /// Each expression that has one of its parts replaced by something smaller.
    pub fn smaller(&self, grammar: &Grammar) -> Vec<Expression> {
        let own = self.to_string();
        let mut found: Vec<Expression> = self
            .all()
            .into_iter()
            .skip(1)
            .filter(|inner| inner.ty == self.ty)
            .cloned()
            .collect();
        if self.children().next().is_some() {
            found.extend(grammar.leaves(&self.ty));
        } else {
            found.extend(grammar.leaves(&self.ty).take(1));
        }
        found.retain(|smaller| smaller.to_string().len() < own.len());
        for (index, part) in self.parts.iter().enumerate() {
            let Part::Child(child) = part else { continue };
            for smaller in child.smaller(grammar) {
                let mut whole = self.clone();
                whole.parts[index] = Part::Child(smaller);
                found.push(whole);
            }
        }
        found
    }
}

fn leaf(rule: &Rule) -> Expression {
    text(&rule.ty, &rule.tag, rule.text())
}

fn text(ty: &Type, tag: &str, text: String) -> Expression {
    Expression {
        tag: tag.to_owned(),
        ty: ty.clone(),
        parts: vec![Part::Text(text)],
    }
}

impl Rule {
    fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Hole { .. } => "",
            })
            .collect()
    }
}

/// The expressions of a seed.
pub fn expressions(grammar: &Grammar, seed: u64, count: usize) -> Vec<Expression> {
    (0..count)
        .map(|index| {
            let number = seed * count as u64 + index as u64;
            let mut generator = Generator {
                grammar,
                random: Random(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed),
                scope: Vec::new(),
            };
            let tag = &grammar.tags[number as usize % grammar.tags.len()];
            generator.tagged(tag)
        })
        .collect()
}

struct Generator<'a> {
    grammar: &'a Grammar,
    random: Random,
    scope: Vec<(String, Type)>,
}

impl Generator<'_> {
    fn tagged(&mut self, tag: &str) -> Expression {
        let rules: Vec<&Rule> = (self.grammar.rules.iter())
            .filter(|rule| rule.tag == tag)
            .collect();
        let rule = rules[self.random.below(rules.len())];
        let depth = 1 + self.random.below(4);
        self.apply(rule, rule.ty.clone(), BTreeMap::new(), depth)
    }

    fn expression(&mut self, wanted: &Type, depth: usize) -> Expression {
        if *wanted == Type::Name("any".into()) && self.random.chance(60) {
            let ty = self.some_type();
            return self.expression(&ty, depth);
        }
        if matches!(wanted, Type::Name(name) if name.ends_with('!')) {
            return self.leaf(wanted);
        }
        // Now and then something of another type, which is converted or an error.
        if self.random.chance(2) {
            let ty = self.some_type();
            let mut other = self.expression(&ty, depth.saturating_sub(1));
            other.ty = wanted.clone();
            other.parts.insert(0, Part::Text("(".into()));
            other.parts.push(Part::Text(")".into()));
            return other;
        }
        let rules: Vec<&Rule> = (self.grammar.rules.iter())
            .filter(|rule| rule.ty.matches(wanted, &mut BTreeMap::new()))
            .collect();
        if depth == 0 || rules.is_empty() || self.random.chance(25) {
            return self.leaf(wanted);
        }
        // Rules for any type are many, and would be taken for most.
        let own: Vec<&Rule> = (rules.iter().copied())
            .filter(|rule| !matches!(&rule.ty, Type::Name(name) if name.len() == 1))
            .collect();
        let rules = match own.is_empty() || self.random.chance(25) {
            true => rules,
            false => own,
        };
        let rule = rules[self.random.below(rules.len())];
        let mut letters = BTreeMap::new();
        rule.ty.matches(wanted, &mut letters);
        self.apply(rule, wanted.clone(), letters, depth)
    }

    fn apply(
        &mut self,
        rule: &Rule,
        ty: Type,
        mut letters: BTreeMap<String, Type>,
        depth: usize,
    ) -> Expression {
        let mut parts = Vec::new();
        for piece in &rule.pieces {
            match piece {
                Piece::Text(text) => parts.push(Part::Text(text.clone())),
                Piece::Hole { ty, names } => {
                    let ty = self.bind(ty, &mut letters);
                    let outer = self.scope.len();
                    for (name, ty) in names {
                        let ty = self.bind(ty, &mut letters);
                        self.scope.push((name.clone(), ty));
                    }
                    parts.push(Part::Child(self.expression(&ty, depth - 1)));
                    self.scope.truncate(outer);
                }
            }
        }
        let ty = self.bind(&ty, &mut letters);
        Expression {
            tag: rule.tag.clone(),
            ty,
            parts,
        }
    }

    fn bind(&mut self, ty: &Type, letters: &mut BTreeMap<String, Type>) -> Type {
        match ty {
            Type::Name(name) if name.len() == 1 => {
                if !letters.contains_key(name) {
                    let ty = self.some_type();
                    letters.insert(name.clone(), ty);
                }
                letters[name].clone()
            }
            Type::Name(_) => ty.clone(),
            Type::List(element) => Type::List(Box::new(self.bind(element, letters))),
            Type::Set(element) => Type::Set(Box::new(self.bind(element, letters))),
            Type::Map(element) => Type::Map(Box::new(self.bind(element, letters))),
        }
    }

    fn some_type(&mut self) -> Type {
        const TYPES: [&str; 16] = [
            "str", "str", "str", "str", "num", "num", "num", "bool", "bool", "obj", "[str]",
            "[num]", "{str}", "<str>", "[obj]", "{num}",
        ];
        Type::parse(TYPES[self.random.below(TYPES.len())])
    }

    fn leaf(&mut self, wanted: &Type) -> Expression {
        let scoped: Vec<&str> = (self.scope.iter().enumerate())
            .filter(|(index, (name, ty))| {
                let is_shadowed = self.scope[index + 1..].iter().any(|(n, _)| n == name);
                ty == wanted && !is_shadowed
            })
            .map(|(_, (name, _))| name.as_str())
            .collect();
        if !scoped.is_empty() && self.random.chance(70) {
            let name = scoped[self.random.below(scoped.len())];
            return text(wanted, "leaf", name.to_owned());
        }
        let leaves: Vec<&Rule> = (self.grammar.leaves.iter())
            .filter(|leaf| leaf.ty == *wanted)
            .collect();
        if !leaves.is_empty() {
            return leaf(leaves[self.random.below(leaves.len())]);
        }
        let (open, element, close) = match wanted {
            Type::Name(name) => panic!("the grammar has no leaf of type {name}"),
            Type::List(element) => ("[", element, "]"),
            Type::Set(element) => ("toset([", element, "])"),
            Type::Map(element) => ("{a = ", element, "}"),
        };
        Expression {
            tag: "leaf".into(),
            ty: wanted.clone(),
            parts: vec![
                Part::Text(open.into()),
                Part::Child(self.leaf(element)),
                Part::Text(close.into()),
            ],
        }
    }
}
