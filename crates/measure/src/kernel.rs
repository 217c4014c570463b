//! The kernel's log, as `dmesg` prints it: what it said of a drive since the measurement began.

use std::process::{Command, Stdio};

/// Lines that an error ends with.
const LINES_MAX: usize = 3;

/// The log from now on.
#[derive(Debug, Clone, Default)]
pub struct KernelLog {
    /// Its last line when this was made; none where it may not be read.
    last: Option<String>,
}

impl KernelLog {
    /// The log from now on.
    #[must_use]
    pub fn now() -> KernelLog {
        let last = text().lines().last().map(str::to_owned);
        KernelLog { last }
    }

    /// The last words about any of these names since then, for the end of an error; empty where there are none.
    #[must_use]
    pub fn about(&self, names: &[String]) -> String {
        words_of(&text(), self.last.as_deref(), names)
    }
}

fn text() -> String {
    let said = Command::new("dmesg").stdin(Stdio::null()).output();
    said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned())
        .unwrap_or_default()
}

fn words_of(text: &str, last: Option<&str>, names: &[String]) -> String {
    let all: Vec<&str> = text.lines().collect();
    // A log that has forgotten that line by now is of later times.
    let begin = last.and_then(|last| all.iter().rposition(|line| *line == last));
    let is_name = |word: &str| names.iter().any(|name| name == word);
    let about = |line: &&&str| {
        line.split(|c: char| !c.is_ascii_alphanumeric())
            .any(is_name)
    };
    let new = all[begin.map_or(0, |n| n + 1)..].iter();
    let lines: Vec<&str> = new.filter(about).copied().collect();
    match &lines[lines.len().saturating_sub(LINES_MAX)..] {
        [] => String::new(),
        last => format!("; the kernel says: {}", last.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn words_are_of_the_drive_and_of_this_measurement() {
        let text = "[1] loop1: old\n[2] mark\n[3] nvme0n1: a\n[4] I/O error, dev nvme0n10\n[5] nvme nvme0: b\n";
        let names = ["nvme0n1", "nvme0"].map(str::to_owned);
        assert_eq!(
            words_of(text, Some("[2] mark"), &names),
            "; the kernel says: [3] nvme0n1: a; [5] nvme nvme0: b"
        );
        assert_eq!(words_of(text, Some("[2] mark"), &["loop1".to_owned()]), "");
        // What was last then is gone.
        assert!(words_of(text, Some("[0] gone"), &["loop1".to_owned()]).contains("old"));
        assert_eq!(words_of("", None, &names), "");
    }
}
