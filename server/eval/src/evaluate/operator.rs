//! Unary and binary operators.

use config::language_release::feature;
use cty::{Marks, Number, Type, Value, convert};
use syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use text::{Problem, TextRange};

use super::eval;
use crate::EvalContext;
use crate::problem::Problems;
use crate::wording::{why, wrong_type};

/// Evaluates a left-leaning row of operators (`a + b + c`) without nesting: it may be thousands long.
#[inline(never)]
pub(super) fn binary_chain(
    expr: &Expr,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let mut row = Vec::new();
    let mut leftmost = expr;
    while let ExprKind::Binary {
        op, left, right, ..
    } = &leftmost.kind
    {
        row.push((*op, &**left, &**right, leftmost.range));
        leftmost = left;
    }
    let point = problems.here();
    let mut value = eval(leftmost, context, problems);
    let mut left_problems = problems.split_off(point);
    for (op, left, right, range) in row.into_iter().rev() {
        let right_value = eval(right, context, problems);
        let right_problems = problems.split_off(point);
        let operation = Operation {
            op,
            left,
            right,
            range,
        };
        (value, left_problems) = operation.apply(
            Operand(value, left_problems),
            Operand(right_value, right_problems),
            context,
        );
    }
    problems.0.extend(left_problems);
    value
}

struct Operation<'a> {
    op: BinaryOp,
    left: &'a Expr,
    right: &'a Expr,
    range: TextRange,
}

/// A value and the errors on the way to it.
struct Operand(Value, Vec<Problem>);

impl Operation<'_> {
    fn apply(
        &self,
        left: Operand,
        right: Operand,
        context: &EvalContext<'_>,
    ) -> (Value, Vec<Problem>) {
        let mut wrong_types = Vec::new();
        let left_value = self.operand(&left.0, "left", self.left, &mut wrong_types);
        let right_value = self.operand(&right.0, "right", self.right, &mut wrong_types);
        let is_logical = matches!(self.op, BinaryOp::And | BinaryOp::Or);
        if is_logical
            && context.profile().has(feature::SHORT_CIRCUIT)
            && wrong_types.is_empty()
            && let Some(result) = self.short_circuit(&left_value, &right_value, &left.1)
        {
            let marked = result.0.with_same_marks([&left_value, &right_value]);
            let problems = match result.1 {
                Side::Left => left.1,
                Side::Right => right.1,
            };
            return (marked, problems);
        }
        let mut problems = left.1;
        problems.extend(right.1);
        problems.extend(wrong_types);
        if problems.iter().any(Problem::is_error) {
            return (Value::unknown(self.result_type()), problems);
        }
        match self.compute(&left_value, &right_value, context) {
            Ok(value) => (value, problems),
            Err(message) => {
                problems.push(operation_failed(message, self.range));
                (Value::unknown(self.result_type()), problems)
            }
        }
    }

    fn operand(
        &self,
        value: &Value,
        side: &str,
        expr: &Expr,
        problems: &mut Vec<Problem>,
    ) -> Value {
        match self.operand_type() {
            Some(ty) if *value.ty() != ty => convert(value, &ty).unwrap_or_else(|error| {
                let detail = format!(
                    "Unsuitable value for {side} operand: {why}.",
                    why = why(&error)
                );
                let invalid =
                    Problem::error("invalid-operand", "Invalid operand", detail, expr.range);
                problems.push(invalid.with_fault(wrong_type(value, &ty)));
                Value::dynamic()
            }),
            _ => value.clone(),
        }
    }

    /// `None`: values of any type.
    fn operand_type(&self) -> Option<Type> {
        match self.op {
            BinaryOp::Or | BinaryOp::And => Some(Type::Bool),
            BinaryOp::Equal | BinaryOp::NotEqual => None,
            BinaryOp::Greater
            | BinaryOp::GreaterOrEqual
            | BinaryOp::Less
            | BinaryOp::LessOrEqual => Some(Type::Number),
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo => Some(Type::Number),
        }
    }

    fn result_type(&self) -> Type {
        match self.op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo => Type::Number,
            _ => Type::Bool,
        }
    }

    fn compute(
        &self,
        left: &Value,
        right: &Value,
        context: &EvalContext<'_>,
    ) -> Result<Value, String> {
        let say = |error: cty::OpError| error.to_string();
        match self.op {
            BinaryOp::Equal => Ok(compared(left.equals(right), left, right, context)),
            BinaryOp::NotEqual => Ok(compared(left.not_equals(right), left, right, context)),
            _ if left.is_null() || right.is_null() => Err("argument must not be null".into()),
            BinaryOp::Greater => left.gt(right).map_err(say),
            BinaryOp::GreaterOrEqual => left.ge(right).map_err(say),
            BinaryOp::Less => left.lt(right).map_err(say),
            BinaryOp::LessOrEqual => left.le(right).map_err(say),
            BinaryOp::And | BinaryOp::Or if !left.is_known() || !right.is_known() => {
                Ok(unknown_logical(left, right, context))
            }
            BinaryOp::And => left.and(right).map_err(say),
            BinaryOp::Or => left.or(right).map_err(say),
            BinaryOp::Add => arithmetic(
                left,
                right,
                Number::add,
                "can't compute sum of opposing infinities",
            ),
            BinaryOp::Subtract => arithmetic(
                left,
                right,
                Number::sub,
                "can't subtract infinity from itself",
            ),
            BinaryOp::Multiply => {
                arithmetic(left, right, Number::mul, "can't multiply zero by infinity")
            }
            BinaryOp::Divide => arithmetic(
                left,
                right,
                Number::div,
                "can't divide zero by zero or infinity by infinity",
            ),
            BinaryOp::Modulo => arithmetic(
                left,
                right,
                remainder,
                "can't use modulo with zero and infinity",
            ),
        }
    }

    /// The result that one operand alone decides, and the side whose problems count. Null counts as false.
    ///
    /// Follows `OpLogicalAnd` and `OpLogicalOr` of HCL's `hclsyntax/expression_ops.go`.
    fn short_circuit(
        &self,
        left: &Value,
        right: &Value,
        left_problems: &[Problem],
    ) -> Option<(Value, Side)> {
        let deciding = self.op == BinaryOp::Or;
        let decides = |it: &Value| (it.as_bool() == Some(true)) == deciding;
        let unknown = || Value::unknown(Type::Bool).refine_not_null();
        let (left, _) = left.unmark();
        let (right, _) = right.unmark();
        match (left.is_known(), right.is_known()) {
            (false, false) => {
                let has_errors = left_problems.iter().any(Problem::is_error);
                (!has_errors).then(|| (unknown(), Side::Left))
            }
            (true, _) if decides(&left) => Some((Value::bool(deciding), Side::Left)),
            (_, true) if decides(&right) => Some((Value::bool(deciding), Side::Right)),
            (false, true) => Some((unknown(), Side::Left)),
            (true, false) => Some((unknown(), Side::Right)),
            (true, true) => None,
        }
    }
}

