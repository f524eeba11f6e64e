//! What an edit costs must not grow with the module around it. Counted as memory that is asked for, never as time:
//! a copy of something that is as long as the module shows at once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use plan::{OpenFiles, PlanningRequest, Root, Surroundings};
use syntax::Edit;
use text::{TextRange, TextSize};

struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to what `alloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that were asked for, of each edit, in order.
fn edit_costs(resources: usize) -> Vec<usize> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("main.tf").display().to_string();
    let block = |index| {
        format!(
            "resource \"terraform_data\" \"r{index}\" {{\n  triggers_replace = \"value-{index}\"\n  input = \"input-{index}\"\n}}\n\n"
        )
    };
    let mut file = syntax::parse(&(0..resources).map(block).collect::<String>());
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let files = OpenFiles::default();
    let mut plan = |file: &syntax::File| {
        let files = files.with_parsed([(path.clone(), file.clone())].into());
        root.load(&files, &PlanningRequest::default());
        runtime.block_on(root.plan(&mut |_| {}));
        root.engine().stats()
    };
    assert_eq!(plan(&file).instances_planned, resources);
    let mut costs = Vec::new();
    for edit in 0..20 {
        let value = format!("\"value-{}\"", edit * resources / 20);
        let at = file.text().find(&value).unwrap();
        let at = TextSize::try_from(at).unwrap();
        let text = format!("\"edit-{edit}\"");
        let edit = Edit {
            range: TextRange::at(at, TextSize::of(&value)),
            text: &text,
        };
        let before = BYTES.load(Ordering::Relaxed);
        let (edited, parsed) = file.edit(&edit);
        let stats = plan(&edited);
        costs.push(BYTES.load(Ordering::Relaxed) - before);
        assert_eq!(
            (parsed, stats.nodes_evaluated, stats.instances_planned),
            (1, 1, 1)
        );
        file = edited;
    }
    costs.sort();
    costs
}

#[test]
fn an_edit_in_a_large_module_costs_as_much_as_in_a_small_one() {
    let (small, large) = (edit_costs(100), edit_costs(2_000));
    let median = |costs: &[usize]| costs[costs.len() / 2];
    assert!(median(&large) <= 2 * median(&small), "{small:?} {large:?}");
}
