//! Erasing an NVMe drive: Format NVM of its namespace, or Sanitize of all of it, by nvme-cli.
//!
//! A command that erases more than the namespace is sent only where there is nothing more.

use super::{Eraser, Refused};
use crate::device::held::Held;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// Bits of OACS: what the controller can do.
const CAN_FORMAT: u64 = 1 << 1;
const MANAGES_NAMESPACES: u64 = 1 << 3;

/// Bits of FNA: what Format NVM does.
const FORMATS_ALL: u64 = 1 << 0;
const ERASES_ALL: u64 = 1 << 1;
const ERASES_BY_KEY: u64 = 1 << 2;

/// Bits of SANICAP: kinds of Sanitize, and nvme-cli's numbers and our words for them. Overwriting is none of them, as it
/// wears the flash.
const SANITIZES: [(u64, &str, &str); 2] = [
    (1 << 1, "2", "block erase"),
    (1 << 0, "4", "cryptographic erase"),
];

/// A bit of CMIC: the subsystem may have several controllers.
const HAS_SIBLINGS: u64 = 1 << 1;

/// States of a Sanitize.
const SANITIZING: u64 = 2;
const SANITIZE_FAILED: u64 = 3;

/// Time between two looks at a Sanitize that is under way.
const LOOK_EVERY: Duration = Duration::from_secs(1);

struct Drive<'a> {
    eraser: &'a Eraser<'a>,
    held: &'a Held,
    /// Its Identify Controller.
    controller: Value,
}

/// Erases the drive, and says how or why not.
pub(super) fn erase(held: &Held, eraser: &Eraser<'_>) -> io::Result<Result<String, Refused>> {
    let mut drive = Drive {
        eraser,
        held,
        controller: Value::Null,
    };
    drive.controller = match drive.json(&["id-ctrl"]) {
        Ok(controller) => controller,
        Err(why) => return Ok(Err(format!("nvme-cli does not reach the drive: {why}"))),
    };
    let mut whys = Vec::new();
    match drive.format() {
        Ok(words) => return Ok(Ok(words)),
        Err(why) => whys.push(format!("no format: {why}")),
    }
    match drive.sanitize()? {
        Ok(words) => return Ok(Ok(words)),
        Err(why) => whys.push(format!("no sanitize: {why}")),
    }
    Ok(Err(whys.join("; ")))
}

