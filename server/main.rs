//! The `planlens` binary; everything it does is in `cli`.

fn main() -> std::process::ExitCode {
    cli::main()
}
