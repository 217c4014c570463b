//! fio's engines: which of them do I/O on a block device, and why the others cannot run on a drive.

use super::parts::StopsFor;

/// Engines that read and write a block device. What they cost the host is not modelled.
pub const BLOCK: &[&str] = &[
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "libaio",
    "posixaio",
    "solarisaio",
    "windowsaio",
    "io_uring",
    "io_uring_cmd",
    "mmap",
    "splice",
    "sg",
    "xnvme",
    "libblkio",
    "nbd",
    "rbd",
    "libiscsi",
    "libcufile",
    "ime_psync",
    "ime_psyncv",
    "ime_aio",
    "syslet-rw",
    "guasi",
    "binject",
];

/// Those of them that do one request at a time, whatever the depth.
const SYNCHRONOUS: &[&str] = &[
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "mmap",
    "splice",
    "ime_psync",
    "ime_psyncv",
];

/// Returns true if an engine does one request at a time.
pub fn is_synchronous(name: &str) -> bool {
    SYNCHRONOUS.contains(&name.trim())
}

/// Returns the requests that an engine with several outstanding does one by one.
pub fn stops_for(name: &str) -> StopsFor {
    let name = name.trim();
    StopsFor {
        trims: ["libaio", "posixaio", "io_uring", "io_uring_cmd"].contains(&name),
        flushes: name == "libaio",
    }
}

/// The others, by why they cannot.
pub const OTHERS: super::keys::Table = &[
    (
        "it makes, looks up or removes files and does no I/O on a disk",
        &[
            "filecreate",
            "filestat",
            "filedelete",
            "dircreate",
            "dirstat",
            "dirdelete",
            "ftruncate",
            "falloc",
            "e4defrag",
            "fileoperations",
        ],
    ),
    (
        "it moves nothing to any disk",
        &["null", "cpp_null", "cpuio", "exec"],
    ),
    (
        "it sends data over a network, to no block device",
        &[
            "net",
            "netsplice",
            "rdma",
            "http",
            "librpma_apm_client",
            "librpma_apm_server",
            "librpma_gpspm_client",
            "librpma_gpspm_server",
        ],
    ),
    (
        "it talks to a file system or an object store, which is no block device",
        &["nfs", "libhdfs", "gfapi", "gfapi_async", "rados", "dfs"],
    ),
    (
        "it writes persistent memory, which is no drive",
        &["libpmem", "pmemblk", "dev-dax"],
    ),
    (
        "it writes raw flash, which has no translation layer",
        &["mtd"],
    ),
    (
        "it writes zones, and a modelled drive has none",
        &["libzbc"],
    ),
    ("nobody knows what it does", &["external"]),
];

/// Returns the reason why an engine cannot run on a drive; none where it can.
pub fn refusal(name: &str) -> Option<&'static str> {
    // `external:path`, `net,fill`: the name ends before these.
    let name = name.split([':', ',']).next().unwrap_or(name).trim();
    if BLOCK.contains(&name) {
        return None;
    }
    let known = OTHERS.iter().find(|(_, names)| names.contains(&name));
    Some(known.map_or("fio has none of that name", |(why, _)| why))
}
