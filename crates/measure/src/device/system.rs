//! What the kernel says of block devices, mounts and swap: sysfs and procfs, read below a root.
//!
//! Devices are known by their numbers, as names change while they are looked at. Where the kernel gives a path and no
//! number, as `/proc/swaps` does, the path is looked up.

use rustix::fs::{Dev, major, minor};
use std::fmt::{self, Display, Formatter};
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Bytes of a sector as sysfs counts them, whatever the drive's own are.
pub const SECTOR_BYTES: u64 = 512;

/// Where a loop device's file was removed, its path ends in this.
const DELETED: &str = " (deleted)";

/// Number of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    /// Number of its driver.
    pub major: u32,
    /// Number among those of the driver.
    pub minor: u32,
}

impl Number {
    /// The number that the system's one word stands for.
    #[must_use]
    pub fn of(raw: Dev) -> Number {
        Number {
            major: major(raw),
            minor: minor(raw),
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl FromStr for Number {
    type Err = ();

    fn from_str(text: &str) -> Result<Number, ()> {
        let (major, minor) = text.trim().split_once(':').ok_or(())?;
        Ok(Number {
            major: major.parse().map_err(drop)?,
            minor: minor.parse().map_err(drop)?,
        })
    }
}

/// A regular file, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inode {
    /// Number of its file system's device.
    pub device: Number,
    /// Number in the file system.
    pub inode: u64,
}

impl Inode {
    /// The file of that description.
    #[must_use]
    pub fn of(meta: &Metadata) -> Inode {
        Inode {
            device: Number::of(meta.dev()),
            inode: meta.ino(),
        }
    }
}

/// The end of a path: a device or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A block device.
    Block(Number),
    /// Anything else, by its place in its file system.
    File(Inode),
}

impl Node {
    /// The end of the path of that description.
    #[must_use]
    pub fn of(meta: &Metadata) -> Node {
        match meta.file_type().is_block_device() {
            true => Node::Block(Number::of(meta.rdev())),
            false => Node::File(Inode::of(meta)),
        }
    }
}

/// A system whose sysfs and procfs are below a root.
#[derive(Debug, Clone)]
pub struct System {
    root: PathBuf,
}

/// A file system that is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Number of its device; of some kinds of file system it is no block device's.
    pub number: Number,
    /// The directory.
    pub at: PathBuf,
    /// The kind of file system.
    pub kind: String,
    /// What was mounted: mostly the path of a device.
    pub source: PathBuf,
}

/// A block device as sysfs has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub number: Number,
    dir: PathBuf,
}

/// What a loop device shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backing {
    /// The path, as the kernel has it.
    pub path: PathBuf,
    /// The end of that path; none where it leads nowhere from here, as in a container.
    pub node: Option<Node>,
    /// Size of what is there.
    file_bytes: Option<u64>,
    /// Bytes of the file in front of the device.
    offset_bytes: u64,
    /// Bytes of the device.
    bytes: u64,
    /// The device ends where the file did when it was set up.
    is_to_the_end: bool,
    is_deleted: bool,
}

impl System {
    /// This machine.
    #[must_use]
    pub fn here() -> System {
        System::below(Path::new("/"))
    }

    /// A system whose `/sys`, `/proc` and `/dev` are below `root`.
    #[must_use]
    pub fn below(root: &Path) -> System {
        System {
            root: root.to_owned(),
        }
    }

    fn path(&self, absolute: &Path) -> PathBuf {
        self.root
            .join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// The block device of a number, if there is one.
    #[must_use]
    pub fn block(&self, number: Number) -> Option<Block> {
        let link = self
            .path(Path::new("/sys/dev/block"))
            .join(number.to_string());
        let dir = link.canonicalize().ok()?;
        Some(Block { number, dir })
    }

    /// Every block device.
    ///
    /// # Errors
    /// When there is no sysfs.
    pub fn blocks(&self) -> io::Result<Vec<Block>> {
        let names = std::fs::read_dir(self.path(Path::new("/sys/dev/block")))?;
        let mut blocks = Vec::new();
        for name in names {
            let number = name?.file_name().to_string_lossy().parse();
            blocks.extend(number.ok().and_then(|number| self.block(number)));
        }
        blocks.sort_by_key(|block| block.number);
        Ok(blocks)
    }

    /// The file systems that are mounted where this process sees them.
    ///
    /// # Errors
    /// When there is no procfs, or it says something else.
    pub fn mounts(&self) -> io::Result<Vec<Mount>> {
        let text = std::fs::read(self.path(Path::new("/proc/self/mountinfo")))?;
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        lines
            .map(|line| mount(line).ok_or_else(|| strange("/proc/self/mountinfo", line)))
            .collect()
    }

    /// The number of the file system that is this process's root.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn root(&self) -> io::Result<Number> {
        std::fs::metadata(&self.root).map(|meta| Number::of(meta.dev()))
    }

