//! Saved states whose few bytes stand for gigabytes: they are refused before they take memory.

use cap::Cap;
use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_drive::saved::{self, Origin};
use ftlab_host::Testbed;
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that a refusal may take, beside those taken already.
const MEMORY_MAX: usize = 128 << 20;

#[test]
fn an_origin_that_stands_for_gigabytes_is_refused_before_it_takes_memory() {
    let file = Catalog::default().load("generic-mlc-8", &[]).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut device = file.build(&testbed, RootSeed(1)).unwrap();
    let steps = vec![String::new(); 1 << 25];
    let origin = Origin::new("0", &file, "new", steps, 1);
    let bytes = saved::write(&origin, &*device);
    drop(origin);
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    ALLOCATOR
        .set_limit(ALLOCATOR.allocated() + MEMORY_MAX)
        .unwrap();
    let read = saved::read(&mut &*bytes, &file, &mut *device);
    ALLOCATOR.set_limit(usize::MAX).unwrap();
    let why = read.unwrap_err().to_string();
    assert!(why.contains("that the drive can need"), "{why}");
}
