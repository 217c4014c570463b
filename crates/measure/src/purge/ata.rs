//! Erasing an ATA drive: Security Erase Unit, by hdparm.
//!
//! The command wants a password, which the erase takes away again. If it fails, the password is taken away here; a drive
//! that keeps it is an error, since it would be locked when it is next switched on.

use super::{Eraser, Refused};
use crate::device::held::Held;
use crate::programs::Said;
use crate::stop::Stop;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};

/// The password while the drive is erased.
const PASSWORD: &str = "ftlab";

/// Erases the drive, and says how or why not.
pub(super) fn erase(held: &Held, eraser: &Eraser<'_>) -> io::Result<Result<String, Refused>> {
    if held
        .block()
        .is_some_and(|block| block.is("queue/rotational"))
    {
        return Ok(Err(
            "a disk that spins is written for hours to be erased".to_owned()
        ));
    }
    let path = held.path_for_others();
    // Whatever the user ends, these are brought to their end: a drive that keeps the password is locked.
    let never = Stop::default();
    let run = |options: &[&str]| -> io::Result<Said> {
        let mut all: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        all.push(path.as_os_str());
        eraser.programs.run("hdparm", &all, &never)
    };
    let said = match run(&["-I"]) {
        Err(why) if why.kind() == ErrorKind::NotFound => {
            return Ok(Err("no secure erase: there is no `hdparm` here".to_owned()));
        }
        said => said?,
    };
    if let Err(why) = may_erase(&said.out) {
        return Ok(Err(format!("no secure erase: {why}")));
    }
    let security = |word: &str| run(&["--user-master", "u", word, PASSWORD]);
    let set = security("--security-set-pass")?;
    if set.is_done() {
        let erased = security("--security-erase")?;
        if erased.is_done() {
            return Ok(Ok("ATA secure erase of everything.".to_owned()));
        }
        free(&security("--security-disable")?)?;
        return Ok(Err(format!("no secure erase: {}", erased.why())));
    }
    Ok(Err(format!("no secure erase: {}", set.why())))
}

fn free(disabled: &Said) -> io::Result<()> {
    match disabled.is_done() {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "its secure erase failed, and it keeps the password `{PASSWORD}`: `hdparm --user-master u --security-disable \
             {PASSWORD}` takes that away ({})",
            disabled.why()
        ))),
    }
}

/// Reads the part of `hdparm -I` on security: lines of a word, with `not` before it or nothing.
fn may_erase(identify: &str) -> Result<(), &'static str> {
    let lines = identify
        .lines()
        .skip_while(|line| !line.starts_with("Security:"));
    let lines = lines
        .skip(1)
        .take_while(|line| line.starts_with(char::is_whitespace));
    let lines: Vec<Vec<&str>> = lines
        .map(|line| line.split_whitespace().collect())
        .collect();
    let has = |words: &[&str]| lines.iter().any(|line| line == words);
    match () {
        () if !has(&["supported"]) => Err("the drive has none"),
        () if !has(&["not", "frozen"]) => Err(
            "the machine's firmware has frozen its security; to sleep and to wake it mostly thaws that",
        ),
        () if !has(&["not", "enabled"]) || !has(&["not", "locked"]) => {
            Err("it has a password already")
        }
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::may_erase;

    fn identify(enabled: &str, frozen: &str) -> String {
        format!(
            "/dev/sdx:\n\nATA device, with non-removable media\nSecurity: \n\tMaster password revision code = 65534\n\
             \t\tsupported\n\t{enabled}\n\tnot\tlocked\n\t{frozen}\n\tnot\texpired: security count\n\
             \t\tsupported: enhanced erase\n\t2min for SECURITY ERASE UNIT.\nLogical Unit WWN\n\t\tsupported\n"
        )
    }

    #[test]
    fn a_drive_is_erased_that_is_neither_frozen_nor_has_a_password() {
        assert_eq!(may_erase(&identify("not\tenabled", "not\tfrozen")), Ok(()));
        let frozen = may_erase(&identify("not\tenabled", "\tfrozen")).unwrap_err();
        assert!(frozen.contains("frozen"), "{frozen}");
        let has_one = may_erase(&identify("\tenabled", "not\tfrozen")).unwrap_err();
        assert!(has_one.contains("password"), "{has_one}");
        assert!(may_erase("\n/dev/loop0:\n").is_err());
    }
}
