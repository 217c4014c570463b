//! A script or a scenario as text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = ftlab_fuzz::script_file(data);
});
