//! The one type that several types convert to.

use std::cmp::Ordering;
use std::mem::discriminant;

use crate::convert::exists;
use crate::{Type, budget};

/// The type to which values of all `types` convert without loss. `None`: there is none, or no types.
pub fn unify(types: &[Type]) -> Option<Type> {
    unified(types, false)
}

/// `unify` that also allows conversions which fail for some values (string to number).
pub fn unify_unsafe(types: &[Type]) -> Option<Type> {
    unified(types, true)
}

pub(crate) fn unified(types: &[Type], is_unsafe: bool) -> Option<Type> {
    budget::spend(types.len());
    if let [first, others @ ..] = types
        && first.is_primitive()
        && others.iter().all(|ty| ty == first)
    {
        return Some(first.clone());
    }
    let has = |kind: fn(&Type) -> bool| types.iter().any(kind);
    let all_or_dynamic = |kinds: &[fn(&Type) -> bool]| {
        types
            .iter()
            .all(|ty| ty.is_dynamic() || kinds.iter().any(|kind| kind(ty)))
    };
    let first = types.iter().find(|ty| !ty.is_dynamic());
    if let Some(first) = first.filter(|ty| ty.is_collection() || ty.is_structural())
        && types
            .iter()
            .all(|ty| ty.is_dynamic() || discriminant(ty) == discriminant(first))
    {
        // What the dynamic one turns out to be is not known, so nothing is known of the result.
        return match first {
            _ if has(Type::is_dynamic) => Some(Type::Dynamic),
            Type::Map(_) => collection(types, Type::map, is_unsafe),
            Type::List(_) => collection(types, Type::list, is_unsafe),
            Type::Set(_) => collection(types, Type::set, is_unsafe),
            Type::Object(_) => objects(types, is_unsafe),
            _ => tuples(types, is_unsafe),
        };
    }
    if has(Type::is_map) && all_or_dynamic(&[Type::is_map, Type::is_object]) {
        if let Some(ty) = with_structural(types, Type::is_object, as_map, is_unsafe) {
            return Some(ty);
        }
    } else if has(Type::is_list) && all_or_dynamic(&[Type::is_list, Type::is_tuple]) {
        if let Some(ty) = with_structural(types, Type::is_tuple, as_list, is_unsafe) {
            return Some(ty);
        }
    } else if has(Type::is_object) && has(Type::is_tuple) {
        return None;
    }
    let mut candidates = by_preference(types).into_iter().map(|at| &types[at]);
    candidates
        .find(|wanted| {
            types
                .iter()
                .all(|ty| ty == *wanted || exists(ty, wanted, is_unsafe))
        })
        .cloned()
}

/// Collections of one kind: of the unified element type.
fn collection(types: &[Type], of: fn(Type) -> Type, is_unsafe: bool) -> Option<Type> {
    let elements: Vec<_> = types
        .iter()
        .filter_map(Type::element_type)
        .cloned()
        .collect();
    let ty = of(unified(&elements, is_unsafe)?);
    all_convert(types, &ty, is_unsafe).then_some(ty)
}

/// Objects: attribute by attribute if they have the same, else a map.
fn objects(types: &[Type], is_unsafe: bool) -> Option<Type> {
    let all: Vec<_> = types.iter().filter_map(Type::attributes).collect();
    let first = *all.first()?;
    if !all
        .iter()
        .all(|attributes| attributes.keys().eq(first.keys()))
    {
        return as_map(types, is_unsafe);
    }
    let mut attributes = Vec::new();
    for name in first.keys() {
        let across: Vec<_> = all
            .iter()
            .filter_map(|attributes| attributes.get(name).cloned())
            .collect();
        attributes.push((name, unified(&across, is_unsafe)?));
    }
    let ty = Type::object(attributes);
    match all_convert(types, &ty, is_unsafe) {
        true => Some(ty),
        false => as_map(types, is_unsafe),
    }
}

/// Tuples: element by element if they are of one length, else a list.
fn tuples(types: &[Type], is_unsafe: bool) -> Option<Type> {
    let all: Vec<_> = types.iter().filter_map(Type::tuple_elements).collect();
    let first = *all.first()?;
    if !all.iter().all(|elements| elements.len() == first.len()) {
        return as_list(types, is_unsafe);
    }
    let mut elements = Vec::new();
    for at in 0..first.len() {
        let across: Vec<_> = all.iter().map(|elements| elements[at].clone()).collect();
        elements.push(unified(&across, is_unsafe)?);
    }
    let ty = Type::tuple(elements);
    match all_convert(types, &ty, is_unsafe) {
        true => Some(ty),
        false => as_list(types, is_unsafe),
    }
}

