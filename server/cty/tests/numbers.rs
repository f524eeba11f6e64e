//! Numbers agree with the reference implementation's, on recorded answers (see data/numbers.go).

use cty::{Number, Value};

fn operand(text: &str) -> Value {
    let number = match text.split_at(2) {
        ("i:", integer) => Number::from(integer.parse::<i64>().unwrap()),
        ("f:", float) => Number::try_from(float.parse::<f64>().unwrap()).unwrap(),
        (_, decimal) => Number::parse(decimal).unwrap(),
    };
    Value::number(number)
}

#[test]
fn arithmetic_and_text_are_those_of_the_reference() {
    let mut count = 0;
    let mut failures = Vec::new();
    for row in include_str!("data/numbers.tsv").lines() {
        let [op, a, b, want, precision] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {row}");
        };
        let (x, y) = (
            operand(a),
            if b.is_empty() {
                Value::int(0)
            } else {
                operand(b)
            },
        );
        let (m, n) = (x.as_number().unwrap(), y.as_number().unwrap());
        let arithmetic = |result: Result<Value, _>| match result {
            Ok(value) => (
                value.as_number().unwrap().to_string(),
                value.as_number().unwrap().precision(),
            ),
            Err(_) => ("NaN".to_string(), 0),
        };
        let got = match op {
            "text" => (m.to_string(), m.precision()),
            "general" => (m.to_general(Some(10)), 0),
            "scientific" => (m.to_scientific(None), 0),
            "fixed3" => (m.to_fixed(3), 0),
            "float" => (format!("{:x}", m.to_f64().to_bits()), 0),
            "compare" => ((m.compare(n) as i8).to_string(), 0),
            "equal" => ((m == n).to_string(), 0),
            "add" => arithmetic(x.add(&y)),
            "sub" => arithmetic(x.sub(&y)),
            "mul" => arithmetic(x.mul(&y)),
            "div" => arithmetic(x.div(&y)),
            "rem" => arithmetic(x.rem(&y)),
            other => panic!("operation {other}"),
        };
        count += 1;
        if got != (want.to_string(), precision.parse().unwrap()) {
            failures.push(format!(
                "{op} {a} {b}\n   got {got:?}\n  want {want:?} {precision}"
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count}\n{}",
        failures.len(),
        failures.join("\n")
    );
}
