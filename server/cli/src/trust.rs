//! `planlens trust`: lists approvals and takes them back.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use config::ProviderAddr;
use eval::functions::timestamp_text;
use ide::{ApprovalFile, ApprovedProvider, TrustedFolder};

use serde_json::{Value, json};

use crate::args::Args;
use crate::commands::APPROVED;
use crate::output::{say, show};
use crate::{Outcome, root};

pub(crate) fn list(args: &Args) -> Outcome {
    let is_json = args.flag("json");
    let kept = ApprovalFile::read(&state_dir()?);
    match is_json {
        true => say(&format!("{}\n", to_json(&kept))),
        false => show(&to_text(&kept)),
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn revoke(args: &Args) -> Outcome {
    let state_dir = state_dir()?;
    let is_all = args.flag("all");
    let named = args.values(&[APPROVED]);
    if is_all != named.is_empty() {
        bail!("trust revoke takes providers and folders, or -all: see planlens trust --help");
    }
    let (mut taken, mut unknown) = (ApprovalFile::default(), Vec::new());
    ApprovalFile::change(&state_dir, |kept| {
        if is_all {
            taken = std::mem::take(kept);
        }
        for (_, name) in &named {
            let before = taken.clone();
            take(kept, &mut taken, name);
            if taken == before {
                unknown.push(*name);
            }
        }
    })
    .with_context(|| format!("changing the approvals in {}", state_dir.display()))?;
    let mut text = taken.providers.iter().fold(String::new(), |text, it| {
        format!("{text}revoked: {} {}\n", it.address, it.hash)
    });
    for folder in &taken.folders {
        text += &format!(
            "no longer trusted: {}\n",
            text::one_line(&folder.path.to_string_lossy())
        );
    }
    show(&text);
    match unknown.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => bail!("nothing was approved for {}", unknown.join(", ")),
    }
}

fn state_dir() -> anyhow::Result<PathBuf> {
    root::state_dir().context("no folder for approvals: set HOME or PLANLENS_STATE_DIR")
}

/// Moves the approvals of a name.
fn take(kept: &mut ApprovalFile, taken: &mut ApprovalFile, name: &str) {
    let path = std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name));
    let real = disk::real(&path).unwrap_or_else(|_| path.clone());
    let is_folder = |it: &Path| it == path || it == real;
    // On either public registry, where the host is left out.
    let is_it = |addr: ProviderAddr| {
        [addr.to_string(), addr.for_display()]
            .iter()
            .any(|it| it == name)
    };
    let is_named =
        |it: &ApprovedProvider| is_folder(&it.folder) || it.address.parse().is_ok_and(is_it);
    let providers = kept.providers.extract_if(.., |it| is_named(it));
    taken.providers.extend(providers);
    let folders = kept.folders.extract_if(.., |it| is_folder(&it.path));
    taken.folders.extend(folders);
}

fn to_text(kept: &ApprovalFile) -> String {
    let path = |path: &Path| text::one_line(&path.to_string_lossy()).into_owned();
    let when = |at: Option<u64>| at.map_or_else(|| "earlier".to_owned(), time);
    let provider = |it: &ApprovedProvider| {
        let (address, hash) = (text::one_line(&it.address), text::one_line(&it.hash));
        format!(
            "{address} {hash}\n  {}, first for {}\n",
            time(it.at),
            path(&it.folder)
        )
    };
    let folder = |it: &TrustedFolder| format!("{}\n  {}\n", path(&it.path), when(it.at));
    let part = |title: &str, lines: String| match lines.is_empty() {
        true => format!("{title}: none\n"),
        false => format!("{title}:\n{lines}"),
    };
    let providers = part(
        "Approved plugins",
        kept.providers.iter().map(provider).collect(),
    );
    let folders = part("Trusted folders", kept.folders.iter().map(folder).collect());
    format!("{providers}\n{folders}")
}

fn to_json(kept: &ApprovalFile) -> Value {
    let provider = |it: &ApprovedProvider| json!({ "address": it.address, "hash": it.hash, "at": time(it.at), "folder": it.folder.to_string_lossy() });
    let folder =
        |it: &TrustedFolder| json!({ "path": it.path.to_string_lossy(), "at": it.at.map(time) });
    let providers: Vec<Value> = kept.providers.iter().map(provider).collect();
    let folders: Vec<Value> = kept.folders.iter().map(folder).collect();
    json!({ "providers": providers, "folders": folders })
}

fn time(seconds: u64) -> String {
    timestamp_text(i64::try_from(seconds).unwrap_or_default())
}
