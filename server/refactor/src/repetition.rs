//! `count` and `for_each`: one for the other, where there was none, or none where there was one.

mod uses;
mod values;

use config::{Decl, InstanceKey, ModuleInstanceAddr, Repetition, ResourceAddr, Target, quote};
use plan::Plan;
use smol_str::SmolStr;
use syntax::ast::{Attribute, Expr, ExprKind};
use text::TextRange;

pub(crate) use self::values::instances;
use self::values::{listed, literals, of_set, only_value, values};
use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::site::Site;
use crate::{Edits, Move, RefactoringKind, Refusal, Repeat, SymbolObject};

pub(crate) fn offers(site: &Site<'_>, range: TextRange) -> Vec<Offer> {
    let Some(subject) = Subject::of(site) else {
        return Vec::new();
    };
    let written = subject.written.map(|it| it.range);
    let mut places = [Some(site.block.header_range), written].into_iter();
    if !places.any(|place| place.is_some_and(|it| site.absolute(it).intersect(range).is_some())) {
        return Vec::new();
    }
    let all = [Repeat::Count, Repeat::ForEach, Repeat::Single];
    let others = all.into_iter().filter(|it| *it != subject.repeat);
    let offer = |to| Offer {
        kind: RefactoringKind::Repeat(to),
        title: subject.title(to),
    };
    others.map(offer).collect()
}

/// The block that gets other instances.
struct Subject<'a> {
    object: SymbolObject,
    repeat: Repeat,
    written: Option<&'a Attribute>,
    decl: &'a Decl,
}

impl<'a> Subject<'a> {
    fn of(site: &Site<'a>) -> Option<Subject<'a>> {
        let object = site.object()?;
        let repetition = match &object {
            SymbolObject::Resource(addr) => &site.module.resources.get(addr)?.repetition,
            SymbolObject::ModuleCall(name) => &site.module.module_calls.get(name)?.repetition,
            _ => return None,
        };
        let (repeat, written) = match repetition {
            Repetition::Single => (Repeat::Single, None),
            Repetition::Count(_) => (Repeat::Count, Some("count")),
            Repetition::ForEach(_) => (Repeat::ForEach, Some("for_each")),
            Repetition::Enabled(_) => return None,
        };
        let written = written.and_then(|name| site.block.body.attribute(name));
        // An override file may have it.
        (written.is_some() == (repeat != Repeat::Single)).then_some(Subject {
            object,
            repeat,
            written: written.map(|it| &**it),
            decl: site.decl()?,
        })
    }

    fn title(&self, to: Repeat) -> String {
        let what = match &self.object {
            SymbolObject::ModuleCall(call) => format!("module.{call}"),
            object => object.described(),
        };
        match (self.repeat, to) {
            (Repeat::Single, Repeat::Count) => format!("Add count to {what}"),
            (Repeat::Single, _) => format!("Add for_each to {what}"),
            (Repeat::Count, Repeat::Single) => format!("Remove count from {what}"),
            (_, Repeat::Single) => format!("Remove for_each from {what}"),
            (_, Repeat::Count) => format!("Convert for_each of {what} to count"),
            (_, Repeat::ForEach) => format!("Convert count of {what} to for_each"),
        }
    }

    /// The keys that the instances have now, in every instance of the module.
    fn keys(
        &self,
        scene: &RefactoringContext<'_>,
        site: &Site<'_>,
    ) -> Result<Vec<InstanceKey>, Refusal> {
        let mut found: Option<Vec<InstanceKey>> = None;
        for (instance, plan) in instances(scene, site) {
            let keys = match &self.object {
                SymbolObject::Resource(addr) => of_resource(plan, &instance, addr),
                object => of_call(plan, &instance, object.name()),
            };
            let keys = keys.ok_or(Refusal::UnknownInstances(self.object.described()))?;
            match &found {
                Some(known) if *known != keys => {
                    return Err(Refusal::VariousInstances(self.object.described()));
                }
                _ => found = Some(keys),
            }
        }
        found.ok_or(Refusal::UnknownInstances(self.object.described()))
    }
}

pub(crate) fn of_resource(
    plan: &Plan,
    module: &ModuleInstanceAddr,
    addr: &ResourceAddr,
) -> Option<Vec<InstanceKey>> {
    let resource = plan.resources.get(&module.resource(addr.clone()))?;
    let keys = resource.instances.iter().map(|it| it.key.clone());
    // The others are to be deleted.
    let keys: Vec<_> = keys
        .filter(|key| resource.config_value(key).is_some())
        .collect();
    (!keys.is_empty()).then_some(keys)
}

pub(crate) fn of_call(
    plan: &Plan,
    module: &ModuleInstanceAddr,
    call: &SmolStr,
) -> Option<Vec<InstanceKey>> {
    let all = plan.instances_of(&module.module().child(call.clone()));
    let own = all.into_iter().filter_map(|instance| {
        let (last, around) = instance.steps().split_last()?;
        (around == module.steps()).then(|| last.key.clone())
    });
    let keys: Vec<_> = own.collect();
    (!keys.is_empty()).then_some(keys)
}

/// Gives the block at a place instances in another way.
pub(crate) fn repeat(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    to: Repeat,
) -> Result<Refactoring, Refusal> {
    let subject = Subject::of(site).filter(|it| it.repeat != to);
    let subject = subject.ok_or(Refusal::NoName)?;
    let keys = match subject.repeat {
        Repeat::Single => vec![InstanceKey::None],
        Repeat::Count | Repeat::ForEach => subject.keys(scene, site)?,
    };
    let change = RepetitionChange::new(scene, site, &subject, to, keys)?;
    let mut edits = Edits::default();
    change.write_argument(&mut edits, site, &subject);
    change.rewrite_body(&mut edits, site, &subject);
    change.rewrite_uses(&mut edits, scene.modules, site, &subject)?;
    Ok(Refactoring {
        title: subject.title(to),
        edits,
        moves: change.moves(site, &subject),
    })
}

/// The new keys, and the new names that a repeated block may use.
struct RepetitionChange {
    /// In the order of an index.
    keys: Vec<(InstanceKey, InstanceKey)>,
    /// The new argument; `None`: it is removed.
    argument: Option<String>,
    /// The replacements of `count.index`, `each.key` and `each.value`.
    names: Vec<(&'static str, String)>,
    /// The replacement of `LIST[count.index]`, where that is the whole point of the index.
    elements: Option<(String, &'static str)>,
    /// The replacement of a use of all instances: `{}` stands for its address.
    whole: String,
    from: Repeat,
}

/// The expression of `count` or `for_each`.
struct Repeated<'a> {
    scene: &'a RefactoringContext<'a>,
    site: &'a Site<'a>,
    expr: &'a Expr,
    /// Its text.
    written: &'a str,
}

impl Repeated<'_> {
    fn is_set(&self) -> bool {
        let mut values = values(self.scene, self.site, self.expr).into_iter();
        of_set(self.expr).is_some() || values.any(|value| value.ty().is_set())
    }
}

impl RepetitionChange {
    fn new(
        scene: &RefactoringContext<'_>,
        site: &Site<'_>,
        subject: &Subject<'_>,
        to: Repeat,
        keys: Vec<InstanceKey>,
    ) -> Result<RepetitionChange, Refusal> {
        let change = RepetitionChange {
            keys: Vec::new(),
            argument: None,
            names: Vec::new(),
            elements: None,
            whole: String::new(),
            from: subject.repeat,
        };
        let Some(written) = subject.written else {
            return Ok(change.of_single(subject, to, keys));
        };
        let repeated = Repeated {
            scene,
            site,
            expr: &written.expr,
            written: site.text(written.expr.range),
        };
        match to {
            Repeat::Single => change.into_single(&repeated, subject, keys),
            Repeat::ForEach => Ok(change.into_for_each(&repeated, keys)),
            Repeat::Count => Ok(change.into_count(&repeated, keys)),
        }
    }