    /// The devices and files that the system swaps to, with their paths.
    ///
    /// # Errors
    /// When procfs says something else.
    pub fn swaps(&self) -> io::Result<Vec<(PathBuf, Option<Node>)>> {
        let text = match std::fs::read(self.path(Path::new("/proc/swaps"))) {
            // A kernel without swap.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            text => text?,
        };
        let lines = text.split(|byte| *byte == b'\n').skip(1);
        let fields = lines.filter_map(|line| line.split(u8::is_ascii_whitespace).next());
        let paths = fields.filter(|field| !field.is_empty()).map(unescaped);
        Ok(paths
            .map(|path| {
                let node = self.node(&path).or_else(|| self.node_of_name(&path));
                (path, node)
            })
            .collect())
    }

    /// The devices of each btrfs that is mounted anywhere, by its name: its mounts have numbers of their own.
    #[must_use]
    pub fn btrfs(&self) -> Vec<(String, Vec<Number>)> {
        let systems = entries(&self.path(Path::new("/sys/fs/btrfs")));
        let devices = systems.into_iter().map(|dir| {
            let name = file_name(&dir);
            (name, numbers(&dir.join("devices")))
        });
        devices.filter(|(_, devices)| !devices.is_empty()).collect()
    }

    /// The end of an absolute path, if there is something.
    #[must_use]
    pub fn node(&self, path: &Path) -> Option<Node> {
        let meta = std::fs::metadata(self.path(path)).ok()?;
        Some(Node::of(&meta))
    }

    /// The device of a path that leads nowhere, as in a container, by its name in sysfs.
    fn node_of_name(&self, path: &Path) -> Option<Node> {
        let name = path.strip_prefix("/dev").ok()?;
        let name = name.to_string_lossy().replace('/', "!");
        let text = text(
            &self
                .path(Path::new("/sys/class/block"))
                .join(name)
                .join("dev"),
        )?;
        text.parse().ok().map(Node::Block)
    }

    /// What a loop device shows; none of any other, or of one that is free.
    #[must_use]
    pub fn backing(&self, block: &Block) -> Option<Backing> {
        let shown = std::fs::read(block.dir.join("loop/backing_file")).ok()?;
        let shown = PathBuf::from(std::ffi::OsString::from_vec(
            shown.trim_ascii_end().to_vec(),
        ));
        let removed = shown
            .to_string_lossy()
            .strip_suffix(DELETED)
            .map(PathBuf::from);
        let meta = std::fs::metadata(self.path(&shown)).ok();
        let node = meta.as_ref().map(Node::of);
        let is_deleted = node.is_none() && removed.is_some();
        let number = |name: &str| block.count(name).unwrap_or(0);
        Some(Backing {
            path: removed.filter(|_| is_deleted).unwrap_or(shown),
            node,
            file_bytes: meta.map(|meta| meta.len()),
            offset_bytes: number("loop/offset"),
            bytes: block.bytes(),
            is_to_the_end: number("loop/sizelimit") == 0,
            is_deleted,
        })
    }
}

impl Backing {
    /// Size of the file now; none where it cannot be found from here.
    #[must_use]
    pub fn file_bytes(&self) -> Option<u64> {
        self.file_bytes
    }

    /// Returns true if a file of that size may be what the device shows, by its size alone.
    #[must_use]
    pub fn may_have_size(&self, bytes: u64) -> bool {
        let end = self.offset_bytes + self.bytes;
        let is_exact = self.is_to_the_end && !self.is_deleted;
        end <= bytes && (!is_exact || bytes - end < SECTOR_BYTES)
    }
}