/// The map that all these objects convert to.
fn as_map(types: &[Type], is_unsafe: bool) -> Option<Type> {
    let attributes: Vec<_> = types
        .iter()
        .filter_map(Type::attributes)
        .flat_map(|all| all.values())
        .cloned()
        .collect();
    let ty = Type::map(unified(&attributes, is_unsafe)?);
    all_convert(types, &ty, is_unsafe).then_some(ty)
}

/// The list that all these tuples convert to.
fn as_list(types: &[Type], is_unsafe: bool) -> Option<Type> {
    let elements: Vec<_> = types
        .iter()
        .filter_map(Type::tuple_elements)
        .flatten()
        .cloned()
        .collect();
    let ty = Type::list(unified(&elements, is_unsafe)?);
    all_convert(types, &ty, is_unsafe).then_some(ty)
}

/// Collections together with structural types, which first become such a collection.
fn with_structural(
    types: &[Type],
    is_structural: fn(&Type) -> bool,
    as_collection: fn(&[Type], bool) -> Option<Type>,
    is_unsafe: bool,
) -> Option<Type> {
    let structural: Vec<_> = types
        .iter()
        .filter(|ty| is_structural(ty))
        .cloned()
        .collect();
    let collection = as_collection(&structural, is_unsafe)?;
    let types: Vec<_> = types
        .iter()
        .map(|ty| {
            if is_structural(ty) {
                collection.clone()
            } else {
                ty.clone()
            }
        })
        .collect();
    unified(&types, is_unsafe).filter(Type::is_collection)
}

fn all_convert(types: &[Type], wanted: &Type, is_unsafe: bool) -> bool {
    types
        .iter()
        .all(|ty| ty == wanted || exists(ty, wanted, is_unsafe))
}

/// Indices of the types, those that others rather convert to first; otherwise in their order.
pub(crate) fn by_preference(types: &[Type]) -> Vec<usize> {
    let mut preferred_over: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    let mut before = vec![0; types.len()];
    for i in 0..types.len() {
        budget::spend(types.len() - i);
        for j in i + 1..types.len() {
            let (first, second) = match preference(&types[i], &types[j]) {
                Ordering::Less => (i, j),
                Ordering::Greater => (j, i),
                Ordering::Equal => continue,
            };
            preferred_over[first].push(second);
            before[second] += 1;
        }
    }
    let mut order: Vec<usize> = (0..types.len()).filter(|at| before[*at] == 0).collect();
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        for &other in &preferred_over[at] {
            before[other] -= 1;
            if before[other] == 0 {
                order.push(other);
            }
        }
        next += 1;
    }
    order
}

/// Less: the second type converts to the first rather than the first to the second.
pub(crate) fn preference(a: &Type, b: &Type) -> Ordering {
    use Ordering::{Equal, Greater, Less};
    match (a, b) {
        (Type::Dynamic, Type::Dynamic) => Equal,
        (_, Type::Dynamic) => Less,
        (Type::Dynamic, _) => Greater,
        (Type::String, Type::Number | Type::Bool) => Less,
        (Type::Number | Type::Bool, Type::String) => Greater,
        (Type::List(a), Type::List(b))
        | (Type::Set(a), Type::Set(b))
        | (Type::Map(a), Type::Map(b)) => preference(a, b),
        (Type::List(_), Type::Tuple(_) | Type::Set(_))
        | (Type::Tuple(_), Type::Set(_))
        | (Type::Map(_), Type::Object(_)) => Less,
        (Type::Tuple(_) | Type::Set(_), Type::List(_))
        | (Type::Set(_), Type::Tuple(_))
        | (Type::Object(_), Type::Map(_)) => Greater,
        (Type::Object(a), Type::Object(b)) if a.attributes.keys().eq(b.attributes.keys()) => {
            agreed(a.attributes.values().zip(b.attributes.values()))
        }
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => agreed(a.iter().zip(b.iter())),
        _ => Equal,
    }
}

/// The preference of all pairs, if no two are opposed.
fn agreed<'a>(pairs: impl Iterator<Item = (&'a Type, &'a Type)>) -> Ordering {
    let (mut has_less, mut has_greater) = (false, false);
    for (a, b) in pairs {
        let order = preference(a, b);
        has_less |= order.is_lt();
        has_greater |= order.is_gt();
    }
    match (has_less, has_greater) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}
