//! What the user looks at is planned and published before the rest.

use std::collections::BTreeSet;

use config::{ModuleAddr, ResourceAddr, ResourceMode};
use cty::Value;
use cty::budget::Cancel;
use futures_util::stream;
use plan::{NodeObject, Plan, PublishRequest, PublishRequests};

use crate::support::{World, block_on};

const COUNT: usize = 100;

/// Resources that all read one local value.
fn text(size: u32) -> String {
    let disk = |index| format!("resource \"fake_disk\" \"d{index}\" {{\n  size = local.size\n}}\n");
    let disks: String = (0..COUNT).map(disk).collect();
    format!("locals {{\n  size = {size}\n}}\n{disks}")
}

/// The resources that are planned with this size.
fn with_size(plan: &Plan, size: u32) -> BTreeSet<String> {
    let is_wanted = |after: &Value| {
        let planned = after.get_attr("size");
        planned.is_ok_and(|planned| planned.raw_equals(&Value::int(size.into())))
    };
    let changes = plan.changes().filter(|change| is_wanted(&change.after));
    changes.map(|change| change.addr.to_string()).collect()
}

/// What each published plan has of the edit to 20 with this resource in focus, and then the whole plan.
fn edited(focus: Option<usize>) -> Vec<BTreeSet<String>> {
    let mut world = World::new(&text(10));
    world.plan();
    world.set("/main.tf", &text(20));
    let in_focus = focus.map(|index| {
        let name = format!("d{index}");
        let disk = ResourceAddr::new(ResourceMode::Managed, "fake_disk", name);
        NodeObject::Resource(disk).of(&ModuleAddr::root())
    });
    world.request.focus = in_focus.into_iter().collect();
    world.root.load(&world.files, &world.request);
    let mut published = Vec::new();
    let plan = block_on(
        world
            .root
            .plan(&mut |plan| published.push(with_size(&plan, 20))),
    );
    published.push(with_size(&plan, 20));
    published
}

#[test]
fn nodes_in_focus_are_published_before_the_rest() {
    for index in [0, 42, COUNT - 1] {
        let published = edited(Some(index));
        let first = &published[0];
        assert!(first.contains(&format!("fake_disk.d{index}")), "{first:?}");
        assert!(first.len() < COUNT / 2, "{}", first.len());
        assert!(published.is_sorted_by(|a, b| a.is_subset(b)));
        assert_eq!(published.last().map(BTreeSet::len), Some(COUNT));
    }
}

#[test]
fn without_a_focus_there_is_one_plan() {
    let published = edited(None);
    assert_eq!(published.len(), 1);
    assert_eq!(published[0].len(), COUNT);
}

/// How many resources each published plan has while `ask` is asked again and again.
fn published_for(ask: PublishRequest) -> Vec<usize> {
    let mut world = World::new(&text(10));
    world.root.load(&world.files, &world.request);
    let mut asks = PublishRequests::from(stream::repeat(ask));
    let mut published = Vec::new();
    let mut publish = |plan: Plan| published.push(plan.changes().count());
    let cancel = Cancel::default();
    let plan = world.root.plan_until(&cancel, &mut asks, &mut publish);
    assert!(block_on(plan).is_some());
    published
}

#[test]
fn a_plan_that_is_asked_for_much_more_is_published_as_it_grows() {
    let [always, much_more] =
        [PublishRequest::Planned, PublishRequest::MuchMore].map(published_for);
    assert!(always.len() >= COUNT / 16, "{always:?}");
    assert!((2..=5).contains(&much_more.len()), "{much_more:?}");
    assert!(much_more.is_sorted_by(|a, b| a < b), "{much_more:?}");
}
