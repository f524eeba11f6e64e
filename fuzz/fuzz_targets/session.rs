#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planlens_fuzz::session(data));
