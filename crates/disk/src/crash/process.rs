//! Waits for a process that somebody may interrupt.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Interval at which a running process is looked after, and an interrupt noticed.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How waiting came to its end.
pub enum Ended {
    By(ExitStatus),
    TookTooLong,
    Interrupted,
}

/// Waits until the process has ended, for too long, or until somebody interrupts it. It is not ended here.
///
/// # Errors
/// When the process cannot be waited for.
pub fn wait(
    child: &mut Child,
    timeout: Duration,
    is_interrupted: &AtomicBool,
) -> io::Result<Ended> {
    let began = Instant::now();
    let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::By(status));
        }
        let left = timeout.saturating_sub(began.elapsed());
        if is_interrupted.load(Ordering::Relaxed) {
            return Ok(Ended::Interrupted);
        } else if left.is_zero() {
            return Ok(Ended::TookTooLong);
        }
        let pause = left.min(LOOK_EVERY);
        let pause = Timespec {
            tv_sec: pause.as_secs() as i64,
            tv_nsec: pause.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(why) => return Err(why.into()),
        }
    }
}
