//! A clone of a device at work goes on as the original does, and neither knows of the other.

use ftlab_device::{Command, Completion, Device};

fn device() -> Device {
    let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
    builder.state("filled").keep_data().build().unwrap()
}

/// Writes of 4 KiB here and there, `depth` at once.
fn go_on(device: &mut Device, from: u64, commands: u64, done: &mut Vec<Completion>) {
    let places = device.capacity_bytes() / 4096;
    for id in from..from + commands {
        let place = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places;
        let data = vec![id as u8; 4096];
        let now_ns = device.now_ns();
        let command = Command::write(id, place * 4096, 4096);
        device.submit_write(command, &data, now_ns).unwrap();
        while device.outstanding() >= 16 {
            let next = device.next_event().expect("something is outstanding");
            device.advance(next, done);
        }
    }
}

fn finish(device: &mut Device, done: &mut Vec<Completion>) {
    while device.outstanding() > 0 {
        let next = device.next_event().expect("something is outstanding");
        device.advance(next, done);
    }
}

#[test]
fn a_fork_has_the_same_future_and_another_one_if_it_is_asked_for_something_else() {
    let mut device = device();
    let mut done = Vec::new();
    go_on(&mut device, 0, 3000, &mut done);
    assert!(device.outstanding() > 0, "it is forked at work");
    let mut fork = device.clone();
    let slots = device.capacity_bytes() / 4096;
    assert!((8 * slots..10 * slots).contains(&device.table_bytes()));
    let mut other = device.clone();
    let (mut of_device, mut of_fork, mut of_other) = (Vec::new(), Vec::new(), Vec::new());
    go_on(&mut other, 90_000, 500, &mut of_other);
    finish(&mut other, &mut of_other);
    for (device, done) in [(&mut device, &mut of_device), (&mut fork, &mut of_fork)] {
        go_on(device, 3000, 3000, done);
        finish(device, done);
    }
    assert_eq!(of_device, of_fork);
    assert_eq!(device.counters(), fork.counters());
    assert_ne!(device.counters(), other.counters());
    let (mut one, mut two) = (vec![0; 4096], vec![0; 4096]);
    for offset in (0..device.capacity_bytes()).step_by(1 << 16) {
        device.read(offset, &mut one).unwrap();
        fork.read(offset, &mut two).unwrap();
        assert_eq!(one, two);
    }
}

#[test]
fn a_device_goes_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Device>();
}
