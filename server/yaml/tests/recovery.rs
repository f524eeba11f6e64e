//! Half-typed programs keep every fact outside of the entry that is being typed.

#[path = "typed/mod.rs"]
mod typed;

use std::collections::BTreeSet;

use yaml::{File, Node, NodeKind};

use typed::{LINES, VALUES};

const PROGRAM: &str = r#"name: shop
runtime: yaml
# configuration
config:
  size:
    type: string
    default: small
variables:
  label: ${size}-x
  text: |
    several: lines

    # of text
resources:
  first:
    type: lens:Item
    properties:
      size: ${size}
  # the second
  edited:
    type: lens:Item
    properties:
      size: small
      tags:
        a: b
      rules:
        - protocol: tcp
          port: 80
    options:
      protect: true
  last:
    type: lens:Item
    properties:
      size: ${first.arn}
outputs:
  arn: ${last.arn}
"#;

/// Every section, entry, key and scalar, with its place in the tree.
fn facts(text: &str) -> BTreeSet<String> {
    let file = File::parse(text);
    let mut found = BTreeSet::new();
    for item in file.keys() {
        note(&mut found, item.name(), item.value);
    }
    for section in ["config", "variables", "resources", "outputs"] {
        for item in file.entries(section) {
            note(
                &mut found,
                &format!("{section}.{}", item.name()),
                item.value,
            );
        }
    }
    found
}

fn note(found: &mut BTreeSet<String>, path: &str, node: &Node) {
    match &node.kind {
        NodeKind::Scalar(scalar) => {
            found.insert(format!("{path} = {:?}", scalar.text));
        }
        NodeKind::Alias => {
            found.insert(format!("{path} is an alias"));
        }
        NodeKind::Sequence(elements) => {
            for (index, element) in elements.iter().enumerate() {
                note(found, &format!("{path}[{index}]"), element);
            }
        }
        NodeKind::Mapping(entries) => {
            found.insert(path.to_owned());
            for entry in entries {
                let key = entry.key.text().unwrap_or("?");
                note(found, &format!("{path}.{key}"), &entry.value);
            }
        }
    }
}

/// Without what stands in the entry.
fn outside(facts: &BTreeSet<String>, entry: &str) -> BTreeSet<String> {
    let is_of = |fact: &&String| {
        let rest = fact.strip_prefix(entry);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ' ']))
    };
    facts.iter().filter(|fact| !is_of(fact)).cloned().collect()
}

struct Place {
    /// The line whose value is typed anew, or above which lines are typed.
    line: &'static str,
    entry: &'static str,
}

const PLACES: [Place; 4] = [
    Place {
        line: "      size: small\n",
        entry: "resources.edited",
    },
    Place {
        line: "          port: 80\n",
        entry: "resources.edited",
    },
    Place {
        line: "    default: small\n",
        entry: "config.size",
    },
    Place {
        line: "      size: ${first.arn}\n",
        entry: "resources.last",
    },
];

/// Every state of a text while `typed` is typed at `at`, in the place of `replaced` bytes. The end of a last line is typed
/// first, as editors do.
fn check_typed(at: usize, replaced: usize, typed: &str, entry: &str) -> Vec<String> {
    let (typed, last) = match typed.strip_suffix('\n') {
        Some(typed) => (typed, "\n"),
        None => (typed, ""),
    };
    let expected = outside(&facts(PROGRAM), entry);
    let mut wrong = Vec::new();
    let ends = typed
        .char_indices()
        .map(|(end, _)| end)
        .chain([typed.len()]);
    for end in ends {
        let (before, after) = (&PROGRAM[..at], &PROGRAM[at + replaced..]);
        let text = format!("{before}{}{last}{after}", &typed[..end]);
        let found = outside(&facts(&text), entry);
        if found != expected {
            let lost: Vec<_> = expected.difference(&found).collect();
            let more: Vec<_> = found.difference(&expected).collect();
            wrong.push(format!("{:?}: lost {lost:?}, more {more:?}", &typed[..end]));
        }
    }
    wrong
}

#[test]
fn half_typed_programs_keep_all_facts_outside_of_the_broken_resource() {
    let mut wrong = Vec::new();
    let mut programs = 0;
    let mut kept = 0;
    for place in &PLACES {
        let line = PROGRAM.find(place.line).unwrap();
        let indent = place.line.len() - place.line.trim_start().len();
        let colon = place.line.find(": ").unwrap() + 2;
        let value = place.line.len() - 1 - colon;
        let values = VALUES.map(|typed| (line + colon, value, typed.to_owned()));
        let lead = " ".repeat(indent);
        let lines = LINES.map(|typed| (line, 0, format!("{lead}{typed}\n")));
        for (at, replaced, typed) in values.into_iter().chain(lines) {
            programs += 1;
            let found = check_typed(at, replaced, &typed, place.entry);
            kept += usize::from(found.is_empty());
            wrong.extend(
                found
                    .into_iter()
                    .map(|it| format!("{}: {it}", place.line.trim())),
            );
        }
    }
    assert!(programs >= 48);
    assert!(wrong.is_empty(), "{kept} of {programs}: {wrong:#?}");
}

#[test]
fn a_new_entry_takes_nothing_from_its_neighbours() {
    for (section, above) in [
        ("resources", "  last:\n"),
        ("resources", "  first:\n"),
        ("variables", "  text: |\n"),
        ("outputs", "  arn: ${last.arn}\n"),
    ] {
        let at = PROGRAM.rfind(above).unwrap();
        let typed = "  new:\n    type: lens:Item\n    properties:\n      size: [a\n";
        let wrong = check_typed(at, 0, typed, &format!("{section}.new"));
        assert!(wrong.is_empty(), "{above}: {wrong:#?}");
    }
}

#[test]
fn a_word_at_the_left_takes_nothing_out_of_its_section() {
    for above in [
        "  last:\n",
        "outputs:\n",
        "    options:\n",
        "runtime: yaml\n",
    ] {
        let at = PROGRAM.find(above).unwrap();
        let wrong = check_typed(at, 0, "out\n", "resources.edited");
        assert!(wrong.is_empty(), "{above}: {wrong:#?}");
    }
}
