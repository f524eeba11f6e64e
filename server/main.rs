//! The `planlens` binary; everything it does is in `cli`.

/// Many small values live as long as the editor runs, and some die with each edit: the allocator of glibc keeps the holes
/// between them, 9 MiB for a thousand edits of as many resources.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    cli::main()
}
