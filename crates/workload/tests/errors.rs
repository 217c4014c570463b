//! What is wrong with a job file is said with place, value and remedy.

use ftlab_workload::JobFile;

fn error(text: &str) -> String {
    JobFile::parse(text, "t.fio").expect_err(text).to_string()
}

/// The message for one option in a job of its own; the option is on line 2.
fn option(option: &str) -> String {
    error(&format!("[job]\n{option}\n"))
}

fn resolve(options: &str, device_bytes: u64) -> String {
    let file = JobFile::parse(&format!("[job]\n{options}\n"), "t.fio").expect("parses");
    file.jobs[0]
        .resolve(device_bytes)
        .expect_err(options)
        .to_string()
}

#[test]
fn a_misspelt_key_is_answered_with_the_nearest() {
    assert_eq!(
        option("iodeph=4"),
        "t.fio:2: unknown option `iodeph`; did you mean `iodepth`?"
    );
    assert_eq!(
        option("io-size=4k"),
        "t.fio:2: unknown option `io-size`; did you mean `io_size`?"
    );
    assert_eq!(option("xyzzy=4"), "t.fio:2: unknown option `xyzzy`");
}

#[test]
fn logs_of_another_shape_are_refused_where_there_are_logs() {
    let why = error("[job]\nlog_offset=1\nwrite_lat_log=a\n");
    assert!(
        why.starts_with("t.fio:2: job `job`: with log_offset"),
        "{why}"
    );
    for fine in [
        "log_offset=0\nwrite_lat_log=a",
        "log_offset=1",
        "log_prio=1\nlog_prio=0\nwrite_bw_log=a",
    ] {
        assert!(
            JobFile::parse(&format!("[job]\n{fine}\n"), "t.fio").is_ok(),
            "{fine}"
        );
    }
}

#[test]
fn values_out_of_range_say_what_is_allowed() {
    for (text, allowed) in [
        (
            "iodepth=0",
            "iodepth must be a whole number from 1 to 65536",
        ),
        (
            "iodepth=-1",
            "iodepth must be a whole number from 1 to 65536",
        ),
        (
            "iodepth=four",
            "iodepth must be a whole number from 1 to 65536",
        ),
        ("bs=0", "bs must be bytes from 1 to 1g"),
        (
            "bs=1,2,3,4",
            "bs must be at most three values: reads, writes, trims",
        ),
        (
            "rwmixread=101",
            "rwmixread must be a whole number from 0 to 100",
        ),
        (
            "percentage_random=101",
            "percentage_random must be a whole number from 0 to 100",
        ),
        (
            "rwmixtrim=50",
            "rwmixtrim must be a whole number from 0 to 49",
        ),
        ("numjobs=0", "numjobs must be a whole number from 1 to 4096"),
        (
            "thinktime_blocks=0",
            "thinktime_blocks must be a whole number of at least 1",
        ),
        ("size=101%", "size must be a percentage from 0% to 100%"),
        ("offset=-1%", "offset must be a percentage from 0% to 100%"),
        (
            "size=4.5g",
            "size must be a number with an optional suffix k, m, g, t or p (powers of 1024)",
        ),
        (
            "runtime=1.5",
            "runtime must be a whole number with an optional suffix us, ms, s, m, h or d",
        ),
        ("time_based=yes", "time_based must be 0 or 1"),
        (
            "random_distribution=zipf:1.0",
            "random_distribution must be zipf:θ with θ above 0 and other than 1",
        ),
        (
            "random_distribution=zoned:50/50:20/50",
            "random_distribution must be zoned:… with accesses that add up to 100, not 70",
        ),
        (
            "rw=randwrit",
            "rw must be read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, \
             trimwrite or randtrimwrite; did you mean randwrite?",
        ),
    ] {
        assert_eq!(
            option(text),
            format!("t.fio:2: {text} is not valid: {allowed}")
        );
    }
}

#[test]
fn a_missing_value_is_asked_for() {
    assert_eq!(option("rw"), "t.fio:2: rw needs a value: write rw=…");
    assert_eq!(option("rw="), "t.fio:2: rw needs a value: write rw=…");
}