    fn with_keys(self, old: Vec<InstanceKey>, new: Vec<InstanceKey>) -> RepetitionChange {
        RepetitionChange {
            keys: old.into_iter().zip(new).collect(),
            ..self
        }
    }

    /// A block that is not repeated yet.
    fn of_single(
        self,
        subject: &Subject<'_>,
        to: Repeat,
        keys: Vec<InstanceKey>,
    ) -> RepetitionChange {
        if to != Repeat::ForEach {
            let change = RepetitionChange {
                argument: Some("count = 1".to_owned()),
                whole: "{}[0]".to_owned(),
                ..self
            };
            return change.with_keys(keys, vec![InstanceKey::Int(0)]);
        }
        let key = subject.object.name();
        let new = InstanceKey::String(key.clone());
        let change = RepetitionChange {
            argument: Some(format!("for_each = toset([{}])", quote(key))),
            whole: format!("{{}}{new}"),
            ..self
        };
        change.with_keys(keys, vec![new])
    }

    fn into_single(
        self,
        repeated: &Repeated<'_>,
        subject: &Subject<'_>,
        keys: Vec<InstanceKey>,
    ) -> Result<RepetitionChange, Refusal> {
        let [key] = keys.as_slice() else {
            return Err(Refusal::ManyInstances(
                subject.object.described(),
                keys.len(),
            ));
        };
        let key = match key {
            InstanceKey::None => String::new(),
            InstanceKey::Int(index) => index.to_string(),
            InstanceKey::String(key) => quote(key),
        };
        let (names, whole) = match self.from {
            Repeat::Count => (vec![("index", key)], "[{}]".to_owned()),
            _ => {
                let of_map = || format!("({})[{key}]", repeated.written);
                let value = match repeated.is_set() {
                    true => key.clone(),
                    false => only_value(repeated.site, repeated.expr).unwrap_or_else(of_map),
                };
                let whole = format!("{{ {key} = {{}} }}");
                (vec![("key", key), ("value", value)], whole)
            }
        };
        let change = RepetitionChange {
            names,
            whole,
            ..self
        };
        Ok(change.with_keys(keys, vec![InstanceKey::None]))
    }

