//! Making lists from lists: `concat`, `flatten`, `slice`, `sort` and their relatives.

use cty::{Marks, Number, Type, Value, budget, convert, unify_unsafe};

use super::{elements, strings, whole};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::new("chunklist", chunklist)
            .takes(Param::new("list", Type::list(Type::Dynamic)).or_marked())
            .takes(Param::number("size").or_marked())
            .returns_of(|args| Ok(Type::list(args[0].ty().clone())))
            .not_null(),
        Function::new("compact", compact)
            .takes(Param::new("list", Type::list(Type::String)))
            .returns(Type::list(Type::String))
            .not_null(),
        Function::new("concat", concat)
            .takes_more(Param::any("seqs").or_marked())
            .returns_of(concat_type)
            .not_null(),
        Function::new("distinct", distinct)
            .takes(Param::new("list", Type::list(Type::Dynamic)))
            .returns_of(|args| Ok(args[0].ty().clone()))
            .not_null(),
        Function::new("flatten", flatten)
            .takes(Param::any("list").or_marked())
            .returns_of(flatten_type)
            .not_null(),
        Function::new("range", range)
            .takes_more(Param::number("params"))
            .returns(Type::list(Type::Number))
            .not_null(),
        Function::new("reverse", reverse)
            .takes(Param::any("list").or_marked())
            .returns_of(reverse_type)
            .not_null(),
        Function::new("slice", slice)
            .takes(Param::any("list").or_marked())
            .takes(Param::number("start_index"))
            .takes(Param::number("end_index"))
            .returns_of(slice_type)
            .not_null(),
        Function::new("sort", sort)
            .takes(Param::new("list", Type::list(Type::String)).or_unknown())
            .returns(Type::list(Type::String))
            .not_null(),
    ]
}

fn chunklist(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (list, mut marks) = args[0].unmark();
    let (size, size_marks) = args[1].unmark();
    marks.extend(size_marks);
    let size = whole(&size).map_err(|error| format!("invalid size: {error}"))?;
    let Ok(size) = usize::try_from(size) else {
        return Err("the size argument must be positive".into());
    };
    let element = list.ty().element_type().cloned().unwrap_or(Type::Dynamic);
    let chunks = match size {
        0 if elements(&list).is_empty() => Vec::new(),
        0 => vec![list.clone()],
        _ => elements(&list)
            .chunks(size)
            .map(|chunk| Value::list(element.clone(), chunk.to_vec()))
            .collect(),
    };
    Ok(Value::list(list.ty().clone(), chunks).mark_all(&marks))
}

fn compact(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    if !args[0].is_wholly_known() {
        return Ok(Value::unknown(ty.clone()));
    }
    Ok(strings(
        elements(&args[0])
            .iter()
            .filter_map(Value::as_str)
            .filter(|text| !text.is_empty()),
    ))
}

fn concat_type(args: &[Value]) -> Result<Type, CallError> {
    if args.is_empty() {
        return Err("at least one argument is required".into());
    }
    if args.iter().all(|arg| arg.ty().is_list()) {
        let types: Vec<Type> = args.iter().map(|arg| arg.ty().clone()).collect();
        if let Some(common) = unify_unsafe(&types) {
            return Ok(common);
        }
    }
    let mut types = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let (arg, _) = arg.unmark();
        match arg.ty() {
            Type::Tuple(elements) => types.extend(elements.iter().cloned()),
            Type::List(element) => match arg.as_slice() {
                Some(elements) => types.extend(elements.iter().map(|_| (**element).clone())),
                None => return Ok(Type::Dynamic),
            },
            ty => {
                let message = format!(
                    "all arguments must be lists or tuples; got {}",
                    ty.friendly_name()
                );
                return Err(CallError::argument(index, message));
            }
        }
    }
    Ok(Type::tuple(types))
}

