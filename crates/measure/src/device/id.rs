//! The id of a device: what stays with it when its path goes to another one.
//!
//! A disk's is of what its maker wrote into it, and of its size; a file's is its place in its file system, and its size;
//! a loop device's is that of the file that it shows; an NBD export's is its address, name and size. An id is one word for a shell.

use super::system::{Backing, Block, Inode, Node, System};
use serde::Serialize;
use std::convert::Infallible;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// Attributes in which sysfs has the serial number of a disk: virtio's; NVMe's, MMC's.
const SERIALS: [&str; 2] = ["serial", "device/serial"];

/// The page of a SCSI or SATA disk that has its serial number, behind four bytes.
const SERIAL_PAGE: &str = "device/vpd_pg80";
const SERIAL_PAGE_HEADER: usize = 4;

/// Attributes in which sysfs has the World Wide Name of a disk: of an NVMe namespace; of a SCSI or SATA disk; an MMC
/// card's identification.
const WWNS: [&str; 3] = ["wwid", "device/wwid", "device/cid"];

/// The kernel's number of the driver that shows exports of NBD servers as disks.
const NBD_MAJOR: u32 = 43;

/// The word for what a disk does not say.
const UNSAID: &str = "-";

/// What tells a device from all others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Id(String);

impl Display for Id {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Id {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Id, Infallible> {
        Ok(Id(text.trim().to_owned()))
    }
}

/// What a disk says that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Serial number.
    pub serial: Option<String>,
    /// World Wide Name, or another name that no other disk has.
    pub wwn: Option<String>,
}

impl Said {
    /// What sysfs has of it.
    #[must_use]
    pub fn of(block: &Block) -> Said {
        let first = |names: &[&str]| {
            let said = names.iter().filter_map(|name| block.text(name));
            said.map(|text| word(&text))
                .find(|text| says_something(text))
        };
        let page = || {
            let page = block.bytes_of(SERIAL_PAGE)?;
            let serial = word(&String::from_utf8_lossy(page.get(SERIAL_PAGE_HEADER..)?));
            says_something(&serial).then_some(serial)
        };
        Said {
            serial: first(&SERIALS).or_else(page),
            wwn: first(&WWNS),
        }
    }

    fn id(&self, bytes: u64) -> Option<Id> {
        if self.serial.is_none() && self.wwn.is_none() {
            return None;
        }
        let of = |said: &Option<String>| said.clone().unwrap_or_else(|| UNSAID.to_owned());
        let (serial, wwn) = (of(&self.serial), of(&self.wwn));
        Some(Id(format!("disk:{serial}:{wwn}:{bytes}")))
    }
}

/// A word for a shell: what could be taken for something else there, or for the next part of an id, is `_`.
fn word(text: &str) -> String {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let fits = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    text.chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}

/// Bridges to USB and virtual machines give zeros or nothing for a disk that has no number of its own.
fn says_something(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_alphanumeric() && c != '0')
}

impl Id {
    /// The id of a file.
    #[must_use]
    pub fn of_file(file: Inode, bytes: u64) -> Id {
        let Inode { device, inode } = file;
        Id(format!("file:{device}:{inode}:{bytes}"))
    }

    /// The id of an export of an NBD server.
    #[must_use]
    pub fn of_export(address: &str, export: &str, bytes: u64) -> Id {
        let (address, export) = (word(address), word(export));
        Id(format!("nbd:{address}:{export}:{bytes}"))
    }

    /// The id of the file that a loop device shows.
    ///
    /// # Errors
    /// Why it has none.
    pub fn of_loop(backing: &Backing) -> Result<Id, String> {
        let path = backing.path.display();
        let Some(node) = backing.node else {
            return Err(format!(
                "it shows {path}, and no such file can be found from here"
            ));
        };
        let Node::File(file) = node else {
            return Err(format!(
                "it shows the device {path}: measure that one itself"
            ));
        };
        match backing
            .file_bytes()
            .filter(|bytes| backing.may_have_size(*bytes))
        {
            Some(bytes) => Ok(Id::of_file(file, bytes)),
            None => Err(format!(
                "it shows {path}, and that file has another size than it had: attach it again"
            )),
        }
    }

    /// The id of a whole disk, which no other disk of the system has.
    ///
    /// # Errors
    /// Why it has none.
    pub fn of_disk(system: &System, disk: &Block) -> Result<Id, String> {
        if disk.number.major == NBD_MAJOR {
            return Err(
                "the kernel does not say which server's export it shows: detach it, and give the export itself as \
                 nbd://HOST:PORT/EXPORT"
                    .to_owned(),
            );
        }
        let id = Said::of(disk).id(disk.bytes()).ok_or_else(|| {
            "it says neither a serial number nor a World Wide Name (WWN), so nothing tells it from another disk \
             that takes its place"
                .to_owned()
        })?;
        let all = system.blocks().map_err(|why| why.to_string())?;
        // The paths to a disk that has several of them are hidden.
        let is_other = |block: &&Block| {
            block.number != disk.number && !block.is("hidden") && block.disk().is_none()
        };
        let same = |block: &&Block| Said::of(block).id(block.bytes()).as_ref() == Some(&id);
        match all.iter().filter(is_other).find(same) {
            None => Ok(id),
            Some(other) => Err(format!(
                "{} says the same of itself ({id}); disconnect that one",
                other.name()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{says_something, word};

    #[test]
    fn an_id_is_one_word_for_a_shell() {
        assert_eq!(word(" Samsung SSD: 1$(x)\n"), "Samsung_SSD__1__x_");
    }

    #[test]
    fn zeros_and_spaces_are_no_number() {
        for nothing in ["", "0000", "____", "00-00"] {
            assert!(!says_something(nothing), "{nothing}");
        }
        assert!(says_something("S0") && says_something("0a0"));
    }
}
