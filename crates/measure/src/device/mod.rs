//! Which device it is, and whether it may be measured.
//!
//! A mistake here destroys somebody's data, so nothing is written to a device that was not named twice: by its path, and
//! by an id that stays with the drive itself ([`Id`]). The path is resolved and looked at, the device is opened so that
//! nobody else can use it, and then the number of what was opened is looked at again, not the name ([`held::Held`]).
//! Whatever cannot be found out is a reason to refuse.
//!
//! - [`system`] reads sysfs and procfs, and decides nothing;
//! - [`uses`] says what a device is used for;
//! - [`id`] names a device;
//! - [`server`] asks NBD servers, whose exports are devices without a place in this system;
//! - [`Device`] puts these together, and [`refusal::Refusal`] says why not.

pub mod held;
pub mod id;
pub mod refusal;
pub mod server;
pub mod system;
pub mod uses;

use id::Id;
use refusal::{Refusal, gone};
use serde::Serialize;
use server::Server;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use system::{Block, Inode, Node, System};
use uses::Uses;

/// Kinds of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A whole disk.
    Disk,
    /// A loop device that shows a file.
    Loop,
    /// A regular file.
    File,
    /// An export of an NBD server.
    Nbd,
}

impl Kind {
    /// The kind in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Disk => "disk",
            Kind::Loop => "loop",
            Kind::File => "file",
            Kind::Nbd => "NBD export",
        }
    }
}

/// Where a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In this system: a block device's number, or a file's.
    Here(Node),
    /// At an NBD server.
    At(Server),
}

/// A device that has an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its path without links, or its address.
    pub path: PathBuf,
    /// Its kind.
    pub kind: Kind,
    /// Its size in bytes.
    pub bytes: u64,
    /// What tells it from all others.
    pub id: Id,
    /// Where it is, whatever its path leads to.
    pub place: Place,
}

impl Device {
    /// The device at a path, with links followed. It may be in use.
    ///
    /// # Errors
    /// When there is none, it is of a kind that is not measured, or nothing tells it from others.
    pub fn find(system: &System, path: &Path) -> Result<Device, Refusal> {
        let missing = |why: io::Error| Refusal::NotThere {
            path: path.to_owned(),
            why,
        };
        if Server::is_meant(path) {
            return Device::of_server(path);
        }
        let path = path.canonicalize().map_err(missing)?;
        let meta = std::fs::metadata(&path).map_err(missing)?;
        Device::of(system, path, &meta)
    }

    /// The device of a path without links, as it was found or opened.
    ///
    /// # Errors
    /// As [`Device::find`].
    pub fn of(system: &System, path: PathBuf, meta: &Metadata) -> Result<Device, Refusal> {
        if let Some(what) = unmeasured(meta) {
            return Err(Refusal::Kind { path, what });
        }
        match Node::of(meta) {
            Node::Block(number) => {
                let why = || gone(number);
                let block = system.block(number);
                let block = block.ok_or_else(|| Refusal::Unknown {
                    path: path.clone(),
                    why: why(),
                })?;
                Device::of_block(system, path, &block)
            }
            Node::File(file) => Device::of_file(path, file, meta.len()),
        }
    }

    /// The export at an address.
    fn of_server(path: &Path) -> Result<Device, Refusal> {
        let server = Server::of(path);
        let server = server.map_err(|why| Refusal::Address {
            address: path.to_owned(),
            why,
        })?;
        Device::of_export(path.to_owned(), server)
    }

    /// The export of a server, whatever its address is.
    ///
    /// # Errors
    /// When the server does not answer, or the export has no size.
    pub fn of_export(path: PathBuf, server: Server) -> Result<Device, Refusal> {
        let export = match server.ask() {
            Ok(export) => export,
            Err(why) => return Err(Refusal::NotThere { path, why }),
        };
        if export.bytes == 0 {
            let why = "the server's export is empty";
            return Err(Refusal::Empty { path, why });
        }
        Ok(Device {
            path,
            kind: Kind::Nbd,
            bytes: export.bytes,
            id: server.id(export.bytes),
            place: Place::At(server),
        })
    }

