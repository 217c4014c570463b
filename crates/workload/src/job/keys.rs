//! Every key of fio's, and what becomes of it here.

/// Reasons, and the keys that they are the reasons of.
pub type Table = &'static [(&'static str, &'static [&'static str])];

/// Keys that cannot change what a modelled drive is asked to do.
pub const IGNORED: Table = &[
    (
        "files are parts of a modelled drive, which nothing else has open",
        &["unique_filename", "lockfile", "allow_mounted_write"],
    ),
    (
        "the modelled drive takes the place of the disk that it names",
        &[
            "uri",
            "pool",
            "rbdname",
            "clientname",
            "clustername",
            "busy_poll",
            "initiator",
        ],
    ),
    (
        "it says how the host makes its calls; the drive is sent the same requests",
        &[
            "hipri",
            "hipri_percentage",
            "sqthread_poll",
            "sqthread_poll_cpu",
            "registerfiles",
            "fixedbufs",
            "nonvectored",
            "userspace_reap",
            "io_submit_mode",
            "force_async",
            "uncached",
            "nowait",
            "thp",
            "cmd_type",
            "stream_id",
            "xnvme_async",
            "xnvme_sync",
            "xnvme_admin",
            "xnvme_dev_nsid",
            "xnvme_be",
        ],
    ),
    (
        "filling a queue takes no virtual time, so a batch is with the drive at the instant of its last request",
        &[
            "iodepth_batch",
            "iodepth_batch_submit",
            "iodepth_batch_complete_max",
        ],
    ),
    (
        "it is about the host's page cache, from which no request that is measured is served",
        &["invalidate", "fadvise_hint", "pre_read", "sync_file_range"],
    ),
    (
        "there is no file to create, extend or remove",
        &[
            "create_on_open",
            "create_serialize",
            "create_fsync",
            "allow_file_create",
            "overwrite",
            "fallocate",
            "unlink",
            "unlink_each_loop",
            "file_append",
        ],
    ),
    (
        "jobs are modelled, not run as threads of the host",
        &[
            "thread",
            "threads",
            "cpus_allowed",
            "cpus_allowed_policy",
            "cpumask",
            "numa_cpu_nodes",
            "numa_mem_policy",
            "nice",
            "cgroup",
            "cgroup_weight",
            "cgroup_nodelete",
            "uid",
            "gid",
            "ioscheduler",
            "exec_postrun",
            "thread_stack_size",
        ],
    ),
    (
        "the host's memory is not modelled",
        &[
            "mem",
            "iomem",
            "mem_align",
            "iomem_align",
            "hugepage-size",
            "lockmem",
        ],
    ),
    (
        "time is virtual, and asking for it takes none",
        &["gtod_cpu", "clocksource"],
    ),
    (
        "it says how logs are kept in memory, and over which spans rates are averaged that JSON has beside the mean",
        &[
            "log_compression",
            "log_compression_cpus",
            "log_entries",
            "bwavgtime",
            "iopsavgtime",
            "error_dump",
        ],
    ),
    (
        "what people read has ftlab's own units and as many digits as they ask for; JSON has all digits",
        &["significant_figures", "unit_base"],
    ),
    (
        "the results have the blocks of a modelled drive, how they are worn and which went bad",
        &["block_error_percentiles"],
    ),
    (
        "random numbers come from the run's seed",
        &["softrandommap", "allrandrepeat"],
    ),
    (
        "every slot of a modelled drive has a stamp, which is checked whole and at once",
        &[
            "verify_offset",
            "verify_interval",
            "verify_fatal",
            "verify_dump",
            "verify_async",
            "verify_async_cpus",
            "verifysort",
            "verifysort_nr",
            "verify_sort",
            "verify_state_save",
            "verify_write_sequence",
            "verify_header_seed",
            "verify_pattern_interval",
        ],
    ),
    (
        "the priority that a drive knows is that of a queue, and a job has one: prioclass and prio say it",
        &[
            "cmdprio_percentage",
            "cmdprio",
            "cmdprio_class",
            "cmdprio_hint",
            "cmdprio_bssplit",
        ],
    ),
    (
        "no engine of fio's for a block device makes anything of it",
        &["write_barrier", "barrier", "flow_watermark"],
    ),
    (
        "a trace is replayed on the drive that runs, and read in the same memory however long it is",
        &["replay_redirect", "read_iolog_chunked"],
    ),
    (
        "data compress by their share, wherever in a buffer it lies",
        &["buffer_compress_chunk"],
    ),
];

