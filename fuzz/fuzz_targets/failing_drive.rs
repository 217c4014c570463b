//! A drive whose blocks fail, under a stream of commands, both from bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = ftlab_fuzz::failing_drive(data);
});
