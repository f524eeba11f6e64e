//! The difference between two values: a tree of differences, which is then printed.
//!
//! Follows OpenTofu's `internal/command/jsonformat` in the structure of the tree, with cty values and
//! the schema in place of their JSON forms.

use std::collections::BTreeMap;

use cty::{Path, Type, Value};
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};
use smol_str::SmolStr;

use super::align::Aligned;
use super::pair::{Pair, is_absent, same};
use crate::Action;

/// One place: its action (`NoOp`, `Create`, `Update` or `Delete`), and the values to show.
#[derive(Debug)]
pub(super) struct Diff {
    pub action: Action,
    /// This very place is the reason for a replacement.
    pub forces_replacement: bool,
    pub kind: DiffKind,
}

#[derive(Debug)]
pub(super) enum DiffKind {
    Primitive(Option<Value>, Option<Value>),
    Object(Described, BTreeMap<SmolStr, Diff>),
    Map(Described, BTreeMap<SmolStr, Diff>),
    List(Described, Vec<Diff>),
    Set(Described, Vec<Diff>),
    Block {
        attributes: BTreeMap<SmolStr, Diff>,
        blocks: BTreeMap<SmolStr, Blocks>,
    },
    /// One kind of value becomes another.
    TypeChange(Box<Diff>, Box<Diff>),
    /// Known after apply, and the earlier value.
    Unknown(Option<Box<Diff>>),
    Sensitive(Box<Sensitive>),
    WriteOnly {
        is_sensitive: bool,
    },
}

/// How the schema describes the inside of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    /// By its type alone.
    AsType,
    /// Attribute by attribute.
    ByAttribute,
}

/// The blocks of one type, with the label of each where they have one.
#[derive(Debug)]
pub(super) struct Blocks {
    pub blocks: Vec<(Option<SmolStr>, Diff)>,
    pub forces_replacement: bool,
}

/// A difference that is not shown.
#[derive(Debug)]
pub(super) struct Sensitive {
    /// The action on the value, whether it is sensitive or not.
    pub action: Action,
    pub was_sensitive: bool,
    pub becomes_sensitive: bool,
    pub is_block: bool,
}

/// The difference between two objects of a schema, or null.
pub(super) fn of_block(before: &Value, after: &Value, block: &Block, replace: &[Path]) -> Diff {
    let pair = Pair {
        replace: replace.iter().map(Path::steps).collect(),
        ..Pair::attribute(before.clone(), after.clone())
    };
    pair.diff(Shape::Block(block))
}

/// The difference between two values of any type. Null counts as no value.
pub(super) fn of_values(before: &Value, after: &Value) -> Diff {
    Pair::attribute(before.clone(), after.clone()).diff(Shape::Any)
}

/// The difference between two elements; `None` is no element, and null is a value.
pub(super) fn of_elements(before: Option<Value>, after: Option<Value>) -> Diff {
    Pair::element(before, after).diff(Shape::Any)
}

