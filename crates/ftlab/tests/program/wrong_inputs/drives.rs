//! Drives, their files, and `--set`.

use super::{Row, try_all};

#[test]
fn drives_that_are_none_are_refused() {
    const ROWS: &[Row] = &[
        ("nonsense", 2, "unrecognized subcommand 'nonsense'"),
        ("drives foo", 2, "unexpected argument 'foo'"),
        (
            "drives --year 18",
            2,
            "give a year or a range of years: 2012, 2018.., ..2013 or 2009..2011",
        ),
        ("drives --year 2018-2020", 2, "give a year or a range"),
        ("drives --year 2020..2018", 2, "give the earlier one first"),
        (
            "drives --class toaster",
            2,
            "client, data-centre, cloud, disk, memory",
        ),
        ("drives --output-format xml", 2, "normal, json, csv"),
        ("drives --plc", 2, "--qlc"),
        ("show", 2, "<DRIVE>"),
        ("show 970evo", 2, "did you mean samsung-970-evo-500 or"),
        ("show PM9A3960", 2, "did you mean samsung-pm9a3-960?"),
        (
            "show samsung-970-evo",
            2,
            "matches several drives: samsung-970-evo-500",
        ),
        (
            "show nonesuch",
            2,
            "unknown drive `nonesuch`; `ftlab drives` lists them all",
        ),
        (
            "show empty.toml",
            2,
            "empty.toml: `schema` is missing: a drive file begins with schema = 1",
        ),
        ("show ./empty.toml", 2, "./empty.toml: `schema` is missing"),
        (
            "show testbed.toml",
            2,
            "`kind` is missing: give \"ssd\", \"disk\" or \"ram\"",
        ),
        ("show broken.toml", 2, "broken.toml: at line 2, column 8: "),
        (
            "show bare.toml",
            2,
            "bare.toml: at line 7, column 1: 49 has no unit; write it as \"49 ns\"",
        ),
        (
            "show unit.toml",
            2,
            "unit.toml: at line 7, column 1: unit `kg` is none of: B, KiB",
        ),
        (
            "show kind.toml",
            2,
            "at line 2, column 1: unknown variant `tape`, expected one of `ssd`, `disk`, `ram`",
        ),
        (
            "show year.toml",
            2,
            "at line 5, column 1: invalid type: string \"old\", expected a whole number",
        ),
        ("show schema.toml", 2, "schema 7; this ftlab reads schema 1"),
        ("show base.toml", 2, "base `dc-tcl` is none of: consumer-m2"),
        (
            "show folder",
            2,
            "it is a directory; give the path of a .toml file",
        ),
        ("show missing.toml", 2, "there is no such file"),
        ("show random.fio", 2, "random.fio: at line 2, column 7"),
        ("show generic-mlc-8 --output-format yaml", 2, "normal, json"),
        ("tests Z99", 2, "unknown test `Z99`"),
        ("tests --suite nonesuch", 2, "there are: anandtech-2008"),
        ("completions nonesuch", 2, "bash, zsh, fish"),
        ("review nonesuch", 2, "unknown drive `nonesuch`"),
        ("pts nonesuch", 2, "unknown drive `nonesuch`"),
        ("endurance --drive nonesuch", 2, "unknown drive `nonesuch`"),
        (
            "run random.fio --drive nonesuch",
            2,
            "unknown drive `nonesuch`",
        ),
        (
            "run random.fio --drive empty.fio",
            2,
            "empty.fio: `schema` is missing",
        ),
        (
            "run random.fio --drive a=generic-mlc-8 --drive generic-mlc-8",
            2,
            "or none a name",
        ),
        (
            "run random.fio --drive a=generic-mlc-8 --drive a=generic-mlc-8",
            2,
            "every drive needs a name of its own",
        ),
    ];
    try_all(ROWS);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    const ROWS: &[Row] = &[
        (
            "show generic-mlc-8 --set nand.t_read=0",
            2,
            "0 us: it must be above 0",
        ),
        (
            "show generic-mlc-8 --set nand.t_program=0",
            2,
            "in `nand.t_program` (with --set nand.t_program=0)",
        ),
        (
            "show generic-mlc-8 --set nand.t_erase=0ns",
            2,
            "0 ns: it must be above 0",
        ),
        (
            "show generic-mlc-8 --set nand.t_read=-5us",
            2,
            "-5 us: it must be above 0",
        ),
        (
            "show generic-mlc-8 --set nand.channel_rate=0",
            2,
            "0 MB/s: it must be above 0",
        ),
        (
            "show generic-mlc-8 --set nand.channels=0",
            2,
            "0: it must be above 0; from 1",
        ),
        (
            "show generic-mlc-8 --set nand.channels=-1",
            2,
            "it must be above 0",
        ),
        (
            "show generic-mlc-8 --set nand.channels=1.5",
            2,
            "it must be a whole number",
        ),
        (
            "show generic-mlc-8 --set nand.channels=four",
            2,
            "`four` is not a number",
        ),
        (
            "show generic-mlc-8 --set nand.t_read=49parsecs",
            2,
            "unit `parsecs` is none of: ns, us, ms, s",
        ),
        (
            "show generic-mlc-8 --set nand.t_read=nan",
            2,
            "`nan` is not a number",
        ),
        (
            "show generic-mlc-8 --set nand.t_read=1e99s",
            2,
            "beyond anything a drive has",
        ),
        (
            "show generic-mlc-8 --set nand.t_raed=49us",
            2,
            "unknown key `nand.t_raed` (did you mean t_read",
        ),
        (
            "show generic-mlc-8 --set nnad.t_read=49us",
            2,
            "unknown section `nnad` (did you mean nand?)",
        ),
        (
            "show generic-mlc-8 --set nand=5",
            2,
            "a section; set one of its keys",
        ),
        (
            "show generic-mlc-8 --set spare.op",
            2,
            "is not of the form key=value",
        ),
        (
            "show generic-mlc-8 --set spare.op=",
            2,
            "is not of the form key=value",
        ),
        (
            "show generic-mlc-8 --set =5",
            2,
            "is not of the form key=value",
        ),
        (
            "show generic-mlc-8 --set spare.op=0",
            2,
            "0: it must be above 0",
        ),
        (
            "show generic-mlc-8 --set gc.policy=gready",
            2,
            "policy `gready` is none of: greedy, fifo",
        ),
        (
            "show generic-mlc-8 --set map.slot=1KiB",
            2,
            "the least is 4 KiB",
        ),
        (
            "show generic-mlc-8 --set link.port=pcie9x4",
            2,
            "they are called pcie1x1 to pcie5x8",
        ),
        (
            "show generic-mlc-8 --set firmware.read_command=-1",
            2,
            "it must not be negative",
        ),
        (
            "show wd-raptor-150 --set disk.heads=0",
            2,
            "it must be above 0",
        ),
        (
            "show wd-raptor-150 --set disk.rpm=0",
            2,
            "it must be above 0",
        ),
        (
            "show ramdisk-8gb --set ram.copy_rate=0",
            2,
            "it must be above 0",
        ),
        (
            "show ramdisk-8gb --set ram.capacity=1B",
            2,
            "at least a sector of 512 bytes",
        ),
        (
            "show samsung-970-evo-500 --set slc.t_program=0",
            2,
            "it must be above 0",
        ),
        (
            "run random.fio --drive generic-mlc-8 --set nand.t_erase=0",
            2,
            "it must be above 0",
        ),
        (
            "serve --drive generic-mlc-8 --image x.img --set nand.t_read=0",
            2,
            "it must be above 0",
        ),
    ];
    try_all(ROWS);
}
