//! The rows of go-cty's table that are about operators: it has a function for each, the language has not.

use config::language_release::Since;
use cty::{Type, Value, convert};
use eval::{CallError, Function, Param, ReturnType, functions};

/// The function that a test is about, and the fields of its arguments.
pub fn operator(test: &str) -> Option<(Function, &'static [&'static str])> {
    const BOTH: &[&str] = &["A", "B"];
    const ONE: &[&str] = &["Input"];
    const KEY: &[&str] = &["Collection", "Key"];
    let number = || param(Type::Number);
    let bool = || marked(param(Type::Bool));
    let compared = || Param {
        allow_unknown: true,
        ..marked(param(Type::Number))
    };
    let any = || param(Type::Dynamic);
    let equal = || Param {
        allow_unknown: true,
        allow_null: true,
        ..any()
    };
    let text = || param(Type::String);
    let set = || param(Type::set(Type::Dynamic));
    let numeric = |params, implementation| function(params, Type::Number, implementation);
    let logical = |params, implementation| function(params, Type::Bool, implementation);
    Some(match test {
        "TestNot" => (logical(vec![bool()], |args, _, _| op(args[0].not())), ONE),
        "TestAnd" => (
            logical(vec![bool(), bool()], |args, _, _| op(args[0].and(&args[1]))),
            BOTH,
        ),
        "TestOr" => (
            logical(vec![bool(), bool()], |args, _, _| op(args[0].or(&args[1]))),
            BOTH,
        ),
        "TestAdd" => (
            numeric(vec![number(), number()], |args, _, _| {
                op(args[0].add(&args[1]))
            }),
            BOTH,
        ),
        "TestSubtract" => (
            numeric(vec![number(), number()], |args, _, _| {
                op(args[0].sub(&args[1]))
            }),
            BOTH,
        ),
        "TestMultiply" => (
            numeric(vec![number(), number()], |args, _, _| {
                op(args[0].mul(&args[1]))
            }),
            BOTH,
        ),
        "TestDivide" => (
            numeric(vec![number(), number()], |args, _, _| {
                op(args[0].div(&args[1]))
            }),
            BOTH,
        ),
        "TestModulo" => (
            numeric(vec![number(), number()], |args, _, _| {
                op(args[0].rem(&args[1]))
            }),
            BOTH,
        ),
        "TestNegate" => (
            numeric(vec![marked(number())], |args, _, _| op(args[0].neg())),
            ONE,
        ),
        "TestInt" => {
            let trunc = numeric(vec![number()], |args, _, _| {
                Ok(Value::number(args[0].as_number().unwrap().trunc()))
            });
            (trunc, ONE)
        }
        "TestLessThan" => (
            logical(vec![compared(), compared()], |args, _, _| {
                op(args[0].lt(&args[1]))
            }),
            BOTH,
        ),
        "TestGreaterThan" => (
            logical(vec![compared(), compared()], |args, _, _| {
                op(args[0].gt(&args[1]))
            }),
            BOTH,
        ),
        "TestLessThanOrEqualTo" => (
            logical(vec![compared(), compared()], |args, _, _| {
                op(args[0].le(&args[1]))
            }),
            BOTH,
        ),
        "TestGreaterThanOrEqualTo" => (
            logical(vec![compared(), compared()], |args, _, _| {
                op(args[0].ge(&args[1]))
            }),
            BOTH,
        ),
        "TestEqual" => (
            logical(vec![equal(), equal()], |args, _, _| {
                Ok(args[0].equals(&args[1]))
            }),
            BOTH,
        ),
        "TestHasIndex" => (
            logical(vec![any(), any()], |args, _, _| {
                op(args[0].has_index(&args[1]))
            }),
            KEY,
        ),
        "TestIndex" => {
            let collection = Param {
                allow_dynamic: false,
                ..any()
            };
            let index = Function {
                return_type: ReturnType::Of(element_type),
                not_null: false,
                ..function(vec![collection, any()], Type::Dynamic, |args, _, _| {
                    op(args[0].index(&args[1]))
                })
            };
            (index, KEY)
        }
        "TestSetSymmetricDifference" => {
            let union = functions::table().get("setunion").unwrap();
            let difference = Function {
                return_type: union.return_type.clone(),
                ..function(vec![set(), set()], Type::Dynamic, |args, ty, context| {
                    let call = |name: &str, a: &Value, b: &Value| {
                        functions::table()
                            .get(name)
                            .unwrap()
                            .call(&[a.clone(), b.clone()], context)
                    };
                    let left = call("setsubtract", &args[0], &args[1])?;
                    let right = call("setsubtract", &args[1], &args[0])?;
                    match left.is_known() && right.is_known() {
                        true => {
                            convert(&call("setunion", &left, &right)?, ty).map_err(CallError::call)
                        }
                        false => Ok(Value::unknown(ty.clone())),
                    }
                })
            };
            (difference, &["InputA", "InputB"])
        }
        "TestRegexReplace" => {
            let replace = function(
                vec![text(), text(), text()],
                Type::String,
                |args, _, context| {
                    let pattern = Value::string(format!("/{}/", args[1].as_str().unwrap()));
                    let args = [args[0].clone(), pattern, args[2].clone()];
                    functions::table()
                        .get("replace")
                        .unwrap()
                        .call(&args, context)
                },
            );
            (replace, &["Input", "Substr", "Replace"])
        }
        _ => return None,
    })
}

fn function(params: Vec<Param>, ty: Type, implementation: eval::Implementation) -> Function {
    Function {
        name: "operator",
        since: Since::ALWAYS,
        params,
        variadic: None,
        return_type: ReturnType::Is(ty),
        implementation,
        not_null: true,
    }
}

fn param(ty: Type) -> Param {
    Param {
        name: "operand",
        ty,
        allow_null: false,
        allow_unknown: false,
        allow_dynamic: true,
        allow_marked: false,
        marks_unknown: false,
    }
}

fn marked(param: Param) -> Param {
    Param {
        allow_marked: true,
        marks_unknown: false,
        ..param
    }
}

fn op(result: Result<Value, cty::OpError>) -> Result<Value, CallError> {
    result.map_err(CallError::call)
}

fn element_type(args: &[Value]) -> Result<Type, CallError> {
    match (args[0].ty(), args[1].as_i64()) {
        (Type::List(element) | Type::Map(element), _) => Ok((**element).clone()),
        (Type::Tuple(types), Some(index)) => types
            .get(index as usize)
            .cloned()
            .ok_or_else(|| "no such element".into()),
        (Type::Tuple(_), None) => Ok(Type::Dynamic),
        _ => Err("collection must be a list, a map or a tuple".into()),
    }
}
