//! Root modules divided among machines, so that each has about as much to do.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::report::Report;
use super::roots::shown;

/// The part `K/N` of the roots. All parts together are all of them, as long as each is given the same costs.
pub(super) fn part(
    roots: Vec<PathBuf>,
    shard: &str,
    costs: Option<&Report>,
    cwd: &Path,
) -> anyhow::Result<Vec<PathBuf>> {
    let parsed = shard.split_once('/').and_then(|(part, of)| {
        let (part, of): (usize, usize) = (part.parse().ok()?, of.parse().ok()?);
        (1..=of).contains(&part).then_some((part, of))
    });
    let (part, of) = parsed.with_context(|| {
        format!("-shard takes K/N with K from 1 to N, such as 1/4, not {shard:?}")
    })?;
    let known = costs.into_iter().flat_map(|it| &it.roots);
    let known: BTreeMap<&str, u64> = known.map(|it| (it.path.as_str(), it.ms)).collect();
    let mut sorted: Vec<u64> = known.values().copied().collect();
    sorted.sort_unstable();
    // A new root module costs as much as most do.
    let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(1);
    let cost = |root: &PathBuf| {
        known
            .get(&*shown(root, cwd))
            .copied()
            .unwrap_or(usual)
            .max(1)
    };
    let mut roots: Vec<(u64, PathBuf)> = roots.into_iter().map(|it| (cost(&it), it)).collect();
    roots.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
    let mut parts: Vec<(u64, Vec<PathBuf>)> = vec![Default::default(); of];
    for (cost, root) in roots {
        if let Some(least) = parts.iter_mut().min_by_key(|it| it.0) {
            least.0 += cost;
            least.1.push(root);
        }
    }
    Ok(parts.swap_remove(part - 1).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::RootReport;

    #[test]
    fn parts_have_equal_work_and_are_all_together() {
        let cwd = Path::new("/w");
        let roots: Vec<PathBuf> = (0..20)
            .map(|it| PathBuf::from(format!("/w/r{it:02}")))
            .collect();
        let reports = (0..19).map(|it| RootReport {
            path: format!("r{it:02}"),
            ms: if it == 0 { 100 } else { 10 },
            ..RootReport::default()
        });
        let costs = Report::new(None, reports.collect());
        let parts =
            (1..=3).map(|it| part(roots.clone(), &format!("{it}/3"), Some(&costs), cwd).unwrap());
        let parts: Vec<Vec<PathBuf>> = parts.collect();
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [1, 10, 9]);
        let mut all: Vec<PathBuf> = parts.into_iter().flatten().collect();
        all.sort();
        assert_eq!(all, roots);
        for wrong in ["0/3", "4/3", "1", "a/b"] {
            assert!(part(roots.clone(), wrong, None, cwd).is_err(), "{wrong}");
        }
    }
}
