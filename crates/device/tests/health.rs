//! Health, and what goes wrong on demand.

use ftlab_device::{Command, Device, Error, FlashFault, Outcome};

fn device(name: &str) -> Device {
    Device::named(name)
        .shrink_to(3 << 30)
        .keep_data()
        .build()
        .unwrap()
}

/// The outcome of one command at the present, with its data.
fn outcome(drive: &mut Device, command: Command, data: &[u8]) -> Outcome {
    let mut done = Vec::new();
    drive.submit_write(command, data, drive.now_ns()).unwrap();
    while drive.advance_to_completion(u64::MAX, &mut done).is_some() {}
    done[0].outcome
}

#[test]
fn a_drive_reports_its_health_in_its_makers_numbers() {
    let mut drive = device("intel-x25-m-g2-160");
    assert_eq!(drive.nvme_logs(), None);
    let raw = |drive: &Device| drive.smart().iter().find(|row| row.id == 0xe1).unwrap().raw;
    assert_eq!(raw(&drive), 0);
    for id in 0..64 {
        assert_eq!(
            outcome(
                &mut drive,
                Command::write(id, id << 20, 1 << 20),
                &vec![1; 1 << 20]
            ),
            Outcome::Good
        );
    }
    assert_eq!(outcome(&mut drive, Command::flush(64), &[]), Outcome::Good);
    // Two units of 32 MiB.
    assert_eq!(raw(&drive), 2);

    let mut drive = device("samsung-980-pro-1000");
    assert_eq!(drive.smart(), []);
    assert_eq!(drive.nvme_logs().unwrap().health.power_cycles, 1);
    drive.power_cut(drive.now_ns(), 1).unwrap();
    let health = drive.nvme_logs().unwrap().health;
    assert_eq!((health.power_cycles, health.unsafe_shutdowns), (2, 1));
}

#[test]
fn what_was_spoilt_is_an_error_and_the_rest_goes_on() {
    let mut drive = device("samsung-980-pro-1000");
    let spoil = FlashFault::Unreadable { offset_bytes: 8192 };
    assert!(
        matches!(drive.inject(spoil), Err(Error::Fault(_))),
        "nothing is stored there"
    );
    assert_eq!(
        outcome(&mut drive, Command::write(1, 0, 16384), &[7; 16384]),
        Outcome::Good
    );
    assert_eq!(outcome(&mut drive, Command::flush(2), &[]), Outcome::Good);
    let before_ns = drive.now_ns();
    drive.inject(spoil).unwrap();
    assert_eq!(drive.now_ns(), before_ns);
    assert_eq!(
        outcome(&mut drive, Command::read(3, 8192, 4096), &[]),
        Outcome::Unrecoverable
    );
    assert!(drive.now_ns() > before_ns);
    let mut bytes = [0; 4096];
    assert_eq!(
        outcome(&mut drive, Command::write(4, 8192, 4096), &[8; 4096]),
        Outcome::Good
    );
    drive.read(8192, &mut bytes).unwrap();
    assert_eq!(bytes, [8; 4096]);
}

#[test]
fn a_worn_out_drive_says_so_and_a_fault_that_cannot_be_is_refused() {
    let mut drive = device("samsung-980-pro-1000");
    drive.submit(Command::read(1, 0, 4096), 0).unwrap();
    assert_eq!(
        drive.inject(FlashFault::EndOfLife),
        Err(Error::AtWork { outstanding: 1 })
    );
    while drive
        .advance_to_completion(u64::MAX, &mut Vec::new())
        .is_some()
    {}
    let beyond = FlashFault::Unreadable {
        offset_bytes: u64::MAX,
    };
    assert!(
        matches!(drive.inject(beyond), Err(Error::Fault(why)) if why.contains("there is no byte"))
    );
    let die = FlashFault::Die { die: 9999 };
    assert!(
        matches!(drive.inject(die), Err(Error::Fault(why)) if why.contains("the drive has dies 0 to"))
    );
    drive.inject(FlashFault::EndOfLife).unwrap();
    let data = vec![1; 1 << 20];
    let mut id = 2;
    while outcome(&mut drive, Command::write(id, 0, 1 << 20), &data) == Outcome::Good {
        id += 1;
        assert!(id < 20_000, "it goes on writing");
    }
    assert!(drive.fault().is_some());
    assert!(matches!(
        Device::named("seagate-momentus-7200.2").build().unwrap().inject(FlashFault::EndOfLife),
        Err(Error::Fault(why)) if why == "the drive has no flash"
    ));
}
