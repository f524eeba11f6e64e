//! Sets: `setunion`, `setintersection`, `setsubtract`, `setproduct`.

use cty::{Marks, Type, Value, ValueSet, budget, convert, unify_unsafe};

use super::elements;
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    let set = |name| Param::new(name, Type::set(Type::Dynamic)).or_dynamic();
    vec![
        Function::new("setintersection", setintersection)
            .takes(set("first_set"))
            .takes_more(set("other_sets"))
            .returns_of(common_type)
            .not_null(),
        Function::new("setproduct", setproduct)
            .takes_more(Param::any("sets").or_marked().or_unknown())
            .returns_of(setproduct_type)
            .not_null(),
        Function::new("setsubtract", setsubtract)
            .takes(set("a"))
            .takes(set("b"))
            .returns_of(common_type)
            .not_null(),
        Function::new("setunion", setunion)
            .takes(set("first_set"))
            .takes_more(set("other_sets"))
            .returns_of(common_type)
            .not_null(),
    ]
}

/// The type of sets that all arguments can become. An empty set of no particular type fits anywhere.
fn common_type(args: &[Value]) -> Result<Type, CallError> {
    let types: Vec<Type> = args
        .iter()
        .filter_map(|arg| Some((arg, arg.ty().element_type()?)))
        .filter(|(arg, element)| {
            !(element.is_dynamic() && arg.is_known() && elements(arg).is_empty())
        })
        .map(|(_, element)| element.clone())
        .collect();
    if types.is_empty() {
        return Ok(Type::set(Type::Dynamic));
    }
    match unify_unsafe(&types) {
        Some(element) => Ok(Type::set(element)),
        None => Err("given sets must all have compatible element types".into()),
    }
}

fn converted(args: &[Value], ty: &Type) -> Result<Vec<Value>, CallError> {
    args.iter()
        .enumerate()
        .map(|(index, arg)| convert(arg, ty).map_err(|error| CallError::argument(index, error)))
        .collect()
}

fn element_type(ty: &Type) -> Type {
    ty.element_type().cloned().unwrap_or(Type::Dynamic)
}

fn setunion(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let sets = converted(args, ty)?;
    Ok(Value::set(
        element_type(ty),
        sets.iter().flat_map(elements).cloned().collect(),
    ))
}

fn setintersection(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    filtered(args, ty, true)
}

fn setsubtract(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    filtered(args, ty, false)
}

/// The elements of the first set that are in all other sets, or in none of them. Unknown elements may
/// turn out to be any other, so that nothing is certain while there are some.
fn filtered(args: &[Value], ty: &Type, keep_if_in_others: bool) -> Result<Value, CallError> {
    let sets = converted(args, ty)?;
    if !sets.iter().all(Value::is_wholly_known) {
        return Ok(Value::unknown(ty.clone()));
    }
    let Some((first, others)) = sets.split_first() else {
        return Ok(Value::unknown(ty.clone()));
    };
    let others: Vec<ValueSet> = others
        .iter()
        .map(|other| {
            let mut set = ValueSet::new();
            for element in elements(other) {
                set.insert(element.clone());
            }
            set
        })
        .collect();
    let kept = elements(first)
        .iter()
        .filter(|element| {
            others
                .iter()
                .all(|other| other.contains(element) == keep_if_in_others)
        })
        .cloned()
        .collect();
    Ok(Value::set(element_type(ty), kept))
}

fn setproduct_type(args: &[Value]) -> Result<Type, CallError> {
    if args.len() < 2 {
        return Err("at least two arguments are required".into());
    }
    let mut types = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        types.push(match arg.ty() {
            Type::Set(element) | Type::List(element) => (**element).clone(),
            Type::Tuple(elements) if elements.is_empty() => Type::Dynamic,
            Type::Tuple(elements) => unify_unsafe(elements).ok_or_else(|| {
                CallError::argument(index, "all elements must be of the same type")
            })?,
            _ => return Err(CallError::argument(index, "a set or a list is required")),
        });
    }
    match args.iter().any(|arg| arg.ty().is_set()) {
        true => Ok(Type::set(Type::tuple(types))),
        false => Ok(Type::list(Type::tuple(types))),
    }
}

fn setproduct(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut marks = Marks::new();
    let mut factors = Vec::new();
    for arg in args {
        let (arg, arg_marks) = arg.unmark();
        marks.extend(arg_marks);
        factors.push(arg);
    }
    let has_unknown_length = factors
        .iter()
        .any(|factor| !factor.is_known() || !factor.length().is_ok_and(|length| length.is_known()));
    if has_unknown_length {
        return Ok(unknown_product(&factors, ty).mark_all(&marks));
    }
    let element = element_type(ty);
    let types = element.tuple_elements().unwrap_or_default();
    let mut columns = Vec::new();
    for (index, (factor, ty)) in factors.iter().zip(types).enumerate() {
        let column = elements(factor)
            .iter()
            .map(|element| convert(element, ty).map_err(|error| CallError::argument(index, error)))
            .collect::<Result<Vec<_>, _>>()?;
        columns.push(column);
    }
    let size = columns
        .iter()
        .try_fold(1_usize, |size, column| size.checked_mul(column.len()));
    if size.is_none_or(|size| size > MAX_ROWS) {
        return Err(format!("the product has more than {MAX_ROWS} elements").into());
    }
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for (width, column) in (1..).zip(&columns) {
        budget::allocate(rows.len() * column.len() * width * size_of::<Value>());
        rows = rows
            .iter()
            .flat_map(|row| {
                column
                    .iter()
                    .map(move |value| row.iter().chain([value]).cloned().collect())
            })
            .collect();
    }
    let tuples = rows.into_iter().map(Value::tuple).collect();
    let product = match ty.is_list() {
        true => Value::list(element, tuples),
        false => Value::set(element, tuples),
    };
    Ok(product.mark_all(&marks))
}

/// Products larger than this are a mistake, and would cost all memory.
const MAX_ROWS: usize = 1 << 20;

/// Bounds above these are not worth tracking.
const MAX_FACTOR: u64 = 1024;
const MAX_PRODUCT: u64 = 2048;

/// A product of factors some of which have no known length, refined by the lengths they can have.
fn unknown_product(factors: &[Value], ty: &Type) -> Value {
    let product = Value::unknown(ty.clone());
    let mut most = 1;
    for factor in factors {
        let length = match factor.ty().tuple_elements() {
            Some(types) => Some(types.len() as u64),
            // Unknown elements may turn out to be equal; that bounds nothing here.
            None if factor.is_known() => factor.length_int().map(|length| length as u64),
            None => factor.range().length_upper_bound(),
        };
        match length.filter(|length| *length <= MAX_FACTOR) {
            Some(length) => most *= length,
            None => return product,
        }
        if most > MAX_PRODUCT {
            return product;
        }
    }
    match most {
        0 => product.refine().length(0).build(),
        _ => product
            .refine()
            .length_lower_bound(1)
            .length_upper_bound(most)
            .build(),
    }
}
