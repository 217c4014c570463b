//! The mounted file, as a block device is to programs that know nothing of it.

use super::block_device::{turn, wait_until};
use super::server::{MIB, Serve, json, run, said};
use std::path::Path;
use tempfile::TempDir;

/// A drive that is mounted, and can be reached over NBD.
struct Site {
    server: Option<Serve>,
    folder: TempDir,
}

impl Site {
    fn new(more: &[&str]) -> Site {
        let folder = TempDir::new().expect("a folder");
        std::fs::create_dir(folder.path().join("fuse")).expect("a folder");
        let drive = ["--drive", "intel-x25-m-g1-80", "--size", "64m"];
        let ways = ["--fuse", "fuse", "--unix", "s", "--timing", "off"];
        let arguments = [&drive[..], &ways, more].concat();
        let site = Site {
            server: Some(Serve::start(folder.path(), &arguments)),
            folder,
        };
        wait_until("the file is there", || size(&site.path("fuse/disk")) > 0);
        site
    }

    fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().expect("ASCII").to_owned()
    }

    /// Runs a line of a shell in the folder of the mounted file; what it says in the end, and whether that
    /// was no error.
    fn shell(&self, line: &str) -> (bool, String) {
        let folder = self.path("");
        let output = run("sh", &["-c", &format!("cd {folder} && ({line}) 2>&1")]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text)
    }

    fn does(&self, line: &str) {
        let (is_good, text) = self.shell(line);
        assert!(is_good, "{line}: {text}");
    }

    fn refuses(&self, line: &str, why: &str) {
        let (is_good, text) = self.shell(line);
        assert!(!is_good && text.contains(why), "{line}: {text}");
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.server.take());
        // What a failure leaves behind.
        run("umount", &["-l", &self.path("fuse")]);
    }
}

fn size(path: &str) -> u64 {
    Path::new(path).metadata().map_or(0, |file| file.len())
}

#[test]
fn dd_and_cp_write_onto_it_and_leave_the_rest_as_it_was() {
    let Some(_turn) = turn("dd and cp onto the mounted file") else {
        return;
    };
    let site = Site::new(&[]);
    // Whole sectors, and not.
    site.does("head -c 4194304 /dev/urandom > whole; head -c 1000001 /dev/urandom > part");
    site.does("tr '\\0' x < /dev/zero | head -c 67108864 > old");
    site.does("cp old fuse/disk && cmp old fuse/disk");
    for (line, same) in [
        (
            "dd if=whole of=fuse/disk bs=1M status=none",
            "cmp -n 4194304 whole fuse/disk",
        ),
        (
            "dd if=whole of=fuse/disk bs=1M seek=6 status=none",
            "cmp -n 4194304 whole fuse/disk 0 6M",
        ),
        ("cp part fuse/disk", "cmp -n 1000001 part fuse/disk"),
        ("cat part > fuse/disk", "cmp -n 1000001 part fuse/disk"),
        (
            "dd if=part of=fuse/disk bs=1000 seek=1 count=99 status=none",
            "cmp -n 99000 part fuse/disk 0 1000",
        ),
        (
            "dd if=fuse/disk of=back bs=7777 status=none",
            "cmp back fuse/disk",
        ),
    ] {
        site.does(line);
        site.does(same);
        assert_eq!(size(&site.path("fuse/disk")), 64 * MIB, "{line}");
        site.does("cmp -n 1048576 old fuse/disk 4M 4M");
        site.does("cmp old fuse/disk 10M 10M");
    }
    site.does("cmp -n 3194303 whole fuse/disk 1000001 1000001");
}

#[test]
fn a_copy_with_holes_has_them_punched() {
    let Some(_turn) = turn("holes of a copy onto the mounted file") else {
        return;
    };
    let site = Site::new(&[]);
    site.does("head -c 16777216 /dev/urandom > fuse/disk");
    site.does("truncate -s 8M holes && head -c 1048576 /dev/urandom | dd of=holes conv=notrunc seek=4 bs=1M iflag=fullblock status=none");
    site.does("cp --sparse=always holes fuse/disk && cmp -n 8388608 holes fuse/disk");
    site.does("cp --sparse=always fuse/disk back && cmp back fuse/disk");
    site.does("fallocate --punch-hole --offset 9M --length 1M fuse/disk");
    site.does("fallocate --zero-range --offset 11M --length 1M fuse/disk");
    site.does(
        "cmp -n 1048576 /dev/zero fuse/disk 0 9M && cmp -n 1048576 /dev/zero fuse/disk 0 11M",
    );
}

