//! Ends the processes that a checker leaves behind, whoever started them, and detaches loop devices on its
//! state.

use super::checker::STATE;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time for leftovers to end on their own: a server that was asked to stop, a loop device that is detached when its
/// last user closes it.
const GRACE: Duration = Duration::from_secs(2);

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Ends what is left of a checker; gives what that was. With `is_over` the checker itself has ended, and what it started
/// has a moment to do so, too.
pub fn behind(group: Pid, state: &Path, is_over: bool) -> Vec<String> {
    let began = Instant::now();
    let mut found = Vec::new();
    loop {
        let processes = processes(group, state);
        let loops = loops(state);
        if processes.is_empty() && loops.is_empty() {
            return found;
        }
        if is_over && began.elapsed() < GRACE {
            sleep(LOOK_EVERY);
            continue;
        }
        if found.is_empty() {
            let processes = processes.iter();
            found.extend(processes.map(|(pid, name)| format!("{name} (process {pid})")));
            found.extend(loops.iter().cloned());
        }
        for (pid, _) in &processes {
            if let Some(pid) = Pid::from_raw(*pid) {
                // It may have ended meanwhile.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        if processes.is_empty() {
            loops.iter().for_each(|device| detach(device));
        }
        if began.elapsed() > 3 * GRACE {
            // The kernel holds it; nothing more can be done from here.
            return found;
        }
        sleep(LOOK_EVERY);
    }
}

/// Processes that belong to a checker, and what they are called: those of its group, and those that have its state in
/// their environment.
fn processes(group: Pid, state: &Path) -> Vec<(i32, String)> {
    let wanted = [STATE.as_bytes(), b"=", state.as_os_str().as_bytes()].concat();
    let group = group.as_raw_nonzero().get();
    let Ok(all) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let belongs = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let is_there = !matches!(fields.next()?, "Z" | "X");
        let its_group: i32 = fields.nth(1)?.parse().ok()?;
        let has_state = || {
            let environment = std::fs::read(entry.path().join("environ"));
            let environment = environment.unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted)
        };
        let is_its = is_there && (its_group == group || has_state());
        is_its.then(|| (pid, name.to_owned()))
    };
    all.flatten().filter_map(belongs).collect()
}

/// Loop devices on a state.
fn loops(state: &Path) -> Vec<String> {
    let Ok(all) = std::fs::read_dir("/sys/block") else {
        return Vec::new();
    };
    let is_on = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let file = std::fs::read_to_string(entry.path().join("loop/backing_file")).ok()?;
        let file = file.trim_end();
        let file = file.strip_suffix(" (deleted)").unwrap_or(file);
        (Path::new(file) == state).then(|| format!("/dev/{name}"))
    };
    all.flatten().filter_map(is_on).collect()
}

/// Takes a loop device away, and what is mounted of it.
fn detach(device: &str) {
    let run = |program: &str, words: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Whether it has done so is looked at afterwards.
        let _ = command.status();
    };
    run("umount", &["-l", "-A", device]);
    run("losetup", &["-d", device]);
}