fn concat(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut marks = Marks::new();
    let mut all = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let sequence = match ty.is_list() {
            true => convert(arg, ty).map_err(|error| CallError::argument(index, error))?,
            false => arg.clone(),
        };
        let (sequence, sequence_marks) = sequence.unmark();
        marks.extend(sequence_marks);
        let elements = elements(&sequence);
        budget::allocate(size_of_val(elements));
        all.extend_from_slice(elements);
    }
    let result = match ty {
        Type::List(element) => Value::list((**element).clone(), all),
        _ => Value::tuple(all),
    };
    Ok(result.mark_all(&marks))
}

fn distinct(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    if !args[0].is_wholly_known() {
        return Ok(Value::unknown(ty.clone()));
    }
    let mut kept: Vec<Value> = Vec::new();
    for element in elements(&args[0]) {
        if !kept.iter().any(|earlier| earlier.equals(element).as_true()) {
            kept.push(element.clone());
        }
    }
    Ok(Value::list(
        ty.element_type().cloned().unwrap_or(Type::Dynamic),
        kept,
    ))
}

fn flatten_type(args: &[Value]) -> Result<Type, CallError> {
    if !args[0].is_wholly_known() {
        return Ok(Type::Dynamic);
    }
    if !is_sequence(args[0].ty()) {
        return Err("can only flatten lists, sets and tuples".into());
    }
    match flattened(&args[0], &mut Marks::new()) {
        Some(elements) => Ok(Type::tuple(
            elements.iter().map(|element| element.ty().clone()),
        )),
        None => Ok(Type::Dynamic),
    }
}

fn flatten(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut marks = Marks::new();
    let result = match flattened(&args[0], &mut marks) {
        Some(elements) => Value::tuple(elements),
        None => Value::unknown(ty.clone()),
    };
    Ok(result.mark_all(&marks))
}

fn is_sequence(ty: &Type) -> bool {
    ty.is_list() || ty.is_set() || ty.is_tuple()
}

/// All elements of sequences inside sequences in a row, unless their number is not known yet. `marks`
/// gets those of the sequences.
fn flattened(sequence: &Value, marks: &mut Marks) -> Option<Vec<Value>> {
    let (sequence, sequence_marks) = sequence.unmark();
    marks.extend(sequence_marks);
    if !sequence.is_known() || !sequence.length().is_ok_and(|length| length.is_known()) {
        return None;
    }
    let mut all = Some(Vec::new());
    for element in elements(&sequence) {
        budget::spend(1);
        // A value without a type yet may become a sequence.
        let is_open = !element.is_known() && *element.ty() == Type::Dynamic && !element.is_marked();
        let inner = match is_sequence(element.ty()) && !element.is_null() {
            true => flattened(element, marks),
            false => Some(vec![element.clone()]).filter(|_| !is_open),
        };
        match inner {
            Some(inner) => {
                budget::allocate(inner.len() * size_of::<Value>());
                if let Some(all) = &mut all {
                    all.extend(inner);
                }
            }
            None => all = None,
        }
    }
    all
}

fn range(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let number = |index: usize| args.get(index).and_then(|arg| arg.as_number().cloned());
    let zero = Number::from(0_i64);
    let (start, end, step) = match (number(0), number(1), number(2), args.len()) {
        (Some(end), None, None, 1) => {
            let step = if end < zero { -1 } else { 1_i64 };
            (zero.clone(), end, Number::from(step))
        }
        (Some(start), Some(end), None, 2) => {
            let step = if end < start { -1 } else { 1_i64 };
            (start, end, Number::from(step))
        }
        (Some(start), Some(end), Some(step), 3) => (start, end, step),
        _ => return Err("must have one, two, or three arguments".into()),
    };
    let down = step < zero;
    if down && end > start {
        return Err(CallError::argument(
            1,
            "end must be less than start when step is negative",
        ));
    }
    if !down && end < start {
        return Err(CallError::argument(
            1,
            "end must be greater than start when step is positive",
        ));
    }
    let mut numbers = Vec::new();
    let mut number = start;
    while if down { number > end } else { number < end } {
        if numbers.len() >= 1024 {
            return Err(
                "more than 1024 values were generated; either decrease the difference between \
                        start and end or use a smaller step"
                    .into(),
            );
        }
        let next = number.add(&step);
        numbers.push(Value::number(number));
        match next {
            Some(next) => number = next,
            None => break,
        }
    }
    Ok(Value::list(Type::Number, numbers))
}

