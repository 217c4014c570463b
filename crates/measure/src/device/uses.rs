//! What a device or a file is used for: mounts, swap, devices that are made of it, loop devices that show it.
//!
//! A disk is in use when it is, when a partition of it is, and when anything is that is made of either, however many
//! layers lie between. The kernel knows more than is found here, such as the disks of a ZFS pool or mounts of other
//! containers: it gives nobody such a device alone ([`super::held`]). What it does not know is here: loop devices on disks
//! and on files, and swap files.

use super::refusal::{How, Use};
use super::system::{Block, Inode, Node, Number, System};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;

/// The uses of all devices and files of a system, as it is now.
#[derive(Debug)]
pub struct Uses<'a> {
    system: &'a System,
    devices: BTreeMap<Number, How>,
    files: BTreeMap<Inode, How>,
    /// Loop devices that show something.
    loops: Vec<Block>,
}

impl<'a> Uses<'a> {
    /// Reads them.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn read(system: &'a System) -> io::Result<Uses<'a>> {
        let mut devices = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (name, numbers) in system.btrfs() {
            devices.extend(
                numbers
                    .into_iter()
                    .map(|number| (number, How::Btrfs(name.clone()))),
            );
        }
        for mount in system.mounts()? {
            devices.insert(mount.number, How::Mounted(mount.at.clone()));
            // File systems over several devices have numbers of their own.
            if let Some(Node::Block(number)) = system.node(&mount.source) {
                devices.entry(number).or_insert(How::Mounted(mount.at));
            }
        }
        devices.insert(system.root()?, How::Root);
        for (path, node) in system.swaps()? {
            match node {
                Some(Node::Block(number)) => drop(devices.insert(number, How::Swap(path))),
                Some(Node::File(file)) => drop(files.insert(file, How::Swap(path))),
                None => {}
            }
        }
        let loops = system.blocks()?;
        let loops = loops
            .into_iter()
            .filter(|block| system.backing(block).is_some());
        Ok(Uses {
            system,
            devices,
            files,
            loops: loops.collect(),
        })
    }

    /// A use of a disk, or of anything that is made of it.
    #[must_use]
    pub fn of_disk(&self, disk: &Block) -> Option<Use> {
        let mut seen = BTreeSet::from([disk.number]);
        let mut left = VecDeque::from([(disk.clone(), Vec::new())]);
        let mut layers = Vec::new();
        while let Some((block, through)) = left.pop_front() {
            if let Some(how) = self.devices.get(&block.number) {
                let how = how.clone();
                return Some(Use { how, through });
            }
            for (above, how) in self.above(&block) {
                if !seen.insert(above.number) {
                    continue;
                }
                if let Some(how) = how {
                    let through = through.clone();
                    layers.push(Use { how, through });
                }
                let through = [vec![above.name()], through.clone()].concat();
                left.push_back((above, through));
            }
        }
        // What is mounted says more than what it is made of; a device that is made of it may hold data without a mount.
        layers.into_iter().next()
    }

    /// The devices that lie directly on one, with the use that each is; a partition is none.
    fn above(&self, block: &Block) -> Vec<(Block, Option<How>)> {
        let partitions = block.partitions().into_iter().map(|part| (part, None));
        let holders = block.holders().into_iter().map(|holder| {
            let how = How::Holder(holder.name());
            (holder, Some(how))
        });
        let shows = |other: &&Block| {
            let backing = self.system.backing(other);
            backing.is_some_and(|backing| backing.node == Some(Node::Block(block.number)))
        };
        let loops = self.loops.iter().filter(shows).map(|other| {
            let how = How::Loop(other.name());
            (other.clone(), Some(how))
        });
        partitions.chain(holders).chain(loops).collect()
    }

    /// A use of a file of that size, other than that the loop device `but` shows it.
    #[must_use]
    pub fn of_file(&self, file: Inode, bytes: u64, but: Option<Number>) -> Option<Use> {
        let of = |how: How| Use {
            how,
            through: Vec::new(),
        };
        if let Some(how) = self.files.get(&file) {
            return Some(of(how.clone()));
        }
        let others = self.loops.iter().filter(|block| Some(block.number) != but);
        others
            .filter_map(|block| {
                let backing = self.system.backing(block)?;
                match backing.node {
                    Some(node) => (node == Node::File(file)).then(|| How::Loop(block.name())),
                    None => (backing.may_have_size(bytes))
                        .then(|| How::PerhapsLoop(block.name(), backing.path)),
                }
            })
            .map(of)
            .next()
    }
}