/// The description of the values at a place.
#[derive(Clone, Copy)]
enum Shape<'a> {
    /// No description: values as in JSON.
    Any,
    Type(&'a Type),
    Nested(&'a NestedType),
    /// One object of a nested type.
    Object(&'a BTreeMap<SmolStr, Attribute>),
    Block(&'a Block),
}

impl<'a> Pair<'a> {
    fn diff(self, shape: Shape<'_>) -> Diff {
        let (was_sensitive, becomes_sensitive) = self.sensitivity();
        if was_sensitive || becomes_sensitive {
            return self.sensitive_diff(shape, was_sensitive, becomes_sensitive);
        }
        let forces_replacement = self.forces_replacement();
        if self.after.as_ref().is_some_and(|after| !after.is_known()) {
            let pair = match shape {
                Shape::Type(_) if !self.is_element => self.without_empty_string(),
                _ => self,
            };
            return pair.unknown_diff(shape);
        }
        let (action, kind) = match shape {
            Shape::Any => self.any(),
            Shape::Type(ty) => self.without_empty_string().typed(ty),
            Shape::Nested(nested) => match nested.nesting {
                Nesting::Single | Nesting::Group => self.nested_object(&nested.attributes),
                Nesting::List | Nesting::Set | Nesting::Map => self.nested_objects(nested),
            },
            Shape::Object(attributes) => self.nested_object(attributes),
            Shape::Block(block) => self.block(block),
        };
        // Inside a value of any type Terraform does not mark the cause of the replacement.
        let is_any = matches!(shape, Shape::Any | Shape::Type(Type::Dynamic));
        Diff {
            action,
            forces_replacement: forces_replacement && !is_any,
            kind,
        }
    }

    fn sensitive_diff(self, shape: Shape<'_>, was: bool, becomes: bool) -> Diff {
        let forces_replacement = self.forces_replacement();
        let inner = Pair {
            is_legacy: true,
            ..self.without_marks()
        };
        let is_absent = inner.before.is_none() && inner.after.is_none();
        let inner = inner.diff(shape).action;
        let action = match inner == Action::NoOp && was != becomes && !is_absent {
            true => Action::Update,
            false => inner,
        };
        let is_block = matches!(shape, Shape::Block(_));
        Diff {
            action,
            forces_replacement,
            kind: DiffKind::Sensitive(Box::new(Sensitive {
                action: inner,
                was_sensitive: was,
                becomes_sensitive: becomes,
                is_block,
            })),
        }
    }

    fn unknown_diff(self, shape: Shape<'_>) -> Diff {
        let forces_replacement = self.forces_replacement();
        let before = (!is_absent(&self.before)).then(|| {
            let attributes = match shape {
                Shape::Nested(NestedType {
                    nesting: Nesting::Single,
                    attributes,
                })
                | Shape::Object(attributes) => Some(attributes),
                Shape::Block(block) => Some(&block.attributes),
                Shape::Any | Shape::Type(_) | Shape::Nested(_) => None,
            };
            // Attributes are shown as unknown each, rather than as deleted.
            let after = attributes.map(|attributes| {
                let unknown = |ty: &Type| Value::unknown(ty.clone());
                Value::object(attributes.iter().map(|(name, it)| (name, unknown(&it.ty))))
            });
            let before = Pair {
                after,
                replace: Vec::new(),
                is_legacy: true,
                ..self
            };
            Box::new(before.diff(shape))
        });
        let action = match before {
            Some(_) => Action::Update,
            None => Action::Create,
        };
        Diff {
            action,
            forces_replacement,
            kind: DiffKind::Unknown(before),
        }
    }

    fn any(self) -> (Action, DiffKind) {
        let kinds = (AnyKind::of(&self.before), AnyKind::of(&self.after));
        let kind = match kinds {
            (AnyKind::Null, after) if self.before.is_none() => after,
            (before, AnyKind::Null) if self.after.is_none() => before,
            (before, after) if before == after => before,
            _ => {
                let before = Pair {
                    after: None,
                    ..self.clone()
                };
                let after = Pair {
                    before: None,
                    ..self
                };
                let (before, after) = (before.diff(Shape::Any), after.diff(Shape::Any));
                return (
                    Action::Update,
                    DiffKind::TypeChange(Box::new(before), Box::new(after)),
                );
            }
        };
        match kind {
            AnyKind::Null | AnyKind::Bool | AnyKind::Number | AnyKind::String => self.primitive(),
            AnyKind::Sequence => {
                let is_mapping =
                    |value: &Value| matches!(value.ty(), Type::Map(_) | Type::Object(_));
                let places = self.list_places(|a, b| is_mapping(a) && is_mapping(b));
                let (action, elements) = self.elements(places, |pair| pair.diff(Shape::Any));
                (action, DiffKind::List(Described::AsType, elements))
            }
            AnyKind::Mapping => {
                let (action, attributes) = self.mapping(|pair| pair.diff(Shape::Any));
                (action, DiffKind::Object(Described::AsType, attributes))
            }
        }
    }

    fn typed(self, ty: &Type) -> (Action, DiffKind) {
        match ty {
            Type::Dynamic => Pair {
                replace: Vec::new(),
                ..self
            }
            .any(),
            Type::Bool | Type::Number | Type::String | Type::Capsule(_) => self.primitive(),
            Type::Object(object) => {
                let diff = |pair: Pair<'_>, ty: &Type, _| pair.diff(Shape::Type(ty));
                let (action, attributes) = self.attributes(&object.attributes, diff);
                (action, DiffKind::Object(Described::AsType, attributes))
            }
            Type::Map(element) => {
                let (action, elements) = self.mapping(|pair| pair.diff(Shape::Type(element)));
                (action, DiffKind::Map(Described::AsType, elements))
            }
            Type::List(element) => {
                let places = self.list_places(|_, _| element.is_object());
                let (action, elements) =
                    self.elements(places, |pair| pair.diff(Shape::Type(element)));
                (action, DiffKind::List(Described::AsType, elements))
            }
            Type::Tuple(types) => {
                let elements = types
                    .iter()
                    .enumerate()
                    .map(|(at, ty)| self.at(Aligned::Both(at, at)).diff(Shape::Type(ty)));
                let elements: Vec<Diff> = elements.collect();
                let action = self.with_inside(&elements);
                (action, DiffKind::List(Described::AsType, elements))
            }
            Type::Set(element) => {
                let (action, elements) =
                    self.elements(self.set_places(), |pair| pair.diff(Shape::Type(element)));
                (action, DiffKind::Set(Described::AsType, elements))
            }
        }
    }

    fn nested_object(self, attributes: &BTreeMap<SmolStr, Attribute>) -> (Action, DiffKind) {
        let (action, attributes) = self.attributes(attributes, Pair::attribute_diff);
        (action, DiffKind::Object(Described::ByAttribute, attributes))
    }

    fn nested_objects(self, nested: &NestedType) -> (Action, DiffKind) {
        let shape = Shape::Object(&nested.attributes);
        match nested.nesting {
            Nesting::Map => {
                let (action, elements) = self.mapping(|pair| pair.diff(shape));
                (action, DiffKind::Map(Described::ByAttribute, elements))
            }
            Nesting::Set => {
                let (action, elements) = self.elements(self.set_places(), |pair| pair.diff(shape));
                (action, DiffKind::Set(Described::ByAttribute, elements))
            }
            Nesting::List | Nesting::Single | Nesting::Group => {
                let (action, elements) = self.elements(self.positions(), |pair| pair.diff(shape));
                (action, DiffKind::List(Described::ByAttribute, elements))
            }
        }
    }

    fn attribute_diff(self, attribute: &Attribute, parent: Action) -> Diff {
        if attribute.write_only {
            let (was_sensitive, becomes_sensitive) = self.sensitivity();
            let is_sensitive = was_sensitive || becomes_sensitive;
            return Diff {
                action: parent,
                forces_replacement: self.forces_replacement(),
                kind: DiffKind::WriteOnly { is_sensitive },
            };
        }
        match &attribute.nested_type {
            Some(nested) => self.diff(Shape::Nested(nested)),
            None => self.diff(Shape::Type(&attribute.ty)),
        }
    }

    fn block(mut self, block: &Block) -> (Action, DiffKind) {
        self.is_legacy = self.is_legacy && !is_modern(block);
        let (mut action, mut attributes) = self.attributes(&block.attributes, Pair::attribute_diff);
        // That there are write-only attributes is said even where nothing happens to them.
        for (name, attribute) in &block.attributes {
            if attribute.write_only && !attributes.contains_key(name) {
                let diff = self
                    .named(name, false)
                    .attribute_diff(attribute, Action::NoOp);
                attributes.insert(name.clone(), diff);
            }
        }
        let mut all_blocks = BTreeMap::new();
        for (name, nested) in &block.block_types {
            let pair = self.named(name, false);
            if is_absent(&pair.before) && is_absent(&pair.after) {
                continue;
            }
            let (nested_action, blocks) = pair.blocks(nested);
            action = combine(action, nested_action);
            all_blocks.insert(name.clone(), blocks);
        }
        (
            action,
            DiffKind::Block {
                attributes,
                blocks: all_blocks,
            },
        )
    }

    /// The blocks of one type.
    fn blocks(self, nested: &NestedBlock) -> (Action, Blocks) {
        let forces_replacement = self.forces_replacement();
        let (was_sensitive, becomes_sensitive) = self.sensitivity();
        let pair = self.without_marks();
        let shape = Shape::Block(&nested.block);
        let unlabelled = |diffs: Vec<Diff>| diffs.into_iter().map(|diff| (None, diff)).collect();
        let is_unknown = pair.after.as_ref().is_some_and(|after| !after.is_known());
        let had_none = pair.before.as_ref().is_some_and(|before| {
            !before.is_null() && before.is_known() && before.elements().next().is_none()
        });
        let (action, mut blocks): (Action, Vec<_>) = match nested.nesting {
            Nesting::Single | Nesting::Group => {
                let diff = pair.diff(shape);
                (diff.action, vec![(None, diff)])
            }
            // Unknown blocks are shown without others beside them, but count as a change.
            _ if is_unknown && had_none => {
                let diff = Diff {
                    action: Action::Update,
                    forces_replacement,
                    kind: DiffKind::Unknown(None),
                };
                (diff.action, vec![(None, diff)])
            }
            _ if is_unknown => {
                let diff = pair.unknown_diff(shape);
                (diff.action, vec![(None, diff)])
            }
            Nesting::List => {
                let (action, diffs) = pair.elements(pair.positions(), |pair| pair.diff(shape));
                (action, unlabelled(diffs))
            }
            Nesting::Set => {
                let (action, diffs) = pair.elements(pair.set_places(), |pair| pair.diff(shape));
                (action, unlabelled(diffs))
            }
            Nesting::Map => {
                let (action, diffs) = pair.mapping(|pair| pair.diff(shape));
                let labelled = diffs.into_iter().map(|(label, diff)| (Some(label), diff));
                (action, labelled.collect())
            }
        };
        for (_, diff) in &mut blocks {
            let is_sensitive = match diff.action {
                Action::Create => becomes_sensitive,
                Action::Delete => was_sensitive,
                _ => was_sensitive || becomes_sensitive,
            };
            if is_sensitive {
                let inner = diff.action;
                if inner == Action::NoOp && was_sensitive != becomes_sensitive {
                    diff.action = Action::Update;
                }
                let is_block = true;
                diff.kind = DiffKind::Sensitive(Box::new(Sensitive {
                    action: inner,
                    was_sensitive,
                    becomes_sensitive,
                    is_block,
                }));
            }
        }
        (
            action,
            Blocks {
                blocks,
                forces_replacement,
            },
        )
    }

    fn primitive(self) -> (Action, DiffKind) {
        let action = match (&self.before, &self.after) {
            (None, None) => Action::NoOp,
            (None, Some(_)) => Action::Create,
            (Some(_), None) => Action::Delete,
            (Some(before), Some(after)) if same(before, after) => Action::NoOp,
            (Some(_), Some(_)) => Action::Update,
        };
        (action, DiffKind::Primitive(self.before, self.after))
    }

    /// All attributes but those that are null before and after. `diff` gets the action on the
    /// whole object.
    fn attributes<S>(
        &self,
        shapes: &BTreeMap<SmolStr, S>,
        diff: impl Fn(Pair<'a>, &S, Action) -> Diff,
    ) -> (Action, BTreeMap<SmolStr, Diff>) {
        let parent = self.default_action();
        let mut action = parent;
        let mut attributes = BTreeMap::new();
        for (name, shape) in shapes {
            let pair = self.named(name, false);
            let is_null = is_absent(&pair.before) && is_absent(&pair.after);
            let diff = diff(pair, shape, parent);
            if diff.action == Action::NoOp && is_null {
                continue;
            }
            action = combine(action, diff.action);
            attributes.insert(name.clone(), diff);
        }
        (action, attributes)
    }

    /// All elements of a map or attributes of an object, whichever it is.
    fn mapping(&self, diff: impl Fn(Pair<'_>) -> Diff) -> (Action, BTreeMap<SmolStr, Diff>) {
        let element = |name: &SmolStr| (name.clone(), diff(self.named(name, true)));
        let elements: BTreeMap<_, _> = self.names().into_iter().map(element).collect();
        (self.with_inside(elements.values()), elements)
    }

    fn elements(
        &self,
        places: Vec<Aligned>,
        diff: impl Fn(Pair<'_>) -> Diff,
    ) -> (Action, Vec<Diff>) {
        let places = places.into_iter();
        let elements: Vec<Diff> = places.map(|place| diff(self.at(place))).collect();
        (self.with_inside(&elements), elements)
    }

    /// The action on a container, from the actions inside.
    fn with_inside<'d>(&self, inside: impl IntoIterator<Item = &'d Diff>) -> Action {
        let inside = inside.into_iter().map(|diff| diff.action);
        inside.fold(self.default_action(), combine)
    }
}

/// The type of a value, as in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnyKind {
    Null,
    Bool,
    Number,
    String,
    Sequence,
    Mapping,
}

impl AnyKind {
    fn of(value: &Option<Value>) -> AnyKind {
        let Some(value) = value.as_ref().filter(|value| !value.is_null()) else {
            return AnyKind::Null;
        };
        match value.ty() {
            Type::Bool => AnyKind::Bool,
            Type::Number => AnyKind::Number,
            Type::String => AnyKind::String,
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => AnyKind::Sequence,
            Type::Map(_) | Type::Object(_) => AnyKind::Mapping,
            Type::Dynamic | Type::Capsule(_) => AnyKind::Null,
        }
    }
}

/// Whether a schema has elements that providers of the first generation cannot have. Those cannot tell an
/// empty string from null.
fn is_modern(block: &Block) -> bool {
    let is_modern_attribute = |attribute: &Attribute| {
        attribute.nested_type.is_some()
            || attribute.ty.has_dynamic()
            || matches!(attribute.ty, Type::Object(_) | Type::Tuple(_))
    };
    block.attributes.values().any(is_modern_attribute)
        || block
            .block_types
            .values()
            .any(|nested| matches!(nested.nesting, Nesting::Map | Nesting::Group))
}

/// The action on a container, from the actions so far and the next one inside.
fn combine(action: Action, inside: Action) -> Action {
    match inside {
        Action::NoOp => action,
        inside if inside == action => action,
        _ => Action::Update,
    }
}
