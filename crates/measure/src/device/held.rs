//! A device that is opened so that nobody else uses it, and looked at again then.

use super::id::Id;
use super::refusal::Refusal;
use super::system::{Block, Node, System};
use super::{Device, Kind, Place};
use ftlab_sheet::magic;
use rustix::fs::{FlockOperation, OFlags, fcntl_lock, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;

/// What is to be done with a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// It is read alone.
    Read,
    /// It is written, and was named for that.
    Destroy(Id),
}

/// A device that nobody else mounts, swaps to or makes others of, as long as this lives.
///
/// The kernel gives a block device to one owner alone (`O_EXCL`), and refuses one that has an owner, whichever container
/// that is in. Devices and files are locked, both ways that programs know; so is the file that a loop device shows.
#[derive(Debug)]
pub struct Held {
    /// Open; none of an NBD export, which is here no file.
    file: Option<File>,
    /// The file that a loop device shows, locked.
    _shown: Option<File>,
    device: Device,
    access: Access,
    system: System,
}

impl Held {
    /// Opens a device that was found.
    ///
    /// # Errors
    /// When it may not be measured, or is not the one that was named, before it was opened or after.
    pub fn open(system: &System, device: Device, access: Access) -> Result<Held, Refusal> {
        if let Access::Destroy(named) = &access {
            device.is_named(named)?;
        }
        device.check(system)?;
        let file = match device.place {
            Place::Here(node) => Some(open(&device, node, &access)?),
            Place::At(_) => None,
        };
        let shown = lock_shown(system, &device)?;
        let held = Held {
            file,
            _shown: shown,
            device,
            access,
            system: system.clone(),
        };
        held.verify()?;
        held.refuse_ours()?;
        Ok(held)
    }

    /// Looks again whether what was opened is the device that was named, and is used by nobody: after it was opened, and
    /// after every pause.
    ///
    /// # Errors
    /// When it is gone, or is not.
    pub fn verify(&self) -> Result<(), Refusal> {
        let path = || self.device.path.clone();
        let changed = |why: String| Refusal::Changed { path: path(), why };
        let now = self.again().map_err(|why| changed(why.to_string()))?;
        if now != self.device {
            return Err(changed(format!(
                "it was {}, and is {}",
                self.device.id, now.id
            )));
        }
        if let Access::Destroy(named) = &self.access {
            now.is_named(named)?;
        }
        now.check(&self.system)
    }

    /// The device as it is now: by its number, as the path may be another device's by now.
    fn again(&self) -> Result<Device, Refusal> {
        let path = self.device.path.clone();
        match (&self.device.place, &self.file) {
            (Place::Here(_), Some(file)) => {
                let meta = file.metadata();
                let meta = meta.map_err(|why| Refusal::NotThere {
                    path: path.clone(),
                    why,
                })?;
                Device::of(&self.system, path, &meta)
            }
            (Place::At(server), _) => Device::of_export(path, server.clone()),
            (Place::Here(_), None) => unreachable!("what is here was opened"),
        }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The block device, as the system has it now; none for a file.
    #[must_use]
    pub fn block(&self) -> Option<Block> {
        match self.device.node()? {
            Node::Block(number) => self.system.block(number),
            Node::File(_) => None,
        }
    }

    /// The open file; none of an NBD export.
    #[must_use]
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Returns true if it may be written.
    #[must_use]
    pub fn may_be_written(&self) -> bool {
        matches!(self.access, Access::Destroy(_))
    }

    /// A path at which a program that this process starts opens the same device, whatever has become of its name; the
    /// address of an NBD export.
    #[must_use]
    pub fn path_for_others(&self) -> PathBuf {
        let process = std::process::id();
        match (&self.device.place, &self.file) {
            (Place::At(server), _) => PathBuf::from(server.uri()),
            (Place::Here(_), Some(file)) => {
                PathBuf::from(format!("/proc/{process}/fd/{}", file.as_raw_fd()))
            }
            (Place::Here(_), None) => unreachable!("what is here was opened"),
        }
    }

    /// An image, a saved state or a crash log of ftlab's is somebody's drive.
    fn refuse_ours(&self) -> Result<(), Refusal> {
        let Some(file) = &self.file else {
            // What a server exports is whole drives.
            return Ok(());
        };
        let mut first = [0; magic::BYTES];
        let path = || self.device.path.clone();
        match file.read_exact_at(&mut first, 0) {
            // A file that is shorter is none.
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read.map_err(|why| Refusal::Unknown {
                path: path(),
                why: why.to_string(),
            })?,
        }
        match magic::Kind::of(&first) {
            None => Ok(()),
            Some(kind) => Err(Refusal::Ours {
                path: path(),
                what: kind.words(),
            }),
        }
    }
}

fn open(device: &Device, node: Node, access: &Access) -> Result<File, Refusal> {
    let path = || device.path.clone();
    let writes = matches!(access, Access::Destroy(_));
    // The path has no links, so one that is found now came between.
    let mut flags = OFlags::NOFOLLOW;
    if let Node::Block(_) = node {
        flags |= OFlags::EXCL;
    }
    let mut options = OpenOptions::new();
    let options = options.read(true).write(writes);
    let file = options.custom_flags(flags.bits() as i32).open(&device.path);
    let file = file.map_err(|why| of_opening(path(), &why))?;
    lock(&file, device, writes).map_err(|why| of_opening(path(), &why.into()))?;
    Ok(file)
}

/// Locks the file that a loop device shows. Its id was looked at before, and is after.
fn lock_shown(system: &System, device: &Device) -> Result<Option<File>, Refusal> {
    let Some(Node::Block(number)) = device.node() else {
        return Ok(None);
    };
    let backing = system
        .block(number)
        .and_then(|block| system.backing(&block));
    let Some(backing) = backing else {
        return Ok(None);
    };
    let of = |why: io::Error| of_opening(backing.path.clone(), &why);
    let file = File::open(&backing.path).map_err(of)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|why| of(why.into()))?;
    Ok(Some(file))
}

fn lock(file: &File, device: &Device, writes: bool) -> Result<(), Errno> {
    let how = match writes {
        true => FlockOperation::NonBlockingLockExclusive,
        false => FlockOperation::NonBlockingLockShared,
    };
    let of_programs = match device.kind {
        Kind::File => how,
        // The device manager shares the lock of a disk while it looks what is on it, and whoever changes that has it alone.
        Kind::Disk | Kind::Loop | Kind::Nbd => FlockOperation::NonBlockingLockShared,
    };
    flock(file, of_programs)?;
    // Virtual machines lock their disks this way.
    fcntl_lock(file, how)
}

fn of_opening(path: PathBuf, why: &io::Error) -> Refusal {
    match Errno::from_io_error(why) {
        Some(Errno::BUSY) => Refusal::Busy {
            path,
            why: "the kernel has given it to somebody else: a mount, perhaps of a container, swap, a pool of ZFS, or a \
                  program"
                .to_owned(),
        },
        Some(Errno::AGAIN) => Refusal::Busy {
            path,
            why: "another program has locked it".to_owned(),
        },
        Some(Errno::NOMEDIUM) => Refusal::Empty {
            path,
            why: "there is no medium in it",
        },
        Some(Errno::ROFS) => Refusal::ReadOnly { path },
        Some(Errno::TXTBSY) => Refusal::Busy {
            path,
            why: "it is a program at work, or the system swaps to it".to_owned(),
        },
        Some(Errno::ACCESS | Errno::PERM) => Refusal::Busy {
            path,
            why: format!("{why}; the owner of a device is root"),
        },
        _ => Refusal::Busy {
            path,
            why: why.to_string(),
        },
    }
}
