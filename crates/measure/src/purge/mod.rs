//! Erasing a drive as well as it can do it: by commands of its own, a secure discard, or TRIM.

mod ata;
mod nvme;

use crate::device::held::Held;
use crate::device::{Kind, Place};
use crate::fio::{Fio, FioError, JobText};
use crate::health::Bus;
use crate::heat::Watch;
use crate::programs::Programs;
use crate::stop::Stop;
use rustix::fs::{FallocateFlags, fallocate};
use std::io;
use std::process::{Command, Stdio};

/// Bytes of a TRIM that goes to a server.
const TRIM_BYTES: u64 = 1 << 20;

/// What a drive is erased through.
pub(crate) struct Eraser<'a> {
    /// Programs that are installed.
    pub programs: &'a Programs,
    /// fio on the drive, which trims an NBD export.
    pub fio: &'a Fio,
    /// Ends what may be ended.
    pub stop: &'a Stop,
}

/// A drive that does not take a way of erasing says why not.
type Refused = String;

/// Erases the whole drive in the most thorough way that it takes, and says in words how.
///
/// # Errors
/// When the system does not start a program for it, or the drive is left in a state in which it cannot be used.
///
/// # Panics
/// When the drive may not be written.
pub(crate) fn purge(held: &Held, eraser: &Eraser<'_>) -> io::Result<String> {
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
    if held.device().kind == Kind::Nbd {
        return trim(held, held.device().bytes, eraser);
    }
    let below = match Bus::of(held) {
        Bus::Nvme => Some(nvme::erase(held, eraser)?),
        Bus::Ata => Some(ata::erase(held, eraser)?),
        Bus::None => None,
    };
    let why = match below {
        Some(Ok(words)) => return Ok(words),
        Some(Err(why)) => format!(" ({why})"),
        None => String::new(),
    };
    if discard(held, &["--secure"], eraser.stop)? {
        return Ok(format!("Secure discard of everything{why}."));
    }
    Ok(match discard(held, &[], eraser.stop)? {
        true => format!("TRIM of everything, as the drive takes no secure discard{why}."),
        false => left(&format!("it takes neither a secure discard nor TRIM{why}")),
    })
}

/// TRIM of the first bytes of a drive, and the words for it.
///
/// # Errors
/// When the system does not start the program for it.
///
/// # Panics
/// When the drive may not be written.
pub(crate) fn trim(held: &Held, bytes: u64, eraser: &Eraser<'_>) -> io::Result<String> {
    assert!(
        held.may_be_written(),
        "a drive is trimmed that was not named for it"
    );
    let is_done = match held.device().kind {
        Kind::File => punch(held, bytes).is_ok(),
        Kind::Disk | Kind::Loop => discard(held, &["--length", &bytes.to_string()], eraser.stop)?,
        Kind::Nbd => trim_export(held, bytes, eraser)?,
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
    let file = held.file().expect("a file is open");
    Ok(fallocate(file, how, 0, bytes)?)
}

/// Returns true if a server took TRIM of the first bytes of an export.
fn trim_export(held: &Held, bytes: u64, eraser: &Eraser<'_>) -> io::Result<bool> {
    let trims = match &held.device().place {
        Place::At(server) => server.ask()?.trims,
        Place::Here(_) => false,
    };
    if !trims {
        return Ok(false);
    }
    let (whole, rest) = (bytes / TRIM_BYTES * TRIM_BYTES, bytes % TRIM_BYTES);
    let mut jobs = JobText::default();
    for (offset, bytes, block) in [(0, whole, TRIM_BYTES), (whole, rest, rest)] {
        if bytes == 0 {
            continue;
        }
        let keys = [
            ("rw", "trim".to_owned()),
            ("bs", block.to_string()),
            ("offset", offset.to_string()),
            ("size", bytes.to_string()),
        ];
        jobs.push("trim", &keys);
    }
    match eraser.fio.run(&jobs, false, &Watch::of(eraser.stop)) {
        Ok(_) | Err(FioError::Stopped) => Ok(true),
        Err(why) => Err(io::Error::other(why)),
    }
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
