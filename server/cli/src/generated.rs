//! `-generate-config-out`: the file for the configuration of objects that are imported without one.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use config::Product;
use plan::Plan;

use crate::args::Args;

/// A file that doesn't exist yet.
pub(crate) struct GeneratedFile(PathBuf);

impl GeneratedFile {
    /// The file of the option, if it is given.
    pub(crate) fn named(args: &Args) -> anyhow::Result<Option<GeneratedFile>> {
        let Some(path) = args.value("generate-config-out") else {
            return Ok(None);
        };
        if Path::new(path).symlink_metadata().is_ok() {
            bail!("{path} exists: configuration is generated into a new file only");
        }
        let path = std::path::absolute(path).with_context(|| format!("finding {path}"))?;
        Ok(Some(GeneratedFile(path)))
    }

    /// Writes it as `terraform plan` does, but in the order of the addresses; no file where nothing was generated.
    pub(crate) fn write(&self, plan: &Plan, product: Product) -> anyhow::Result<()> {
        let mark = format!("# __generated__ by {product}");
        let mut text = String::new();
        for change in plan.changes() {
            let Some(generated) = &change.generated_config else {
                continue;
            };
            let from = change.import_id().map(|id| format!(" from {id:?}"));
            text += &format!("\n{mark}{}\n{generated}\n", from.unwrap_or_default());
        }
        if text.is_empty() {
            return Ok(());
        }
        let advice =
            "# Please review these resources and move them into your main configuration files.";
        // A file that came there in the meantime stays, and a link is not followed.
        let text = format!("{mark}\n{advice}\n{text}");
        let written = File::create_new(&self.0).and_then(|mut it| it.write_all(text.as_bytes()));
        written.with_context(|| format!("writing {}", self.0.display()))
    }
}
