//! File systems that `ftlab crash` makes on a drive, and mounts the states of.

use std::path::Path;

/// What a command has in place of the folder where the file system is mounted.
pub const MOUNT: &str = "{mount}";

/// A file system of Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSystem {
    Ext4,
    Xfs,
    Btrfs,
}

impl FileSystem {
    /// By the names that `--fs` takes.
    pub const NAMED: [(&str, FileSystem, &str); 3] = [
        ("ext4", FileSystem::Ext4, "made by mkfs.ext4 of e2fsprogs"),
        ("xfs", FileSystem::Xfs, "made by mkfs.xfs of xfsprogs"),
        (
            "btrfs",
            FileSystem::Btrfs,
            "made by mkfs.btrfs of btrfs-progs",
        ),
    ];

    /// Its name, which `mount` takes as well.
    pub fn name(self) -> &'static str {
        let named = Self::NAMED.iter().find(|(_, of, _)| *of == self);
        named.map_or("", |(name, ..)| name)
    }

    /// The command that makes it on a device, and the package that has the command.
    pub fn maker(self) -> ([&'static str; 3], &'static str) {
        match self {
            FileSystem::Ext4 => (["mkfs.ext4", "-q", "-F"], "e2fsprogs"),
            FileSystem::Xfs => (["mkfs.xfs", "-q", "-f"], "xfsprogs"),
            FileSystem::Btrfs => (["mkfs.btrfs", "-q", "-f"], "btrfs-progs"),
        }
    }

    /// Options with which a state is mounted. States are copies, and xfs refuses a second one of a name otherwise.
    fn mount_options(self) -> &'static str {
        match self {
            FileSystem::Xfs => "loop,nouuid",
            FileSystem::Ext4 | FileSystem::Btrfs => "loop",
        }
    }

    /// Checkers at a time at most: btrfs takes copies of a file system for parts of one.
    pub fn checkers_max(self) -> usize {
        match self {
            FileSystem::Btrfs => 1,
            FileSystem::Ext4 | FileSystem::Xfs => usize::MAX,
        }
    }

    /// The checker of a state that has this file system: it mounts the state at `folder` and runs `check`. It has a name
    /// space of its own, so checkers do not see one another, and nothing stays mounted however it ends.
    pub fn checker(self, check: &str, folder: &Path) -> String {
        let folder = quoted(folder);
        let within = format!(
            "mount -t {name} -o {options} \"$FTLAB_STATE\" {folder} || {{ echo it does not mount as {name}; exit 1; }}\n{}",
            at(check, &folder),
            name = self.name(),
            options = self.mount_options(),
        );
        let within = shlex::try_quote(&within).expect("a command has no NUL");
        format!("unshare --mount sh -c {within}")
    }
}

/// A path as sh takes it.
pub fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    let quoted = shlex::try_quote(&path).expect("a path has no NUL");
    quoted.into_owned()
}

/// A command with the folder in place of `{mount}`, or at its end.
pub fn at(command: &str, folder: &str) -> String {
    match command.contains(MOUNT) {
        true => command.replace(MOUNT, folder),
        false => format!("{command} {folder}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_gets_the_folder_where_it_asks_for_it_or_at_its_end() {
        assert_eq!(at("./check {mount}/a", "/m"), "./check /m/a");
        assert_eq!(at("./check -v", "/m"), "./check -v /m");
    }

    #[test]
    fn a_name_is_that_of_mount() {
        for (name, of, _) in FileSystem::NAMED {
            assert_eq!(of.name(), name);
            assert_eq!(of.maker().0[0], format!("mkfs.{name}"));
        }
    }
}
