//! Where fio makes other requests of a job than ftlab does, and why.

/// Each row has beginnings of options, and says what fio does with a job that has all of them. A test runs fio 3.33 beside ftlab
/// on drawn jobs; a job that no row covers must give the same requests in both.
pub static DIFFERENCES: &[(&[&str], &str)] = &[
    (
        &["rw=read:-8k", "io_size"],
        "fio goes on backwards from the start of the device",
    ),
    (
        &["rw=read:-8k", "offset"],
        "fio counts its way back from the start of the device",
    ),
    (
        &["rw=read:-8k", "zone"],
        "fio counts its way back from the start of the device",
    ),
    (
        &["rw=write:8k", "zone"],
        "fio takes a stride from the end of the device for one from the zone's",
    ),
    (
        &["rw=read:-8k", "kb_base=1000"],
        "a stride of 8,000 bytes is no whole sectors, and is refused",
    ),
    (
        &["rw=write:8k", "kb_base=1000"],
        "a stride of 8,000 bytes is no whole sectors, and is refused",
    ),
    (
        &["rw=rand", "size=3m", "offset"],
        "fio draws places beyond the device, and ends with the first",
    ),
    (
        &["rw=rand", "filesize=3m"],
        "fio draws places beyond the device, and ends with the first",
    ),
    (
        &["rw=rand", "size=3m", "bssplit"],
        "fio draws places beyond the device, and ends with the first",
    ),
    (
        &["rw=rand", "size=3m", "bsrange"],
        "fio draws places beyond the device, and ends with the first",
    ),
    (
        &["rw=rand", "zone", "bs=12k"],
        "fio draws a block that the zone has no room for, and ends with it",
    ),
    (
        &["rw=trimwrite", "zone"],
        "fio comes to a last zone of which a part lies beyond the device",
    ),
    (
        &["rw=rand", "percentage_random=50"],
        "fio ends where a request in order comes to the end, which chance decides",
    ),
    (
        &["rw=randwrite", "bs=12k", "fsync"],
        "fio looks for one more block once all are written, and flushes before it does",
    ),
    (
        &["rw=randwrite", "bs=12k", "fdatasync"],
        "fio looks for one more block once all are written, and flushes before it does",
    ),
    (
        &["rw=write:8k", "verify"],
        "fio reads back what it wrote and counts it as what it is to write",
    ),
    (
        &["random_generator=lfsr", "random_distribution"],
        "fio ends once its register has come round, though it drew by a law",
    ),
    (
        &["rw=trimwrite", "io_size"],
        "fio ends with the region, whatever the amount",
    ),
    (
        &["rw=trimwrite", "size=3m"],
        "fio ends in the middle of what lies on the device",
    ),
    (
        &["rw=trimwrite", "iodepth"],
        "with trims outstanding, fio trims the next block before it writes the last",
    ),
    (
        &["rw=rand", "ba=", "random_distribution"],
        "fio draws a place beyond the device, and ends with it",
    ),
    (
        &["rw=rand", "zone", "random_distribution"],
        "fio draws a place beyond the device, and ends with it",
    ),
    (
        &["rw=read:-8k", "bsrange"],
        "fio counts its way back from the start of the device",
    ),
    (
        &["rw=read:-8k", "bssplit"],
        "fio counts its way back from the start of the device",
    ),
    (
        &["rw=read:-8k", "loops"],
        "fio begins a further loop where the last one has ended",
    ),
    (
        &["rw=randrw", "io_size=3m"],
        "fio ends where all blocks have been written or read once, whatever the amount",
    ),
    (
        &["filesize=1m", "offset=1m"],
        "fio makes no request, and ftlab says why there is none to make",
    ),
    (
        &["rw=", "verify", "kb_base=1000"],
        "requests of 12,000 bytes go through pages in memory, where nothing is verified",
    ),
    (
        &["rw=trim", "kb_base=1000"],
        "trims of 12,000 bytes are no whole sectors",
    ),
    (
        &["rw=read", "verify", "continue_on_error"],
        "fio counts what it cannot verify, and a modelled drive has nothing that is not its own",
    ),
];

/// What holds of every job, for the page.
pub const OF_EVERY_JOB: &[&str] = &[
    "Without an `ioengine`, `iodepth` holds; fio's own, psync, has one request outstanding.",
    "Requests of whole sectors go to the drive whatever `direct` says; fio without it measures the host's page cache.",
    "Of requests that go through pages in memory, a read brings the pages that it needs and no more; Linux reads ahead, 128 KiB by default.",
    "What is outstanding when a job's time is over is waited for and not counted; fio counts it and lengthens the time.",
    "Random places, sizes by shares and the directions of a mix follow the same laws from other random numbers.",
    "Calls of `sync_file_range` are not counted; fio counts them among flushes, though nothing reaches a drive.",
    "A drive without data has nothing to compare: `verify` of a job that only reads finds no fault.",
    "A queue with requests outstanding flushes in its turn; fio with libaio waits until nothing is waiting to be sent.",
];