#[test]
fn it_ends_where_the_drive_ends() {
    let Some(_turn) = turn("the end of the mounted file") else {
        return;
    };
    let site = Site::new(&[]);
    let full = "dd if=/dev/zero of=fuse/disk bs=3M status=none";
    site.refuses(full, "No space left on device");
    site.does("cmp -n 67108864 /dev/zero fuse/disk");
    site.refuses(
        "dd if=/dev/zero of=fuse/disk bs=512 seek=131072 count=1 status=none",
        "No space left on device",
    );
}

#[test]
fn what_it_cannot_be_is_refused() {
    let Some(_turn) = turn("what the mounted file cannot be") else {
        return;
    };
    let site = Site::new(&[]);
    for (line, why) in [
        // Whoever empties a file, or has it grow, relies on that.
        ("truncate -s 0 fuse/disk", "Invalid argument"),
        ("truncate -s 65M fuse/disk", "Invalid argument"),
        ("chmod 644 fuse/disk", "Operation not permitted"),
        ("chown 1:1 fuse/disk", "Operation not permitted"),
        ("rm fuse/disk", "Operation not permitted"),
        ("mv fuse/disk fuse/other", "Operation not permitted"),
        ("echo > fuse/other", "Operation not permitted"),
        ("mkdir fuse/other", "Operation not permitted"),
    ] {
        site.refuses(line, why);
    }
    site.does("touch fuse/disk && chmod 600 fuse/disk && sync fuse/disk");
    site.does("truncate -s 64M fuse/disk");
    site.does("test $(stat --file-system --format=%b*%S fuse | tr '*' ' ' | awk '{print $1 * $2}') = 67108864");
    let sealed = Site::new(&["--read-only"]);
    for line in ["cp /bin/sh fuse/disk", "fallocate -p -l 1M fuse/disk"] {
        sealed.refuses(line, "Read-only file system");
    }
}

/// Where there are data, as `lseek` tells it from the first byte on.
const SEEKS: &str = "
import errno, os, sys
disk = os.open(sys.argv[1], os.O_RDONLY)
size, at = os.fstat(disk).st_size, 0
while at < size:
    try:
        data = os.lseek(disk, at, os.SEEK_DATA)
    except OSError as error:
        assert error.errno == errno.ENXIO, error
        break
    at = os.lseek(disk, data, os.SEEK_HOLE)
    # Within data and within a hole.
    assert os.lseek(disk, data + 5, os.SEEK_DATA) == data + 5
    assert os.lseek(disk, data + 5, os.SEEK_HOLE) == at
    if at < size:
        assert os.lseek(disk, at + 5, os.SEEK_HOLE) == at + 5
    print(data, at)
for past in (size, size + 1):
    try:
        os.lseek(disk, past, os.SEEK_HOLE)
        sys.exit('there is something behind the end')
    except OSError as error:
        assert error.errno == errno.ENXIO, error
assert os.lseek(disk, -512, os.SEEK_END) == size - 512
";

#[test]
fn holes_are_where_block_status_says() {
    let Some(_turn) = turn("holes of the mounted file") else {
        return;
    };
    let site = Site::new(&[]);
    let uri = format!("nbd+unix:///?socket={}", site.path("s"));
    let agree = || {
        let map = json(&said("nbdinfo", &["--json", "--map", &uri]));
        let mut data: Vec<(u64, u64)> = Vec::new();
        for extent in map.as_array().expect("extents") {
            let number = |key: &str| extent[key].as_u64().expect("a number");
            if number("type") != 0 {
                continue;
            }
            let (from, to) = (number("offset"), number("offset") + number("length"));
            match data.last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => data.push((from, to)),
            }
        }
        let seeks = said("python3", &["-c", SEEKS, &site.path("fuse/disk")]);
        let lines: String = data
            .iter()
            .map(|(from, to)| format!("{from} {to}\n"))
            .collect();
        assert_eq!(seeks, lines);
        data
    };
    assert_eq!(agree(), []);
    // The last slot too.
    for (seek, count) in [(0, 1), (3, 2), (100, 1), (102, 1), (16_383, 1)] {
        site.does(&format!(
            "dd if=/dev/urandom of=fuse/disk bs=4k seek={seek} count={count} conv=notrunc status=none"
        ));
    }
    assert_eq!(agree().len(), 5);
    site.does("fallocate --punch-hole --offset 12k --length 4k fuse/disk");
    site.does("cp --sparse=always fuse/disk back && cmp back fuse/disk");
    assert_eq!(agree()[1], (16 << 10, 20 << 10));
    site.does("yes | head -c 67108864 > fuse/disk");
    assert_eq!(agree(), [(0, 64 * MIB)]);
}
