//! Every key of fio's, and what becomes of it here.

/// Keys that describe the host and cannot change what a modelled drive is asked to do.
const IGNORED: &[(&str, &[&str])] = &[
    (
        "a modelled drive is one file, its filename or none",
        &[
            "directory",
            "filename_format",
            "nrfiles",
            "openfiles",
            "unique_filename",
            "lockfile",
            "opendir",
            "filesize",
            "allow_mounted_write",
        ],
    ),
    (
        "requests reach the drive at the job's iodepth, whatever the engine",
        &[
            "ioengine",
            "hipri",
            "sqthread_poll",
            "registerfiles",
            "fixedbufs",
            "nonvectored",
            "userspace_reap",
            "io_submit_mode",
            "force_async",
            "uncached",
            "nowait",
        ],
    ),
    (
        "the queue is refilled at each completion",
        &[
            "iodepth_batch",
            "iodepth_batch_submit",
            "iodepth_batch_complete",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "iodepth_low",
        ],
    ),
    (
        "there is no page cache in front of the drive",
        &[
            "direct",
            "buffered",
            "invalidate",
            "fadvise_hint",
            "pre_read",
            "write_hint",
        ],
    ),
    (
        "there is no file to create, extend or remove",
        &[
            "create_on_open",
            "create_serialize",
            "create_fsync",
            "create_only",
            "allow_file_create",
            "overwrite",
            "fallocate",
            "unlink",
            "unlink_each_loop",
            "end_fsync",
            "fsync_on_close",
            "file_append",
        ],
    ),
    (
        "jobs are modelled, not run as threads of the host",
        &[
            "thread",
            "cpus_allowed",
            "cpus_allowed_policy",
            "cpumask",
            "numa_cpu_nodes",
            "numa_mem_policy",
            "nice",
            "prio",
            "prioclass",
            "cgroup",
            "cgroup_weight",
            "cgroup_nodelete",
            "uid",
            "gid",
            "ioscheduler",
            "exec_prerun",
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
        "time is virtual and every request is timed",
        &[
            "gtod_reduce",
            "gtod_cpu",
            "clocksource",
            "disable_lat",
            "disable_clat",
            "disable_slat",
            "disable_bw_measurement",
            "disable_bw",
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
            "percentile_list",
            "significant_figures",
            "unit_base",
        ],
    ),
    (
        "logs and reports are chosen on the command line",
        &[
            "write_bw_log",
            "write_lat_log",
            "write_iops_log",
            "write_hist_log",
            "write_iolog",
            "log_avg_msec",
            "log_hist_msec",
            "log_hist_coarseness",
            "log_max_value",
            "log_offset",
            "log_compression",
            "log_compression_cpus",
            "log_store_compressed",
            "log_unix_epoch",
            "log_alternate_epoch",
            "log_entries",
            "log_prio",
            "log_issue_time",
            "per_job_logs",
            "bwavgtime",
            "iopsavgtime",
            "bandwidth-log",
            "unified_rw_reporting",
            "new_group",
            "stats",
            "error_dump",
            "disk_util",
        ],
    ),
    (
        "random numbers come from the run's seed",
        &["random_generator", "softrandommap", "allrandrepeat"],
    ),
    (
        "requests never overlap in a modelled host's memory",
        &["serialize_overlap"],
    ),
];

/// Keys that would change the requests and are not modelled: running without them would measure
/// something else.
const UNSUPPORTED: &[(&str, &[&str])] = &[
    (
        "give one size a kind of request with bs",
        &[
            "bsrange",
            "blocksize_range",
            "bssplit",
            "blocksize_unaligned",
            "bs_unaligned",
            "bs_is_seq_rand",
        ],
    ),
    (
        "only powers of 1024 are supported; write sizes as plain bytes",
        &["kb_base"],
    ),
    (
        "a modelled drive has no zones",
        &[
            "zonemode",
            "zonerange",
            "zonesize",
            "zonecapacity",
            "zoneskip",
            "max_open_zones",
            "job_max_open_zones",
            "read_beyond_wp",
            "ignore_zone_limits",
            "zone_reset_threshold",
            "zone_reset_frequency",
            "zone_mode",
        ],
    ),
    (
        "offsets in percent are rounded up to whole blocks; state others in bytes",
        &["offset_align"],
    ),
    (
        "traces are not job files",
        &[
            "read_iolog",
            "replay_no_stall",
            "replay_redirect",
            "replay_scale",
            "replay_align",
            "replay_time_scale",
            "replay_skip",
            "merge_blktrace_file",
            "merge_blktrace_scalars",
            "merge_blktrace_iters",
            "read_iolog_chunked",
        ],
    ),
    (
        "data are checked by the run itself",
        &[
            "verify",
            "do_verify",
            "verify_backlog",
            "verify_backlog_batch",
            "verify_offset",
            "verify_interval",
            "verify_pattern",
            "verify_fatal",
            "verify_dump",
            "verify_async",
            "verify_async_cpus",
            "verify_only",
            "verifysort",
            "verify_state_save",
            "verify_state_load",
            "experimental_verify",
        ],
    ),
    (
        "use rw=randtrimwrite with rwmixtrim",
        &[
            "trim_percentage",
            "trim_verify_zero",
            "trim_backlog",
            "trim_backlog_batch",
        ],
    ),
    (
        "order jobs with stonewall",
        &[
            "wait_for",
            "flow",
            "flow_id",
            "flow_sleep",
            "flow_watermark",
            "exitall",
            "exit_what",
            "exitall_on_error",
        ],
    ),
    (
        "use rate or rate_iops",
        &[
            "rate_min",
            "rate_iops_min",
            "rate_process",
            "rate_cycle",
            "rate_ignore_thinktime",
            "ratemin",
            "ratecycle",
        ],
    ),
    (
        "use thinktime and thinktime_blocks",
        &["thinktime_blocks_type", "thinktime_iotime"],
    ),
    (
        "measure latency at fixed depths instead",
        &[
            "latency_target",
            "latency_window",
            "latency_percentile",
            "latency_run",
            "max_latency",
        ],
    ),
    (
        "steady state is found by the bench's own test",
        &[
            "steadystate",
            "ss",
            "steadystate_duration",
            "ss_dur",
            "steadystate_ramp_time",
            "ss_ramp",
            "steadystate_check_interval",
        ],
    ),
    (
        "use fsync or fdatasync",
        &["sync", "sync_file_range", "write_barrier"],
    ),
    (
        "use buffer_compress_percentage or dedupe_percentage",
        &[
            "buffer_pattern",
            "buffer_compress_chunk",
            "dedupe_mode",
            "dedupe_working_set_percentage",
            "dedupe_global",
        ],
    ),
    ("give size in bytes or percent", &["fill_device", "fill_fs"]),
    (
        "it would change the order of requests",
        &[
            "rw_sequencer",
            "continue_on_error",
            "ignore_error",
            "cmdprio_percentage",
            "cmdprio",
            "cmdprio_class",
            "profile",
        ],
    ),
];

/// Why a key has no effect on a modelled drive, if it is one of those.
pub fn ignored(key: &str) -> Option<&'static str> {
    reason(IGNORED, key)
}

/// Why a key is refused, if it is one of those.
pub fn unsupported(key: &str) -> Option<&'static str> {
    reason(UNSUPPORTED, key)
}

fn reason(table: &[(&'static str, &[&str])], key: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(_, keys)| keys.contains(&key))
        .map(|(why, _)| *why)
}

/// The known key most like `key`, if any is like it at all. `supported` wins a tie.
pub fn nearest(key: &str, supported: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    // Long lines are not misspelt keys, and comparing them would be slow.
    const KEY_CHARS_MAX: usize = 64;
    const LIKENESS_MIN: f64 = 0.6;
    if key.len() > KEY_CHARS_MAX {
        return None;
    }
    let others = IGNORED.iter().flat_map(|(_, keys)| keys.iter().copied());
    let mut best = (LIKENESS_MIN, None);
    for known in supported.chain(others) {
        let likeness = strsim::normalized_damerau_levenshtein(key, known);
        if likeness > best.0 {
            best = (likeness, Some(known));
        }
    }
    best.1
}
