//! Drives that hold data, and the tools for them.

use super::{Row, try_all};

#[test]
fn images_that_are_none_are_refused() {
    const ROWS: &[Row] = &[
        (
            "serve --drive nonesuch --image x.img",
            2,
            "unknown drive `nonesuch`",
        ),
        (
            "serve --drive generic-mlc-8 --image x.img --size 1",
            2,
            "a size of 1 byte: it must be whole sectors of 512 bytes",
        ),
        (
            "serve --drive generic-mlc-8 --image x.img --size 1000",
            2,
            "a size of 1,000 bytes: it must be whole sectors",
        ),
        (
            "serve --drive generic-mlc-8 --image x.img --size 0",
            2,
            "it must be whole sectors",
        ),
        (
            "serve --drive generic-mlc-8 --image x.img --size 99t",
            2,
            "the drive has 7,584,727,040 bytes",
        ),
        (
            "serve --drive generic-mlc-8 --image x.img --size x",
            2,
            "give a number with an optional suffix",
        ),
        (
            "serve --image random.fio",
            2,
            "it is not an image of a drive",
        ),
        (
            "serve --image missing.img",
            2,
            "say with --drive which drive to make",
        ),
        ("info missing.img", 2, "cannot open it"),
        ("info random.fio", 2, "it is not an image of a drive"),
        ("fsck missing.img", 2, "cannot open it"),
        ("fsck random.fio", 2, "it is not an image of a drive"),
        (
            "smart missing.img",
            2,
            "give an image of `ftlab serve`, or a control socket",
        ),
        ("smart random.fio", 2, "it is not an image of a drive"),
        (
            "top missing.img",
            2,
            "give an image of `ftlab serve`, or a control socket",
        ),
        (
            "stop missing.img",
            2,
            "give an image of `ftlab serve --daemon`, or a pid file",
        ),
        ("stop random.fio", 2, "this is no pid file"),
        ("fault random.fio", 2, "requires a subcommand"),
        (
            "mark random.fio 1",
            2,
            "start `ftlab serve --image` with it first",
        ),
        ("reset random.fio", 2, "`ftlab snapshot` makes one"),
        ("erase random.fio", 2, "it is not an image of a drive"),
        ("pack random.fio", 2, "--out <FILE>"),
        ("unpack random.fio", 2, "--out <IMAGE>"),
        (
            "crash random.fio",
            2,
            "it is no crash log: `ftlab serve --crash-log` writes one",
        ),
        ("crash missing.crash", 2, "cannot read it"),
        ("crash", 2, "were not provided"),
        ("crash --run true", 2, "--fs <FS>"),
        ("crash x.crash --fs ext4", 2, "give --check, or --run"),
        (
            "crash x.crash --fs zfs",
            2,
            "[possible values: ext4, xfs, btrfs]",
        ),
        (
            "crash x.crash --check ./a{mount}",
            2,
            "say with --fs which file system",
        ),
        (
            "crash x.crash --fs ext4 --check ./a{}",
            2,
            "write {mount}, the folder, in place of {}",
        ),
        (
            "crash --run true --fs ext4 --state 1@2",
            2,
            "cannot be used with",
        ),
        ("crash x.crash --size 64m", 2, "--run <CMD>"),
    ];
    try_all(ROWS);
}