    /// Its number, or the file's; none of an export.
    #[must_use]
    pub fn node(&self) -> Option<Node> {
        match self.place {
            Place::Here(node) => Some(node),
            Place::At(_) => None,
        }
    }

    fn of_file(path: PathBuf, file: Inode, bytes: u64) -> Result<Device, Refusal> {
        if bytes == 0 {
            let why = "`truncate -s 1G` or `fallocate -l 1G` gives a file one";
            return Err(Refusal::Empty { path, why });
        }
        Ok(Device {
            path,
            kind: Kind::File,
            bytes,
            id: Id::of_file(file, bytes),
            place: Place::Here(Node::File(file)),
        })
    }

    /// The device that is a block device, whatever its path is.
    ///
    /// # Errors
    /// As [`Device::find`].
    pub fn of_block(system: &System, path: PathBuf, block: &Block) -> Result<Device, Refusal> {
        if let Some(disk) = block.disk() {
            let disk = disk.name();
            return Err(Refusal::Partition { path, disk });
        }
        let slaves: Vec<String> = block.slaves().iter().map(Block::name).collect();
        if !slaves.is_empty() {
            let of = slaves.join(" and ");
            return Err(Refusal::Made { path, of });
        }
        let bytes = block.bytes();
        if bytes == 0 {
            let why = match block.is("removable") {
                true => "there is no medium in it",
                false => "nothing is attached to it",
            };
            return Err(Refusal::Empty { path, why });
        }
        let named = match system.backing(block) {
            Some(backing) => Id::of_loop(&backing).map(|id| (Kind::Loop, id)),
            None => Id::of_disk(system, block).map(|id| (Kind::Disk, id)),
        };
        let (kind, id) = named.map_err(|why| Refusal::Nameless {
            path: path.clone(),
            why,
        })?;
        Ok(Device {
            path,
            kind,
            bytes,
            id,
            place: Place::Here(Node::Block(block.number)),
        })
    }

    /// Looks whether it may be measured: it is not in use and takes writes.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn check(&self, system: &System) -> Result<(), Refusal> {
        let path = || self.path.clone();
        let unknown = |why: String| Refusal::Unknown { path: path(), why };
        let node = match &self.place {
            Place::Here(node) => *node,
            // Nobody says who else is a client.
            Place::At(server) => {
                let export = server.ask().map_err(|why| unknown(why.to_string()))?;
                return match export.is_read_only {
                    true => Err(Refusal::ReadOnly { path: path() }),
                    false => Ok(()),
                };
            }
        };
        let uses = Uses::read(system).map_err(|why| unknown(why.to_string()))?;
        let found = match node {
            Node::File(file) => uses.of_file(file, self.bytes, None),
            Node::Block(number) => {
                let block = system.block(number).ok_or_else(|| unknown(gone(number)))?;
                let used = uses.of_disk(&block).or_else(|| {
                    let backing = system.backing(&block)?;
                    let bytes = backing.file_bytes()?;
                    match backing.node? {
                        Node::File(file) => uses.of_file(file, bytes, Some(number)),
                        Node::Block(_) => None,
                    }
                });
                if used.is_none() && block.is("ro") {
                    return Err(Refusal::ReadOnly { path: path() });
                }
                used
            }
        };
        match found {
            Some(what) => Err(Refusal::InUse { path: path(), what }),
            None => Ok(()),
        }
    }

    /// Looks whether it is the one that `--destroy` names.
    ///
    /// # Errors
    /// When it is not.
    pub fn is_named(&self, named: &Id) -> Result<(), Refusal> {
        match self.id == *named {
            true => Ok(()),
            false => Err(Refusal::Other {
                path: self.path.clone(),
                is: self.id.to_string(),
                named: named.to_string(),
            }),
        }
    }
}

/// The kind of what is neither a block device nor a regular file.
fn unmeasured(meta: &Metadata) -> Option<&'static str> {
    let kind = meta.file_type();
    if kind.is_block_device() || kind.is_file() {
        return None;
    }
    Some(match kind {
        kind if kind.is_char_device() => "a character device",
        kind if kind.is_dir() => "a directory",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "of a kind that is no drive",
    })
}
