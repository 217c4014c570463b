//! A state goes from one device to another.

use ftlab_device::{Command, Device, Error};

fn builder() -> ftlab_device::Builder {
    let builder = Device::named("generic-mlc-8").set("nand.blocks_per_die=64");
    builder.set("nand.pages_per_block=16").set("spare.op=28%")
}

/// Writes here and there, one after the other.
fn write(device: &mut Device, count: u64) -> Vec<u64> {
    let places = device.capacity_bytes() / 4096;
    let mut done = Vec::new();
    for id in 0..count {
        let place = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places;
        let write = Command::write(id, place * 4096, 4096);
        device.submit(write, device.now_ns()).unwrap();
        device.advance_to_completion(u64::MAX, &mut done);
    }
    let begin = done[0].at_ns;
    done.iter().map(|end| end.at_ns - begin).collect()
}

#[test]
fn what_is_saved_goes_on_as_a_drive_that_was_switched_off() {
    let mut device = builder().state("filled").build().unwrap();
    write(&mut device, 5000);
    let before = device.counters();
    let saved = device.save_state().unwrap();
    assert_eq!(device.counters(), before, "it stays as it is");
    let mut one = builder().saved_state(&saved).build().unwrap();
    let mut two = builder().saved_state(&saved).build().unwrap();
    assert!(one.counters().host_bytes_written >= before.host_bytes_written);
    assert_eq!(write(&mut one, 3000), write(&mut two, 3000));
    assert_eq!(one.counters(), two.counters());
    assert!(one.counters().nand_erases > before.nand_erases);
}

#[test]
fn what_is_no_state_of_the_drive_is_refused() {
    let mut device = builder().state("filled").build().unwrap();
    let saved = device.save_state().unwrap();
    let why = |builder: ftlab_device::Builder| builder.build().unwrap_err().to_string();
    let other = why(builder().set("gc.policy=fifo").saved_state(&saved));
    assert!(other.contains("gc.policy"), "{other}");
    let cut = why(builder().saved_state(&saved[..saved.len() / 2]));
    assert!(cut.contains("it was cut off"), "{cut}");
    let foreign = why(builder().saved_state(b"hello"));
    assert!(foreign.contains("not a saved state"), "{foreign}");
    device.submit(Command::write(1, 0, 4096), 0).unwrap();
    assert_eq!(device.save_state(), Err(Error::AtWork { outstanding: 1 }));
}