enum Side {
    Left,
    Right,
}

/// Up to Terraform 1.14 marks inside an operand count even where null is compared with another value.
fn compared(result: Value, left: &Value, right: &Value, context: &EvalContext<'_>) -> Value {
    match context.profile().has(feature::SHALLOW_NULL_COMPARISON) {
        true => result,
        false => result
            .mark_all(&left.unmark_deep().1)
            .mark_all(&right.unmark_deep().1),
    }
}

/// Up to Terraform 1.11 the marks of the operands do not reach an unknown result.
fn unknown_logical(left: &Value, right: &Value, context: &EvalContext<'_>) -> Value {
    let unknown = Value::unknown(Type::Bool).refine_not_null();
    match context.profile().has(feature::SHORT_CIRCUIT) {
        true => unknown.with_same_marks([left, right]),
        false => unknown,
    }
}

fn arithmetic(
    left: &Value,
    right: &Value,
    compute: fn(&Number, &Number) -> Option<Number>,
    not_a_number: &str,
) -> Result<Value, String> {
    let (left, mut marks): (Value, Marks) = left.unmark();
    let (right, right_marks) = right.unmark();
    marks.extend(right_marks);
    let result = match (left.as_number(), right.as_number()) {
        (Some(left), Some(right)) => Value::number(compute(left, right).ok_or(not_a_number)?),
        _ => Value::unknown(Type::Number).refine_not_null(),
    };
    Ok(result.mark_all(&marks))
}

/// The remainder of a division by zero is the dividend; with an infinite number there is no result.
fn remainder(left: &Number, right: &Number) -> Option<Number> {
    match right.is_zero() {
        true => Some(left.clone()),
        false if left.is_infinite() || right.is_infinite() => None,
        false => left.rem(right),
    }
}

#[inline(never)]
pub(super) fn unary(
    op: UnaryOp,
    operand: &Expr,
    range: TextRange,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let ty = match op {
        UnaryOp::Negate => Type::Number,
        UnaryOp::Not => Type::Bool,
    };
    let point = problems.here();
    let given = eval(operand, context, problems);
    let value = convert(&given, &ty).unwrap_or_else(|error| {
        let detail = format!(
            "Unsuitable value for unary operand: {why}.",
            why = why(&error)
        );
        problems.error("invalid-operand", "Invalid operand", detail, operand.range);
        Value::dynamic()
    });
    if problems.has_errors_since(point) {
        return Value::unknown(ty);
    }
    if value.is_null() {
        problems
            .0
            .push(operation_failed("argument must not be null".into(), range));
        return Value::unknown(ty);
    }
    if !value.is_known() {
        return Value::unknown(ty).refine_not_null();
    }
    let result = match op {
        UnaryOp::Negate => value.neg(),
        UnaryOp::Not => value.not(),
    };
    result.unwrap_or_else(|error| {
        problems.0.push(operation_failed(error.to_string(), range));
        Value::unknown(ty)
    })
}

fn operation_failed(message: String, range: TextRange) -> Problem {
    let detail = format!("Error during operation: {message}.");
    Problem::error("operation-failed", "Operation failed", detail, range)
}
