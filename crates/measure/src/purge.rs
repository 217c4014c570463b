//! Erasing a drive as well as it can do it.

use crate::device::Kind;
use crate::device::held::Held;
use crate::stop::Stop;
use rustix::fs::{FallocateFlags, fallocate};
use std::io;
use std::process::{Command, Stdio};

/// Erases the whole drive, and says in words how.
///
/// # Errors
/// When the system does not start the program for it.
///
/// # Panics
/// When the drive may not be written.
pub fn purge(held: &Held, stop: &Stop) -> io::Result<String> {
    assert!(
        held.may_be_written(),
        "a drive is erased that was not named for it"
    );
    if held.device().kind == Kind::File {
        return Ok(match punch(held, held.device().bytes) {
            Ok(()) => "All of the file made a hole, as TRIM does it.".to_owned(),
            Err(why) => left(&format!("its file system makes no holes ({why})")),
        });
    }
    if discard(held, &["--secure"], stop)? {
        return Ok("Secure discard of everything.".to_owned());
    }
    Ok(match discard(held, &[], stop)? {
        true => "TRIM of everything, as the drive takes no secure discard.".to_owned(),
        false => left("it takes neither a secure discard nor TRIM"),
    })
}

/// TRIM of the first bytes of a drive, and the words for it.
///
/// # Errors
/// When the system does not start the program for it.
///
/// # Panics
/// When the drive may not be written.
pub fn trim(held: &Held, bytes: u64, stop: &Stop) -> io::Result<String> {
    assert!(
        held.may_be_written(),
        "a drive is trimmed that was not named for it"
    );
    let is_done = match held.device().kind {
        Kind::File => punch(held, bytes).is_ok(),
        Kind::Disk | Kind::Loop => discard(held, &["--length", &bytes.to_string()], stop)?,
    };
    Ok(match is_done {
        true if bytes == held.device().bytes => "TRIM of everything.".to_owned(),
        true => format!("TRIM of the first {bytes} bytes."),
        false => left("it takes no TRIM"),
    })
}

/// What a reader has to know of a drive that was not erased.
fn left(why: &str) -> String {
    format!("NOT erased: {why}. What was on the drive is there still, so it is not as new.")
}

fn punch(held: &Held, bytes: u64) -> io::Result<()> {
    let how = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(fallocate(held.file(), how, 0, bytes)?)
}

/// Returns true if the drive took it. The program wants a drive alone, as this process has it: it is forced to do without.
fn discard(held: &Held, options: &[&str], stop: &Stop) -> io::Result<bool> {
    let mut child = Command::new("blkdiscard")
        .arg("--force")
        .args(options)
        .arg(held.path_for_others())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(stop.while_at_work(&mut child)?.success())
}
