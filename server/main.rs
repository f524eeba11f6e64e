//! The `planlens` binary; everything it does is in `cli`.

/// Many small values live as long as the editor runs, and some die with each edit: the allocator of glibc keeps the holes
/// between them, 9 MiB for a thousand edits of as many resources.
#[cfg(all(unix, not(target_os = "macos"), feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What jemalloc reads when it starts. By itself it keeps four pools for each core, and each holds what it has for its
/// threads alone: with two pools 100 edits of 5,000 resources on two cores peak at 138 MiB in the place of 181.
#[cfg(all(unix, not(target_os = "macos"), feature = "jemalloc"))]
#[allow(unsafe_code, reason = "the name is jemalloc's, for just this")]
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static MALLOC_CONF: &[u8; 10] = b"narenas:2\0";

fn main() -> std::process::ExitCode {
    cli::main()
}
