//! The memory for a large state must not grow beyond a small multiple of the length of its file. Counted as memory that
//! is held at the same time while it is read, planned and shown.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plan::{Budget, Counts, OpenFiles, Options, PlanningRequest, Root, Surroundings};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let before = HELD.fetch_add(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(before + layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to what `alloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the memory came from `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A state file of so many objects, each with such an `input` as JSON and its type. It is laid out as Terraform does.
fn state(objects: usize, input: &dyn Fn(usize) -> String, ty: &str) -> String {
    let mut text = r#"{
  "version": 4,
  "terraform_version": "1.11.4",
  "serial": 1,
  "lineage": "b4d5",
  "outputs": {},
  "resources": [
    {
      "mode": "managed",
      "type": "terraform_data",
      "name": "a",
      "provider": "provider[\"terraform.io/builtin/terraform\"]",
      "instances": ["#
        .to_owned();
    for index in 0..objects {
        let input = input(index);
        let value = format!(
            r#"{{
              "value": {input},
              "type": {ty}
            }}"#
        );
        let comma = if index == 0 { "" } else { "," };
        write!(
            text,
            r#"{comma}
        {{
          "index_key": {index},
          "schema_version": 0,
          "attributes": {{
            "id": "{index:08}-5bf6-4a4e-97c4-2a4f0a1d9d3b",
            "input": {value},
            "output": {value},
            "triggers_replace": null
          }},
          "sensitive_attributes": []
        }}"#
        )
        .unwrap();
    }
    text + "\n      ]\n    }\n  ],\n  \"check_results\": null\n}\n"
}

/// Plans with a state, and answers how many times its length was held, and what the plan does.
fn times_the_file(state: &str, configuration: &str) -> (f64, Counts) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("main.tf"), configuration).unwrap();
    std::fs::write(dir.path().join("terraform.tfstate"), state).unwrap();
    let mut root = Root::new(Surroundings {
        dir: dir.path().to_owned(),
        cwd: dir.path().to_owned(),
        variables: Default::default(),
        options: Vec::new(),
        state: None,
        plan_timestamp: None,
        cache_dir: None,
        is_trusted: false,
        approved: plan::Approved::Nothing,
        language: plan::LanguageChoice::pinned(config::Profile::TERRAFORM_1_11),
    });
    let options = Options {
        budget: Budget::default().times(10),
        ..Options::default()
    };
    let request = PlanningRequest {
        options: Arc::new(options),
        ..PlanningRequest::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    root.load(&OpenFiles::default(), &request);
    let plan = runtime.block_on(root.plan(&mut |_| {}));
    let mut shown = 0;
    plan::render_plan(&plan, false, &mut |part| shown += part.len());
    let peak = PEAK.load(Ordering::Relaxed) - before;
    let problems: Vec<_> = plan.all_diagnostics().collect();
    assert!(problems.is_empty() && shown > 0, "{problems:?}");
    (peak as f64 / state.len() as f64, plan.counts())
}

/// Checks that neither the plan that keeps all objects nor the one that deletes all takes more than twice the file.
fn check(objects: usize, input: &dyn Fn(usize) -> String, ty: &str) {
    let state = state(objects, input, ty);
    assert!(state.len() > 5_000_000, "{}", state.len());
    let kept = format!(
        "resource \"terraform_data\" \"a\" {{\n  count = {objects}\n  lifecycle {{\n    ignore_changes = all\n  }}\n}}\n"
    );
    for (configuration, destroy) in [(&*kept, 0), ("", objects)] {
        let (times, counts) = times_the_file(&state, configuration);
        let expected = Counts {
            destroy,
            ..Counts::default()
        };
        assert_eq!(counts, expected);
        assert!(
            times < LIMIT,
            "{times:.2} times the file of {objects} objects of {ty}"
        );
    }
}

/// What the process needs besides and what the allocator rounds up to is a tenth of a file of 300 MB.
const LIMIT: f64 = 2.1;

/// A text that no other part of a state is equal to.
fn text(length: usize, seed: usize) -> String {
    let mut state = seed as u64 + 1;
    let letter = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'a' + (state >> 33) as u8 % 26)
    };
    (0..length).map(letter).collect()
}

#[test]
fn a_large_state_takes_about_twice_its_length_in_memory() {
    check(
        4_000,
        &|seed| format!("{:?}", text(1_100, seed)),
        "\"string\"",
    );
    let attributes = |seed| {
        let attribute = |n| {
            format!(
                "                \"key_{n:02}\": {:?}",
                text(16, seed * 16 + n)
            )
        };
        let attributes: Vec<_> = (0..16).map(attribute).collect();
        format!("{{\n{}\n              }}", attributes.join(",\n"))
    };
    check(3_000, &attributes, "[\"map\", \"string\"]");
    let list = |seed| {
        let element = |n| format!("                {:?}", text(40, seed * 2_500 + n));
        let elements: Vec<_> = (0..2_500).map(element).collect();
        format!("[\n{}\n              ]", elements.join(",\n"))
    };
    // While one object is read, it is there twice.
    check(20, &list, "[\"list\", \"string\"]");
    check(
        10,
        &|seed| format!("{:?}", text(600_000, seed)),
        "\"string\"",
    );
}