fn reverse_type(args: &[Value]) -> Result<Type, CallError> {
    match args[0].ty() {
        Type::Tuple(types) => Ok(Type::tuple(types.iter().rev().cloned())),
        Type::List(element) | Type::Set(element) => Ok(Type::list((**element).clone())),
        ty => {
            let message = format!(
                "can only reverse list or tuple values, not {}",
                ty.friendly_name()
            );
            Err(CallError::argument(0, message))
        }
    }
}

fn reverse(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (list, marks) = args[0].unmark();
    let reversed = elements(&list).iter().rev().cloned().collect();
    let result = match ty {
        Type::List(element) => Value::list((**element).clone(), reversed),
        _ => Value::tuple(reversed),
    };
    Ok(result.mark_all(&marks))
}

fn slice_type(args: &[Value]) -> Result<Type, CallError> {
    let ty = args[0].ty();
    if ty.is_set() {
        return Err(CallError::argument(
            0,
            "cannot slice a set, because its elements do not have indices; explicitly convert to a list \
             if the ordering of the result is not important",
        ));
    }
    if !ty.is_list() && !ty.is_tuple() {
        return Err(CallError::argument(0, "must be a list or tuple value"));
    }
    let bounds = slice_bounds(args)?;
    match (ty.tuple_elements(), bounds) {
        (None, _) => Ok(ty.clone()),
        (Some(types), Some((start, end))) => Ok(Type::tuple(
            types.get(start..end).unwrap_or_default().iter().cloned(),
        )),
        (Some(_), None) => Ok(Type::Dynamic),
    }
}

fn slice(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (list, marks) = args[0].unmark();
    let Some((start, end)) = slice_bounds(args)? else {
        return Ok(Value::unknown(ty.clone()).mark_all(&marks));
    };
    let sliced = elements(&list).get(start..end).unwrap_or_default().to_vec();
    let result = match ty {
        Type::List(element) => Value::list((**element).clone(), sliced),
        _ => Value::tuple(sliced),
    };
    Ok(result.mark_all(&marks))
}

/// Where a slice starts and ends, if both are known. A known one is checked.
fn slice_bounds(args: &[Value]) -> Result<Option<(usize, usize)>, CallError> {
    let (list, _) = args[0].unmark();
    let length = match list.ty().tuple_elements() {
        Some(types) => Some(types.len()),
        None => list.length_int(),
    };
    let bound = |index: usize, what: &str| -> Result<Option<usize>, CallError> {
        if !args[index].is_known() {
            return Ok(None);
        }
        let bound = whole(&args[index]).map_err(|error| {
            CallError::argument(index, format!("invalid {what} index: {error}"))
        })?;
        let Ok(bound) = usize::try_from(bound) else {
            return Err(CallError::argument(
                index,
                format!("{what} index must not be less than zero"),
            ));
        };
        if length.is_some_and(|length| bound > length) {
            let message = format!("{what} index must not be greater than the length of the list");
            return Err(CallError::argument(index, message));
        }
        Ok(Some(bound))
    };
    let (Some(start), Some(end)) = (bound(1, "start")?, bound(2, "end")?) else {
        return Ok(None);
    };
    if start > end {
        return Err(CallError::argument(
            1,
            "start index must not be greater than end index",
        ));
    }
    Ok(Some((start, end)))
}

fn sort(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let list = &args[0];
    if !list.is_wholly_known() {
        // The order is not known, but the length stays.
        let range = list.range();
        let sorted = Value::unknown(ty.clone())
            .refine()
            .length_lower_bound(range.length_lower_bound());
        return Ok(match range.length_upper_bound() {
            Some(bound) => sorted.length_upper_bound(bound).build(),
            None => sorted.build(),
        });
    }
    let mut texts = Vec::new();
    for (index, element) in elements(list).iter().enumerate() {
        let Some(text) = element.as_str() else {
            return Err(format!(
                "given list element {index} is null; a null string cannot be sorted"
            )
            .into());
        };
        texts.push(text);
    }
    texts.sort_unstable();
    Ok(strings(texts))
}
