//! A wrong call says what was wrong with it, and changes nothing.

use ftlab_device::{Command, Device, Error};

fn builder() -> ftlab_device::Builder {
    Device::named("generic-mlc-8").set("nand.blocks_per_die=64")
}

fn device() -> Device {
    builder().build().unwrap()
}

fn refused(device: &mut Device, command: Command, now_ns: u64) -> String {
    let before = (device.outstanding(), device.next_event());
    let why = device.submit(command, now_ns).unwrap_err();
    assert_eq!((device.outstanding(), device.next_event()), before);
    why.to_string()
}

#[test]
fn a_command_that_does_not_fit_is_refused() {
    let mut device = device();
    let end = device.capacity_bytes();
    let cases = [
        (
            Command::read(1, 100, 512),
            "offset 100 of command 1: give a multiple of 512",
        ),
        (
            Command::read(2, 0, 100),
            "length 100 of command 2: give a multiple of 512",
        ),
        (
            Command::write(3, 0, 0),
            "command 3 is a Write of no bytes; only a flush may have none",
        ),
        (Command::trim(4, end, 512), "command 4 reaches to byte"),
        (
            Command::read(5, u64::MAX - 511, 512),
            "command 5 reaches to byte",
        ),
        (
            Command::flush_range(6, 512, 0),
            "command 6 is a Flush of no bytes",
        ),
    ];
    for (command, needle) in cases {
        let why = refused(&mut device, command, 0);
        assert!(why.contains(needle), "{why}");
    }
    device.submit(Command::read(7, 0, 512), 1000).unwrap();
    let why = refused(&mut device, Command::read(7, 0, 512), 1000);
    assert!(
        why.contains("a command with the id 7 is outstanding"),
        "{why}"
    );
    let why = refused(&mut device, Command::read(8, 0, 512), 1_000_000_000);
    assert!(why.contains("before 1000000000 ns; advance it"), "{why}");
    let why = refused(&mut device, Command::read(8, 0, 512), 10);
    assert!(
        why.contains("it is 1000 ns at the drive already, and 10 ns"),
        "{why}"
    );
}

#[test]
fn data_go_to_a_device_that_keeps_some() {
    let mut plain = device();
    let write = Command::write(1, 0, 512);
    assert_eq!(plain.submit_write(write, &[0; 512], 0), Err(Error::NoData));
    assert_eq!(plain.read(0, &mut [0; 512]), Err(Error::NoData));
    assert_eq!(plain.power_cut(0, 1), Err(Error::NoAccount));
    let builder = Device::named("generic-mlc-8").set("nand.blocks_per_die=64");
    let mut keeps = builder.keep_data().build().unwrap();
    let why = keeps.submit(write, 0).unwrap_err().to_string();
    assert_eq!(why, "command 1 has 0 bytes of data, where it takes 512");
    let why = keeps
        .submit_write(write, &[0; 100], 0)
        .unwrap_err()
        .to_string();
    assert_eq!(why, "command 1 has 100 bytes of data, where it takes 512");
    assert_eq!(keeps.outstanding(), 0);
    let why = keeps.read(512, &mut [0; 100]).unwrap_err().to_string();
    assert!(why.contains("length 100"), "{why}");
}

#[test]
fn a_drive_that_cannot_be_says_why() {
    let why = |builder: ftlab_device::Builder| builder.build().unwrap_err().to_string();
    let unknown = why(Device::named("samsung-980-prp-1000"));
    assert!(unknown.contains("samsung-980-pro-1000"), "{unknown}");
    // A file of that name is not looked for.
    assert!(why(Device::named("./Cargo.toml")).contains("Cargo.toml"));
    let setting = why(Device::named("generic-mlc-8").set("gc.polisy=fifo"));
    assert!(setting.contains("polisy"), "{setting}");
    let state = why(Device::named("generic-mlc-8").state("full"));
    assert!(state.contains("`full` is no state"), "{state}");
    let testbed = why(Device::named("generic-mlc-8").testbed("spdk-2042"));
    assert!(testbed.contains("spdk-2024"), "{testbed}");
    let small = why(Device::named("samsung-980-pro-1000").shrink_to(4096));
    assert!(small.contains("at least"), "{small}");
}

#[test]
fn the_end_of_time_is_an_instant_as_another() {
    for builder in [builder(), builder().keep_data()] {
        let mut device = builder.build().unwrap();
        let mut done = Vec::new();
        device.submit(Command::read(1, 0, 512), 0).unwrap();
        device.advance(u64::MAX, &mut done);
        assert_eq!(done.len(), 1);
        device.advance(u64::MAX, &mut done);
        assert_eq!(device.advance_to_completion(u64::MAX, &mut done), None);
        let why = device.submit(Command::read(2, 0, 512), u64::MAX);
        let why = why.unwrap_err().to_string();
        assert!(why.contains("later than a device counts"), "{why}");
    }
}
