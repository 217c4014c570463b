//! A log on a drive that lies: a flush is answered and not done, and power cuts show it.

use ftlab_device::{Command, Completion, Device, Error};
use std::collections::BTreeSet;

const RECORD: u64 = 4096;

/// Does a command at the present, with its data, and waits for its end.
fn end(drive: &mut Device, command: Command, data: &[u8]) -> Result<Completion, Error> {
    let mut done = Vec::new();
    drive.submit_write(command, data, drive.now_ns())?;
    drive.advance_to_completion(u64::MAX, &mut done);
    Ok(done[0])
}

/// Records of ten that the log has answered for, and that the drive has not after a power cut.
fn lost(faults: &[&str], seed: u64) -> Result<Vec<u64>, Error> {
    let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
    let builder = faults.iter().fold(builder, |of, fault| of.fault(fault));
    let mut drive = builder.keep_data().build()?;
    let mut answered = Vec::new();
    for n in 0..10 {
        let record = [n as u8 + 1; RECORD as usize];
        let write = Command::write(2 * n, n * RECORD, RECORD);
        let is_written = end(&mut drive, write, &record)?.is_good();
        let is_flushed = end(&mut drive, Command::flush(2 * n + 1), &[])?.is_good();
        if is_written && is_flushed {
            answered.push(n);
        }
    }
    drive.power_cut(drive.now_ns(), seed)?;
    let mut record = [0; RECORD as usize];
    let mut lost = Vec::new();
    for n in answered {
        drive.read(n * RECORD, &mut record)?;
        if record != [n as u8 + 1; RECORD as usize] {
            lost.push(n);
        }
    }
    Ok(lost)
}

#[test]
fn cuts_find_the_record_whose_flush_was_dropped() {
    let of_cuts = |faults: &[&str]| -> Vec<u64> {
        let cuts = (0..50).map(|seed| lost(faults, seed).expect("every call is right"));
        let records: BTreeSet<u64> = cuts.flatten().collect();
        records.into_iter().collect()
    };
    assert!(of_cuts(&[]).is_empty());
    // The last flush is answered and not done.
    assert_eq!(of_cuts(&["drop-flush --after 9"]), [9]);
    // The one behind it covers both records.
    assert!(of_cuts(&["drop-flush --after 8 --count 1"]).is_empty());
    // An error is no lie: the log does not answer for the record.
    assert!(of_cuts(&["error once --on flush --after 9"]).is_empty());
    // A write that is answered and not done no flush makes good.
    assert_eq!(of_cuts(&["drop --after 4 --count 1"]), [4]);
}
