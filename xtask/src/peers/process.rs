//! A program that is run to its end, and what that took.

use super::Took;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use wait4::Wait4;

/// The end of a program.
pub struct Ended {
    pub status: ExitStatus,
    /// All that it printed.
    pub printed: String,
    pub took: Took,
}

/// Runs a program in a folder. One that has not ended after `limit`, or that wrote files there and then wrote nothing for
/// `silence`, is ended.
pub fn run(
    command: &mut Command,
    folder: &Path,
    (limit, silence): (Duration, Duration),
) -> Result<Ended> {
    let name = command.get_program().display().to_string();
    // A file takes all that it prints while this waits, which a pipe does not.
    let out = folder.join("printed");
    let file =
        File::create(&out).with_context(|| format!("cannot write in {}", folder.display()))?;
    let child = command.stdin(Stdio::null()).stdout(file.try_clone()?);
    let child = child.stderr(file).current_dir(folder).spawn();
    let child = child.with_context(|| format!("{name} cannot be started"))?;
    let id = child.id().to_string();
    let (ended, is_over) = mpsc::channel::<()>();
    let watched = folder.to_owned();
    let watch = std::thread::spawn(move || {
        let why = hung(&watched, &is_over, (limit, silence))?;
        // It has not been waited for yet, so that no other process has its number.
        let killed = Command::new("kill").args(["-KILL", &id]).status();
        killed.is_ok().then_some(why)
    });
    let took = child.wait4();
    drop(ended);
    let hung = watch.join().expect("it does not panic");
    let took = took.with_context(|| format!("{name} cannot be waited for"))?;
    if let Some(why) = hung {
        bail!("it hung: {why}");
    }
    let usage = took.rusage;
    Ok(Ended {
        status: took.status,
        printed: String::from_utf8_lossy(&std::fs::read(&out)?).into_owned(),
        took: Took {
            cpu_seconds: (usage.utime + usage.stime).as_secs_f64(),
            memory_bytes: usage.maxrss,
        },
    })
}

/// Waits until a program has ended, or says why it will not.
fn hung(
    folder: &Path,
    is_over: &mpsc::Receiver<()>,
    (limit, silence): (Duration, Duration),
) -> Option<String> {
    const LOOK: Duration = Duration::from_secs(2);
    let at_work = |size| size > AT_START_BYTES;
    let (mut waited, mut silent) = (Duration::ZERO, Duration::ZERO);
    let mut last = 0;
    while is_over.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
        waited += LOOK;
        let size = logged(folder);
        silent = match size == last && at_work(size) {
            true => silent + LOOK,
            false => Duration::ZERO,
        };
        last = size;
        if silent >= silence {
            return Some(format!("no request ended for {} s", silence.as_secs()));
        }
        if waited >= limit {
            return Some(format!("it had not ended after {} s", limit.as_secs()));
        }
    }
    None
}

/// Bytes that logs have before a request has ended: their headings.
const AT_START_BYTES: u64 = 1000;

/// Bytes of the logs in a folder.
fn logged(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let logs = files.filter(|file| file.path().extension().is_some_and(|of| of == "log"));
    logs.filter_map(|log| Some(log.metadata().ok()?.len()))
        .sum()
}