/// Keys that would change the requests and are not modelled: running without them would measure
/// something else.
pub const UNSUPPORTED: Table = &[
    (
        "a modelled drive has no zones",
        &[
            "zonecapacity",
            "max_open_zones",
            "job_max_open_zones",
            "read_beyond_wp",
            "ignore_zone_limits",
            "zone_reset_threshold",
            "zone_reset_frequency",
            "zone_mode",
            "recover_zbd_write_error",
        ],
    ),
    (
        "whether a job is steady is looked at each second; leave it out",
        &["steadystate_check_interval", "ss_interval"],
    ),
    (
        "a load replays one trace; merge them before",
        &[
            "merge_blktrace_file",
            "merge_blktrace_scalars",
            "merge_blktrace_iters",
        ],
    ),
    (
        "a modelled drive has no FUA; sync=1 sends a flush after each write",
        &["readfua", "writefua"],
    ),
    (
        "it takes the files of a folder; name the drive",
        &["opendir"],
    ),
    (
        "it makes the files of a job and does no I/O; leave it out",
        &["create_only"],
    ),
    (
        "fio 3.33 has no such word; log_max_value says which value of a span is logged",
        &["log_window_value"],
    ),
    (
        "it reads back what the seed would write in place of what was written; leave it out",
        &["experimental_verify"],
    ),
    (
        "the state of an earlier run's checks is none that ftlab has; leave it out",
        &["verify_state_load"],
    ),
    (
        "start the run with --state steady-fast, which brings the drive to where sprandom brings it",
        &["sprandom", "spr_op", "spr_num_regions", "spr_cs"],
    ),
    (
        "give each part of the scheme a job of its own, with its offset, size and plids",
        &["dp_scheme"],
    ),
    ("write the jobs of the profile into a file", &["profile"]),
];

/// Returns the reason why a key has no effect on a modelled drive, if it is one of those.
pub fn ignored(key: &str) -> Option<&'static str> {
    reason(IGNORED, key)
}

/// The name under which fio tells of a key without effect.
pub fn main_name(key: &str) -> &str {
    match key {
        "iodepth_batch_submit" => "iodepth_batch",
        "mem" => "iomem",
        "mem_align" => "iomem_align",
        key => key,
    }
}

/// Returns the reason why a key is refused, if it is one of those.
pub fn unsupported(key: &str) -> Option<&'static str> {
    reason(UNSUPPORTED, key)
}

/// Returns the reason why a refused key has no effect with a value: it is what fio does without it.
pub fn off(key: &str, value: &str) -> Option<&'static str> {
    const SWITCHES: &[&str] = &[
        "create_only",
        "experimental_verify",
        "verify_state_load",
        "readfua",
        "writefua",
    ];
    (value == "0" && SWITCHES.contains(&key)).then_some("it is switched off, as it is by default")
}

fn reason(table: Table, key: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(_, keys)| keys.contains(&key))
        .map(|(why, _)| *why)
}

/// The known key most like `key`, if any is like it at all. `supported` wins a tie.
pub fn nearest(key: &str, supported: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let others = IGNORED.iter().flat_map(|(_, keys)| keys.iter().copied());
    most_alike(key, supported.chain(others)).map(|(name, _)| name)
}

/// The name most like `key`, if any is like it at all, and how like it is; of several the first.
pub fn most_alike<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Option<(&'a str, f64)> {
    // Long lines are not misspelt keys, and comparing them would be slow.
    const KEY_CHARS_MAX: usize = 64;
    const LIKENESS_MIN: f64 = 0.6;
    if key.len() > KEY_CHARS_MAX {
        return None;
    }
    let mut best = None;
    let mut likeness_best = LIKENESS_MIN;
    for name in names {
        let likeness = strsim::normalized_damerau_levenshtein(key, name);
        if likeness > likeness_best {
            (likeness_best, best) = (likeness, Some(name));
        }
    }
    best.map(|name| (name, likeness_best))
}
