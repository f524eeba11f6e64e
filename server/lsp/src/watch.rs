//! Files that change outside the editor.

use serde_json::json;

use crate::client::Question;
use crate::convert::file_id;
use crate::params::WatchedFiles;
use crate::state::State;

/// The files that a plan reads from disk, wherever they are below the workspace's folders.
const WATCHED: [&str; 9] = [
    "**/*.tf",
    "**/*.tf.json",
    "**/*.tofu",
    "**/*.tofu.json",
    "**/*.tfvars",
    "**/*.tfvars.json",
    "**/terraform.tfstate",
    "**/.terraform.lock.hcl",
    "**/.terraform/environment",
];

impl State {
    pub(crate) fn register_watchers(&mut self) {
        if !self.capabilities.registers_watchers {
            return;
        }
        let watchers = WATCHED.map(|glob| json!({ "globPattern": glob }));
        let params = json!({ "registrations": [{
            "id": "planlens-files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        }] });
        self.client.ask(
            "client/registerCapability",
            params,
            Question::Courtesy("files"),
        );
    }

    pub(crate) fn watched_files_changed(&mut self, WatchedFiles { changes }: WatchedFiles) {
        for change in changes {
            let file = file_id(&change.uri);
            // The editor's text of an open document counts, not the disk's.
            if !self.documents.contains_key(&file) {
                self.workspace.file_changed_on_disk(&file);
            }
        }
    }
}
