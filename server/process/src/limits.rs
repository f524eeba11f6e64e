//! Limits that the system sets to this process, as by `ulimit`.

pub use crate::system::address_space;
use crate::system::open_files;

/// The resources that this process can't do without.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// In bytes.
    pub address_space: u64,
    pub open_files: u64,
}

impl Needs {
    /// Says which limit is too low. Without it, threads and memory would be missing at any moment.
    pub fn check(self) -> Result<(), String> {
        let (has, needs) = (address_space(), self.address_space);
        if let Some(has) = has.filter(|has| *has < needs) {
            let [has, needs] = [has, needs].map(|bytes| bytes >> 20);
            return Err(format!(
                "the address space is limited to {has} MiB (ulimit -v); planlens needs {needs} MiB"
            ));
        }
        let (has, needs) = (open_files(), self.open_files);
        match has.filter(|has| *has < needs) {
            Some(has) => Err(format!(
                "open files are limited to {has} (ulimit -n); planlens needs {needs}"
            )),
            None => Ok(()),
        }
    }
}
