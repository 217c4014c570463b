//! Settings as `--set` takes them, one a line.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = ftlab_fuzz::settings(data);
});