impl Block {
    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> String {
        file_name(&self.dir).replace('!', "/")
    }

    /// What an attribute says; none where there is no such attribute, or nothing in it.
    #[must_use]
    pub fn text(&self, attribute: &str) -> Option<String> {
        text(&self.dir.join(attribute))
    }

    /// The bytes of an attribute that is no text.
    #[must_use]
    pub fn bytes_of(&self, attribute: &str) -> Option<Vec<u8>> {
        std::fs::read(self.dir.join(attribute)).ok()
    }

    fn count(&self, attribute: &str) -> Option<u64> {
        self.text(attribute)?.parse().ok()
    }

    /// Returns true if an attribute that is a switch is on.
    #[must_use]
    pub fn is(&self, attribute: &str) -> bool {
        self.count(attribute).is_some_and(|value| value != 0)
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count("size").unwrap_or(0) * SECTOR_BYTES
    }

    /// The disk that it is a partition of.
    #[must_use]
    pub fn disk(&self) -> Option<Block> {
        self.text("partition")?;
        Block::at(self.dir.parent()?)
    }

    /// Its partitions.
    #[must_use]
    pub fn partitions(&self) -> Vec<Block> {
        let dirs = entries(&self.dir).into_iter();
        dirs.filter(|dir| dir.join("partition").exists())
            .filter_map(|dir| Block::at(&dir))
            .collect()
    }

    /// The devices that are made of it.
    #[must_use]
    pub fn holders(&self) -> Vec<Block> {
        self.linked("holders")
    }

    /// The devices that it is made of.
    #[must_use]
    pub fn slaves(&self) -> Vec<Block> {
        self.linked("slaves")
    }

    fn linked(&self, folder: &str) -> Vec<Block> {
        let links = entries(&self.dir.join(folder)).into_iter();
        links.filter_map(|link| Block::at(&link)).collect()
    }

    /// The device of a directory of sysfs, or of a link to one.
    fn at(dir: &Path) -> Option<Block> {
        let dir = dir.canonicalize().ok()?;
        let number = text(&dir.join("dev"))?.parse().ok()?;
        Some(Block { number, dir })
    }
}

fn text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// What is in a folder, by name; nothing where there is none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = read.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn numbers(folder: &Path) -> Vec<Number> {
    let links = entries(folder).into_iter();
    links
        .filter_map(|link| Block::at(&link).map(|block| block.number))
        .collect()
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Reads a line of mountinfo: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn mount(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let behind = fields.iter().position(|field| *field == b"-")?;
    Some(Mount {
        number: str::from_utf8(fields.get(2)?).ok()?.parse().ok()?,
        at: unescaped(fields.get(4)?),
        kind: String::from_utf8_lossy(fields.get(behind + 1)?).into_owned(),
        source: unescaped(fields.get(behind + 2)?),
    })
}

/// A path in which the kernel wrote spaces and the like as `\040`.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, behind)) = rest.split_first() {
        let octal = behind.get(..3).filter(|_| *first == b'\\');
        let octal = octal.and_then(|digits| str::from_utf8(digits).ok());
        let byte = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[3..] } else { behind };
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

fn strange(file: &str, line: &[u8]) -> io::Error {
    let line = String::from_utf8_lossy(line);
    io::Error::new(
        ErrorKind::InvalidData,
        format!("{file} has the line `{line}`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mountinfo_has_any_number_of_tags() {
        let with =
            mount(b"36 35 98:0 /a /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root rw");
        let without = mount(b"36 35 98:0 /a /mnt\\0402 rw,noatime - ext3 /dev/root rw");
        assert_eq!(with, without);
        let mount = with.unwrap();
        assert_eq!(
            mount.number,
            Number {
                major: 98,
                minor: 0
            }
        );
        assert_eq!(mount.at, Path::new("/mnt 2"));
        assert_eq!(mount.source, Path::new("/dev/root"));
    }

    #[test]
    fn escapes_are_read_and_other_backslashes_stay() {
        for (written, read) in [
            (r"/a\040b", "/a b"),
            (r"/a\134040", r"/a\040"),
            (r"/a\b", r"/a\b"),
            (r"/a\04", r"/a\04"),
        ] {
            assert_eq!(unescaped(written.as_bytes()), Path::new(read));
        }
    }
}
