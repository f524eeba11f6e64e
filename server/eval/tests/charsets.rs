//! Every charset that Terraform knows, as it answered: `charsets/record` asks it again. What is long is recorded as a
//! digest; `charsets/record STEP` writes the answers for any step, and `PLANLENS_CHARSETS` names such a file to compare with.

use eval::{EvalContext, Functions, Variables, evaluate};
use serde_json::Value as Json;

#[test]
fn charsets_have_the_characters_and_codes_of_terraform() {
    let recorded = match std::env::var_os("PLANLENS_CHARSETS") {
        Some(path) => std::fs::read_to_string(path).unwrap(),
        None => include_str!("charsets/recorded.json").to_owned(),
    };
    let recorded: Json = serde_json::from_str(&recorded).unwrap();
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(Variables::new(), &functions);
    let mut wrong = Vec::new();
    for (charset, answers) in recorded["answers"].as_object().unwrap() {
        for (what, expression) in recorded["expressions"].as_object().unwrap() {
            let expression = (expression.as_str().unwrap())
                .replace("CHARSET", charset)
                .replace("STEP", &recorded["step"].to_string());
            let parsed = syntax::parse_expression(&format!("jsonencode({expression})"));
            assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
            let evaluated = evaluate(&parsed.tree, &context);
            assert!(evaluated.problems.is_empty(), "{:?}", evaluated.problems);
            let answer: Json = serde_json::from_str(evaluated.value.as_str().unwrap()).unwrap();
            if answer != answers[what] {
                wrong.push(format!(
                    "{charset}: {what}\n  terraform: {}\n  planlens:  {answer}",
                    answers[what]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(recorded["answers"].as_object().unwrap().len(), 57);
}