    fn into_for_each(self, repeated: &Repeated<'_>, keys: Vec<InstanceKey>) -> RepetitionChange {
        let (written, count) = (repeated.written, keys.len());
        let listed = listed(repeated.scene, repeated.site, repeated.expr);
        if let Some((list, new)) = listed.filter(|(_, new)| new.len() == count) {
            let whole = match new.is_sorted() {
                true => "values({})".to_owned(),
                false => format!("[for key in {list} : {{}}[key]]"),
            };
            let new = new.into_iter().map(InstanceKey::String).collect();
            let change = RepetitionChange {
                argument: Some(format!("for_each = toset({list})")),
                names: vec![("index", format!("index({list}, each.key)"))],
                whole,
                elements: Some((list, "each.value")),
                ..self
            };
            return change.with_keys(keys, new);
        }
        let is_number = matches!(&repeated.expr.kind, ExprKind::Number(_));
        let argument = match is_number {
            true => {
                let keys = (0..count).map(|it| format!("\"{it}\""));
                format!(
                    "for_each = toset([{}])",
                    keys.collect::<Vec<_>>().join(", ")
                )
            }
            false => {
                format!("for_each = toset([for index in range({written}) : tostring(index)])")
            }
        };
        let whole = match is_number && count <= 10 {
            true => "values({})".to_owned(),
            false => format!("[for index in range({written}) : {{}}[index]]"),
        };
        let new = (0..count).map(|it| InstanceKey::String(it.to_string().into()));
        let change = RepetitionChange {
            argument: Some(argument),
            names: vec![("index", "tonumber(each.key)".to_owned())],
            whole,
            ..self
        };
        change.with_keys(keys, new.collect())
    }

    fn into_count(self, repeated: &Repeated<'_>, keys: Vec<InstanceKey>) -> RepetitionChange {
        let (written, is_set) = (repeated.written, repeated.is_set());
        let list = match (is_set, of_set(repeated.expr).and_then(literals)) {
            (true, Some(mut keys)) => {
                keys.sort();
                keys.dedup();
                let keys: Vec<String> = keys.iter().map(|it| quote(it)).collect();
                format!("[{}]", keys.join(", "))
            }
            (true, None) => format!("tolist({written})"),
            (false, _) => format!("keys({written})"),
        };
        let value = match is_set {
            true => format!("{list}[count.index]"),
            false => format!("values({written})[count.index]"),
        };
        let length = match is_set && list.starts_with('[') {
            true => keys.len().to_string(),
            false => format!("length({written})"),
        };
        let new = (0..).map(InstanceKey::Int).take(keys.len()).collect();
        let change = RepetitionChange {
            argument: Some(format!("count = {length}")),
            names: vec![("key", format!("{list}[count.index]")), ("value", value)],
            whole: format!("zipmap({list}, {{}})"),
            ..self
        };
        change.with_keys(keys, new)
    }

    fn moves(&self, site: &Site<'_>, subject: &Subject<'_>) -> Vec<Move> {
        let root = ModuleInstanceAddr::root;
        let end = |key: &InstanceKey| match &subject.object {
            SymbolObject::Resource(addr) if *key == InstanceKey::None => {
                Target::Resource(root().resource(addr.clone()))
            }
            SymbolObject::Resource(addr) => {
                Target::Instance(root().resource(addr.clone()).instance(key.clone()))
            }
            call => Target::Module(root().child(call.name().clone(), key.clone())),
        };
        let moves = self.keys.iter().map(|(old, new)| Move {
            dir: site.dir.clone(),
            from: end(old),
            to: end(new),
        });
        moves.collect()
    }

    fn write_argument(&self, edits: &mut Edits, site: &Site<'_>, subject: &Subject<'_>) {
        match (subject.written, &self.argument) {
            (Some(written), Some(argument)) => {
                edits.replace(site.file, site.absolute(written.range), argument);
            }
            (Some(written), None) => {
                let lines = site.lines_of(site.absolute(written.range));
                edits.replace(site.file, lines, "");
            }
            (None, Some(argument)) => {
                let (Some(open), Some(close)) = (site.block.open_brace, site.block.close_brace)
                else {
                    return;
                };
                let inside = TextRange::new(open.end(), close.start());
                let written = site.text(inside);
                let (range, text) = match written.contains('\n') {
                    true if written.trim().is_empty() => (inside, format!("\n  {argument}\n")),
                    true => {
                        let at = TextRange::empty(open.end());
                        (at, format!("\n  {argument}\n"))
                    }
                    false if written.trim().is_empty() => (inside, format!("\n  {argument}\n")),
                    false => (inside, format!("\n  {argument}\n\n  {}\n", written.trim())),
                };
                edits.replace(site.file, site.absolute(range), text);
            }
            (None, None) => {}
        }
    }
}
