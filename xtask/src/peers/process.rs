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

/// Runs a program in a folder. One that has not ended after `limit` of processor time, or that wrote logs there and then
/// wrote nothing for `silence` of it, is ended: on a busy machine it has as much as on an idle one.
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
    let id = child.id();
    let (ended, is_over) = mpsc::channel::<()>();
    let watched = folder.to_owned();
    let watch = std::thread::spawn(move || {
        let why = hung((id, &watched), &is_over, (limit, silence))?;
        // It has not been waited for yet, so that no other process has its number.
        let killed = Command::new("kill")
            .args(["-KILL", &id.to_string()])
            .status();
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

/// Times its limit of processor time that a program is waited for.
const WAITED_MAX: u32 = 20;

/// Waits until a program has ended, or says why it will not.
fn hung(
    (id, folder): (u32, &Path),
    is_over: &mpsc::Receiver<()>,
    (limit, silence): (Duration, Duration),
) -> Option<String> {
    const LOOK: Duration = Duration::from_secs(2);
    let at_work = |size| size > AT_START_BYTES;
    let [mut waited, mut worked, mut silent] = [Duration::ZERO; 3];
    let mut last = 0;
    while is_over.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
        waited += LOOK;
        let since = processor_time(id).unwrap_or(worked + LOOK);
        let size = logged(folder);
        silent = match size == last && at_work(size) {
            true => silent + since.saturating_sub(worked),
            false => Duration::ZERO,
        };
        (last, worked) = (size, since);
        if silent >= silence {
            let seconds = silence.as_secs();
            return Some(format!("no request ended in {seconds} s of processor time"));
        }
        // One that gets no processor time waits for something that does not come.
        if worked >= limit || waited >= WAITED_MAX * limit {
            let seconds = limit.as_secs();
            return Some(format!(
                "it had not ended after {seconds} s of processor time"
            ));
        }
    }
    None
}

/// The processor time that a process has had.
fn processor_time(id: u32) -> Option<Duration> {
    /// Of all Linux systems, whatever the kernel's own clock is.
    const TICKS_A_SECOND: u64 = 100;
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // Behind the name, which may have spaces, the third field is the state; the 14th and 15th are times.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let all = ticks()? + ticks()?;
    Some(Duration::from_millis(all * 1000 / TICKS_A_SECOND))
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
