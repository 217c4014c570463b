//! A Unix socket that its owner alone removes.
//!
//! A server that is gone leaves its socket behind, and the next one takes the path over: it must tell a socket
//! that nobody listens at from one of a server at work, and remove only the former. Between the look and the act
//! another server could do the same, so both happen under a lock on the folder, which all servers take. The lock
//! is the kernel's and ends with its holder, so it leaves no file behind.

use rustix::fs::{FlockOperation, Mode, OFlags, fchmod, flock, lstat, open};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};
use std::fs::remove_file;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Clients that may wait until they are accepted.
const BACKLOG: i32 = 128;

/// Longest wait for the lock of the folder. Servers hold it for less than a millisecond.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// Interval at which the lock is tried meanwhile.
const LOCK_EVERY: Duration = Duration::from_millis(5);

/// A Unix socket that is listened at. When it is dropped its path is removed, unless another server has taken
/// the path meanwhile.
#[derive(Debug)]
pub struct UnixSocket {
    listener: UnixListener,
    path: PathBuf,
    identity: Identity,
}

/// Device and inode. The kernel gives the inode to no other file while the listener is open.
type Identity = (u64, u64);

impl UnixSocket {
    /// Listens at a path, with the permissions of `mode` less the process's umask. A socket that stands there
    /// and that nobody listens at is replaced.
    ///
    /// # Errors
    /// When somebody listens there, when something else stands there, or when the system refuses.
    pub fn bind(path: &Path, mode: u32) -> io::Result<UnixSocket> {
        let _lock = lock_folder(path)?;
        if is_abandoned(path)? {
            remove_file(path)?;
        }
        let socket = new_socket(SocketFlags::CLOEXEC)?;
        // Before it is bound, so that nobody finds it with other permissions.
        fchmod(&socket, Mode::from_raw_mode(mode))?;
        bind(&socket, &SocketAddrUnix::new(path)?)?;
        let bound = UnixSocket {
            listener: socket.into(),
            path: path.to_owned(),
            identity: identity(path)?,
        };
        listen(&bound.listener, BACKLOG)?;
        Ok(bound)
    }

    /// Listener that clients are accepted from.
    #[must_use]
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        // Whatever fails here leaves a socket that nobody listens at: the next server replaces it.
        if let Ok(_lock) = lock_folder(&self.path)
            && identity(&self.path).is_ok_and(|found| found == self.identity)
        {
            let _ = remove_file(&self.path);
        }
    }
}

/// Keeps other servers from claiming or giving up a path of the same folder while the answer is held. There is no
/// lock to be had on some network file systems and in folders that cannot be read; there it is done without.
fn lock_folder(path: &Path) -> io::Result<Option<OwnedFd>> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = open(folder, flags, Mode::empty()) else {
        return Ok(None);
    };
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(folder)),
            Err(Errno::WOULDBLOCK) if Instant::now() < until => thread::sleep(LOCK_EVERY),
            Err(Errno::WOULDBLOCK) => {
                let why = "another program has locked the folder of the socket";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
            }
            Err(_) => return Ok(None),
        }
    }
}

/// True if there is a socket that nobody listens at. The check does not wait: a server whose queue is full is
/// there.
fn is_abandoned(path: &Path) -> io::Result<bool> {
    let found = path.symlink_metadata();
    if !found.is_ok_and(|found| found.file_type().is_socket()) {
        return Ok(false);
    }
    let probe = new_socket(SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
    let answer = connect(&probe, &SocketAddrUnix::new(path)?);
    Ok(answer == Err(Errno::CONNREFUSED))
}

fn new_socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    Ok(socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        flags,
        None,
    )?)
}

fn identity(path: &Path) -> io::Result<Identity> {
    let found = lstat(path)?;
    Ok((found.st_dev, found.st_ino))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::rename;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    use std::sync::Barrier;
    use tempfile::TempDir;

    fn socket_in(folder: &TempDir) -> PathBuf {
        folder.path().join("s")
    }

    /// What a server leaves that was killed.
    fn abandon(path: &Path) {
        drop(UnixListener::bind(path).expect("a socket"));
    }

    #[test]
    fn a_server_that_stops_leaves_the_socket_of_the_one_that_took_its_place() {
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        let first = UnixSocket::bind(&path, 0o777).expect("it listens");
        remove_file(&path).expect("somebody tidies up");
        let second = UnixSocket::bind(&path, 0o777).expect("the place is free");
        drop(first);
        UnixStream::connect(&path).expect("the second is reached");
        drop(second);
        assert!(!path.exists(), "its own socket is gone with it");
    }

    #[test]
    fn a_socket_that_was_moved_is_left_to_whoever_moved_it() {
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        let server = UnixSocket::bind(&path, 0o777).expect("it listens");
        rename(&path, folder.path().join("moved")).expect("a rename");
        std::fs::write(&path, "a file of somebody else").expect("a file");
        drop(server);
        assert!(path.exists());
    }

    #[test]
    fn a_live_socket_is_not_taken_and_an_abandoned_one_is() {
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        abandon(&path);
        let server = UnixSocket::bind(&path, 0o777).expect("nobody listens there");
        let second = UnixSocket::bind(&path, 0o777).expect_err("somebody does now");
        assert_eq!(second.kind(), io::ErrorKind::AddrInUse);
        UnixStream::connect(&path).expect("it is still reached");
        drop(server);
        std::fs::write(&path, "a file").expect("a file");
        UnixSocket::bind(&path, 0o777).expect_err("a file stands there");
    }

    /// Nobody accepts, so the queue fills up; a connection that would wait is one that somebody listens for.
    #[test]
    fn a_server_whose_queue_is_full_is_live_and_nobody_waits_for_it() {
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        let _server = UnixSocket::bind(&path, 0o777).expect("it listens");
        let address = SocketAddrUnix::new(&path).expect("a path");
        let mut clients = Vec::new();
        loop {
            let client = new_socket(SocketFlags::NONBLOCK).expect("a socket");
            if connect(&client, &address).is_err() {
                break;
            }
            clients.push(client);
        }
        UnixSocket::bind(&path, 0o777).expect_err("it is live");
    }

    #[test]
    fn of_many_that_start_at_a_time_one_gets_the_place_and_keeps_it() {
        const SERVERS: usize = 8;
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        for round in 0..100 {
            abandon(&path);
            let barrier = Barrier::new(SERVERS);
            let started: Vec<_> = thread::scope(|scope| {
                let start = || {
                    barrier.wait();
                    UnixSocket::bind(&path, 0o777).ok()
                };
                let threads: Vec<_> = (0..SERVERS).map(|_| scope.spawn(start)).collect();
                let ended = threads.into_iter().map(|thread| thread.join());
                ended
                    .filter_map(|server| server.expect("no panic"))
                    .collect()
            });
            assert_eq!(started.len(), 1, "servers in round {round}");
            UnixStream::connect(&path).expect("it is reached");
        }
    }

    #[test]
    fn it_has_the_permissions_it_is_given() {
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        let _server = UnixSocket::bind(&path, 0o600).expect("it listens");
        let mode = path.metadata().expect("a socket").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_folder_that_stays_locked_is_an_error_and_no_wait_without_end() {
        let folder = TempDir::new().expect("a folder");
        let path = socket_in(&folder);
        let _lock = lock_folder(&path).expect("nobody has it").expect("a lock");
        let error = UnixSocket::bind(&path, 0o777).expect_err("it is locked");
        assert!(error.to_string().contains("locked"), "{error}");
    }
}
