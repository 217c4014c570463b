//! What a client of a network block device sends.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = ftlab_fuzz::nbd_client(data);
});