impl Drive<'_> {
    /// What the controller says of itself. What it does not say is no reason to think that an erase spares anything.
    fn bits(&self, key: &str) -> Result<u64, Refused> {
        let bits = self.controller[key].as_u64();
        bits.ok_or_else(|| format!("nvme id-ctrl does not say {key}"))
    }

    fn run(&self, options: &[&str]) -> Result<String, Refused> {
        let path = self.held.path_for_others();
        let (command, options) = options.split_first().expect("a command");
        let mut all = vec![OsStr::new(command), path.as_os_str()];
        all.extend(options.iter().map(OsStr::new));
        let said = self.eraser.programs.run("nvme", &all, self.eraser.stop);
        let said = said.map_err(|why| match why.kind() {
            ErrorKind::NotFound => "there is no `nvme` here (nvme-cli)".to_owned(),
            _ => why.to_string(),
        })?;
        match said.is_done() {
            true => Ok(said.out),
            false => Err(said.why()),
        }
    }

    fn json(&self, command: &[&str]) -> Result<Value, Refused> {
        let text = self.run(&[command, &["-o", "json"]].concat())?;
        serde_json::from_str(&text).map_err(|why| format!("nvme {}: {why}", command[0]))
    }

    /// Looks whether the namespace is the only one of the drive.
    fn is_alone(&self) -> Result<(), Refused> {
        let manages = self.bits("oacs")? & MANAGES_NAMESPACES != 0;
        if self.bits("cmic")? & HAS_SIBLINGS != 0 && !manages {
            return Err(
                "it erases all namespaces, and those of other controllers cannot be seen"
                    .to_owned(),
            );
        }
        let list = match manages {
            true => self.json(&["list-ns", "--all"])?,
            false => self.json(&["list-ns"])?,
        };
        match list["nsid_list"].as_array().map(Vec::len) {
            Some(1) => Ok(()),
            Some(n) => Err(format!("it erases all namespaces, and the drive has {n}")),
            None => Err("it erases all namespaces, and the drive does not list them".to_owned()),
        }
    }

    fn format(&self) -> Result<String, Refused> {
        if self.bits("oacs")? & CAN_FORMAT == 0 {
            return Err("the drive has none".to_owned());
        }
        let fna = self.bits("fna")?;
        if fna & (FORMATS_ALL | ERASES_ALL) != 0 {
            self.is_alone()?;
        }
        let block = self.held.block();
        let namespace = block.and_then(|block| block.text("nsid"));
        let namespace = namespace.ok_or("the system does not say which namespace it is")?;
        // It keeps the form that it has.
        let now = self.json(&["id-ns"])?;
        let of = |key: &str| {
            let bits = now[key].as_u64();
            bits.ok_or_else(|| format!("nvme id-ns does not say {key}"))
        };
        let (flbas, dps) = (of("flbas")?, of("dps")?);
        let form = [
            format!("--namespace-id={namespace}"),
            format!("--lbaf={}", (flbas & 0xF) | (flbas >> 1 & 0x30)),
            format!("--ms={}", flbas >> 4 & 1),
            format!("--pi={}", dps & 7),
            format!("--pil={}", dps >> 3 & 1),
        ];
        let mut last = String::new();
        for (kind, words) in [("1", "all user data"), ("2", "its key")] {
            if kind == "2" && fna & ERASES_BY_KEY == 0 {
                break;
            }
            let erase = format!("--ses={kind}");
            let mut options = vec!["format"];
            options.extend(form.iter().map(String::as_str));
            // This process has the drive alone, which the program takes for a drive in use.
            options.extend([erase.as_str(), "--force"]);
            match self.run(&options) {
                Ok(_) => {
                    return Ok(format!(
                        "NVMe format of namespace {namespace} with secure erase of {words} (--ses={kind})."
                    ));
                }
                Err(why) => last = why,
            }
        }
        Err(last)
    }

    /// Sanitize erases all that the subsystem has. It goes on in the drive, whatever becomes of this process.
    fn sanitize(&self) -> io::Result<Result<String, Refused>> {
        let can = match self.bits("sanicap") {
            Ok(can) => can,
            Err(why) => return Ok(Err(why)),
        };
        let Some((_, action, words)) = SANITIZES.into_iter().find(|kind| can & kind.0 != 0) else {
            return Ok(Err(
                "the drive has none that erases without writing".to_owned()
            ));
        };
        if let Err(why) = self.is_alone() {
            return Ok(Err(why));
        }
        let action = format!("--sanact={action}");
        let mut options = vec!["sanitize", &action];
        // Newer versions refuse a drive that somebody has alone, as this process does.
        if self.knows_force() {
            options.push("--force");
        }
        if let Err(why) = self.run(&options) {
            return Ok(Err(why));
        }
        loop {
            match self.sanitizing() {
                Ok(SANITIZING) => {}
                Ok(SANITIZE_FAILED) => {
                    return Err(io::Error::other(
                        "the drive says that its sanitize failed; until one succeeds it takes no commands",
                    ));
                }
                Ok(_) => return Ok(Ok(format!("NVMe sanitize of the drive ({words})."))),
                // A controller may be away for a moment; the session looks whether it stays away.
                Err(why) => {
                    return Err(io::Error::other(format!(
                        "the drive does not say how far its sanitize is: {why}"
                    )));
                }
            }
            if self.eraser.stop.is_called() {
                return Ok(Err(
                    "interrupted while the drive sanitizes itself, which it goes on with"
                        .to_owned(),
                ));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn knows_force(&self) -> bool {
        let help = [OsStr::new("sanitize"), OsStr::new("--help")];
        let said = self.eraser.programs.run("nvme", &help, self.eraser.stop);
        said.is_ok_and(|said| said.out.contains("--force") || said.err.contains("--force"))
    }

    /// The state of a Sanitize: `"(2) Sanitize in Progress."` in an object that has the name of the drive.
    fn sanitizing(&self) -> Result<u64, Refused> {
        let log = self.json(&["sanitize-log"])?;
        let drive = log.as_object().and_then(|log| log.values().next());
        let words = drive.and_then(|drive| drive["sstat"].as_object());
        let words = words.and_then(|words| words.values().find_map(Value::as_str));
        words
            .and_then(state)
            .ok_or_else(|| "nvme sanitize-log has no state".to_owned())
    }
}

fn state(words: &str) -> Option<u64> {
    words.strip_prefix('(')?.split_once(')')?.0.parse().ok()
}