#[test]
fn keys_that_would_change_the_requests_are_refused_with_a_way_out() {
    assert_eq!(
        option("max_open_zones=4"),
        "t.fio:2: option `max_open_zones` is not supported: a modelled drive has no zones"
    );
    assert_eq!(
        option("zonemode=zbd"),
        "t.fio:2: zonemode=zbd is not valid: zonemode must be none or strided: a modelled drive has no zones of its \
         own, as zbd asks for"
    );
    assert_eq!(
        option("ioengine=filecreate"),
        "t.fio:2: ioengine=filecreate cannot run on a drive: it makes, looks up or removes files and does no I/O on a \
         disk; take libaio, io_uring, psync or another engine for block devices"
    );
    // The engine is what is wrong with a file of its options.
    assert!(option("http_host=x\nioengine=http").contains("ioengine=http cannot run on a drive"));
}

#[test]
fn lines_that_are_no_options_are_named() {
    assert_eq!(
        error("bs=4k\n[job]\n"),
        "t.fio:1: `bs=4k` stands before the first section; put it under [global]"
    );
    assert_eq!(
        error("[job\n"),
        "t.fio:1: a section is written [name] on a line of its own"
    );
    assert_eq!(
        error("[]\n"),
        "t.fio:1: a section needs a name: write [name]"
    );
    assert_eq!(
        option("rand write=1"),
        "t.fio:2: `rand write=1` is no option; options are written key=value, one on a line"
    );
    assert_eq!(
        option("include other.fio"),
        "t.fio:2: include is not supported; put the options into this file"
    );
    let none = "t.fio: no job: add a section such as [randwrite] after the [global] ones";
    assert_eq!(error("[global]\nbs=4k\n"), none);
    assert_eq!(error(""), none);
}

#[test]
fn options_that_do_not_go_together_are_told_at_their_line() {
    assert_eq!(
        error("[job]\nsize=1k\nbs=4k\n"),
        "t.fio:2: job `job`: size=1024 is smaller than one block; it must be at least bs, 4096 bytes"
    );
    assert_eq!(
        error("[a]\n[b]\nwait_for=c\n"),
        "t.fio:3: job `b`: it waits for `c`, and no job before it has that name; put that one first"
    );
    assert_eq!(
        error("[a]\nzonemode=strided\n"),
        "t.fio:2: job `a`: zonemode=strided needs zonesize, the bytes that are moved in a zone"
    );
    assert_eq!(
        error("[a]\nrate_iops=10\nrate_iops_min=20\n"),
        "t.fio:3: job `a`: the least rate is above the rate that the job is held to; lower it"
    );
    assert_eq!(
        error("[job]\nrate=1m\nrate_iops=5\n"),
        "t.fio:3: job `job`: rate and rate_iops exclude each other; leave one out"
    );
    assert_eq!(
        error("[job]\nrw=randwrite\nrwmixtrim=10\n"),
        "t.fio:3: job `job`: rwmixtrim needs rw=randtrimwrite"
    );
    assert_eq!(
        error("[job]\nrw=trimwrite\nbs=4k,4k,8k\n"),
        "t.fio:3: job `job`: the blocks trimmed are those written; give bs one size for writes and trims"
    );
    assert_eq!(
        error("[a]\nnumjobs=4096\n[b]\n"),
        "t.fio:3: job `b`: more than 4096 jobs in all; lower numjobs"
    );
}

#[test]
fn an_offset_beyond_the_device_states_both_sizes() {
    assert_eq!(
        resolve("filesize=512k\noffset=1m", 2 << 20),
        "t.fio:1: job `job`: offset 1048576 lies beyond the file, which has 524288 bytes by filesize"
    );
    assert_eq!(
        resolve("offset=1m", 1 << 20),
        "t.fio:1: job `job`: offset 1048576 lies beyond the device, which has 1048576 bytes"
    );
}

#[test]
fn a_region_without_a_block_is_refused() {
    assert_eq!(
        resolve("bs=64k\nsize=1%", 1 << 20),
        "t.fio:1: job `job`: the region of 10485 bytes holds no block of 65536 bytes at its \
         alignment; give a larger size or a smaller bs or blockalign"
    );
    assert!(resolve("rw=randread\nba=1m\nsize=64k", 1 << 20).contains("blockalign"));
    assert!(resolve("", 0).contains("beyond the device"));
}
