//! Values for every word that ftlab takes.

use std::collections::BTreeSet;

/// Words that are not drawn, and why.
const NOT_DRAWN: &[(&str, &str)] = &[
    ("name", "the section has the job's"),
    ("filename", "both programs have the same device"),
    ("rw", "every job has one"),
    ("rwmixtrim", "none of fio's"),
    ("shuffle", "none of fio's"),
    ("write_iolog", "every job has one"),
    ("read_iolog", "replays.rs compares replays"),
    ("replay_no_stall", "as read_iolog"),
    ("replay_time_scale", "as read_iolog"),
    ("replay_skip", "as read_iolog"),
    ("replay_scale", "as read_iolog"),
    ("replay_align", "as read_iolog"),
    ("replay_redirect", "as read_iolog"),
    ("read_iolog_chunked", "as read_iolog"),
    ("file_service_type", "there is one device"),
    ("wait_for", "there is one job"),
    ("flow", "there is one job"),
    ("flow_id", "there is one job"),
    ("flow_sleep", "there is one job"),
    ("numjobs", "fio writes the logs of clones into one"),
    ("latency_target", "ends by a clock"),
    ("latency_window", "as latency_target"),
    ("latency_percentile", "as latency_target"),
    ("latency_run", "as latency_target"),
    ("steadystate", "ends by a clock"),
    ("steadystate_duration", "as steadystate"),
    ("steadystate_ramp_time", "as steadystate"),
    ("steadystate_check_interval", "fio 3.33 has none"),
    ("runtime", "ends by a clock"),
    ("time_based", "ends by a clock"),
    ("ramp_time", "ends by a clock"),
    ("max_latency", "depends on a clock"),
    ("rate_min", "depends on a clock"),
    ("rate_iops_min", "depends on a clock"),
    ("fdp", "needs a drive of NVMe"),
    ("dataplacement", "needs a drive of NVMe"),
    ("plids", "needs a drive of NVMe"),
    ("plid_select", "needs a drive of NVMe"),
    ("sg_write_mode", "needs fio's engine for SCSI"),
    ("atomic", "fio asks Linux for a flag that it never had"),
    ("ioengine", "every job has one"),
    (
        "sync_file_range",
        "fio counts it as a flush, and nothing reaches a drive",
    ),
    ("exec_postrun", "runs a command"),
    ("ioscheduler", "changes the machine"),
    ("cgroup", "changes the machine"),
    ("cgroup_weight", "changes the machine"),
    ("cgroup_nodelete", "changes the machine"),
    ("uid", "changes the process"),
    ("gid", "changes the process"),
    ("cpumask", "depends on the machine"),
    ("numa_cpu_nodes", "depends on the machine"),
    ("numa_mem_policy", "depends on the machine"),
    ("mem", "depends on the machine"),
    ("hugepage-size", "depends on the machine"),
    ("lockmem", "takes memory"),
    ("error_dump", "nothing fails"),
    (
        "thinktime_spin",
        "fio 3.33 sleeps for an hour where it spun for longer than the pause",
    ),
    ("log_issue_time", "fio 3.33 has no such word"),
    ("log_alternate_epoch", "as log_alternate_epoch_clock_id"),
    ("hipri_percentage", "is of one engine"),
    ("cmdprio_percentage", "is of one engine"),
    ("uri", "is of another engine"),
    (
        "write_barrier",
        "fio has it for no engine of a block device",
    ),
    (
        "log_alternate_epoch_clock_id",
        "fio 3.33 takes it with a clock alone",
    ),
    ("lockfile", "the device is locked for others"),
    ("profile", "another program"),
    ("directory", "the device has none"),
    ("filename_format", "the device has its name"),
    ("opendir", "takes a folder"),
    ("description", "is text"),
    ("gtod_cpu", "starts a thread of the clock"),
    ("clocksource", "depends on the machine"),
    (
        "block_error_percentiles",
        "is for trims alone, and tells of the host",
    ),
    ("idle_prof", "tells of the host"),
    ("thread_stack_size", "depends on the machine"),
    ("verify_async", "starts threads that end when they like"),
    ("verify_async_cpus", "as verify_async"),
    ("verify_dump", "writes files where a check fails"),
    (
        "pre_read",
        "reads through the page cache, outside of what is measured",
    ),
    ("force_async", "is of io_uring"),
    ("write_bw_log", "logs have tests of their own"),
    ("write_iops_log", "as write_bw_log"),
    ("write_lat_log", "as write_bw_log"),
    ("write_hist_log", "as write_bw_log"),
    ("log_hist_msec", "as write_bw_log"),
    ("log_hist_coarseness", "as write_bw_log"),
    ("log_avg_msec", "as write_bw_log"),
    ("log_max_value", "as write_bw_log"),
    ("per_job_logs", "as write_bw_log"),
    ("stats", "takes the job out of fio's JSON"),
    ("exitall", "there is one job"),
    ("exitall_on_error", "there is one job"),
    ("exit_what", "there is one job"),
    (
        "zero_buffers",
        "data have tests of their own, where a verify does not",
    ),
    ("buffered", "as direct"),
    (
        "trim_percentage",
        "fio 3.33 trims blocks of its list when it likes",
    ),
    ("trim_backlog", "as trim_percentage"),
    ("trim_backlog_batch", "as trim_percentage"),
    ("trim_verify_zero", "as trim_percentage"),
];

/// Values of a word, as lines of a job.
const SAMPLES: &[(&str, &[&str])] = &[
    (
        "size",
        &[
            "size=1m",
            "size=50%",
            "size=333k",
            "size=513k",
            "size=3m",
            "size=0",
        ],
    ),
    (
        "filesize",
        &[
            "filesize=1m",
            "filesize=600k",
            "filesize=3m",
            "filesize=1m-1m",
        ],
    ),
    (
        "offset",
        &["offset=64k", "offset=0%", "offset=25%", "offset=1m"],
    ),
    (
        "offset_align",
        &["offset=33%\noffset_align=64k", "offset_align=4k"],
    ),
    ("offset_increment", &["offset_increment=64k"]),
    (
        "io_size",
        &[
            "io_size=777k",
            "io_size=3m",
            "io_size=50%",
            "size=256k\nio_size=900k",
            "loops=2\nio_size=3m",
        ],
    ),
    ("fill_device", &["fill_device=0"]),
    (
        "number_ios",
        &["number_ios=20", "number_ios=100000", "number_ios=0"],
    ),
    (
        "loops",
        &[
            "loops=2",
            "loops=3",
            "loops=1",
            "loops=2\nend_fsync=1",
            "loops=2\nfsync=4",
        ],
    ),
    (
        "percentage_random",
        &[
            "percentage_random=100",
            "percentage_random=50",
            "percentage_random=30,90",
        ],
    ),
    (
        "random_distribution",
        &[
            "random_distribution=zipf:0.9",
            "random_distribution=pareto:0.3",
            "random_distribution=normal:20",
            "random_distribution=random",
            "random_distribution=zoned:60/10:40/90",
            "random_distribution=zoned_abs:60/64k:40/128k",
            "random_distribution=zipf:1.2:0.5",
        ],
    ),
    ("norandommap", &["norandommap", "norandommap=0"]),
    (
        "random_generator",
        &[
            "random_generator=lfsr",
            "random_generator=tausworthe64",
            "random_generator=lfsr\nnorandommap",
        ],
    ),
    ("randseed", &["randseed=77"]),
    ("randrepeat", &["randrepeat=0", "randrepeat=1"]),
    (
        "zonemode",
        &[
            "zonemode=none",
            "zonemode=strided\nzonesize=96k\nzonerange=192k\nzoneskip=64k",
            "zonemode=strided\nzonesize=256k\nzonerange=128k\nsize=1m\noffset=256k",
        ],
    ),
    ("zonesize", &["zonesize=64k\nzonemode=strided"]),
    (
        "zonerange",
        &["zonemode=strided\nzonesize=192k\nzonerange=96k"],
    ),
    (
        "zoneskip",
        &["zonemode=strided\nzonesize=64k\nzoneskip=64k"],
    ),
    (
        "rw_sequencer",
        &["rw_sequencer=identical", "rw_sequencer=sequential"],
    ),
    ("bs", &["bs=8k,4k", "bs=4k,16k,8k", "bs=,8k"]),
    (
        "bsrange",
        &["bsrange=4k-16k", "bsrange=1k-64k", "bsrange=4k-8k,8k-16k"],
    ),
    ("bssplit", &["bssplit=4k/50:8k/50", "bssplit=1k/10:16k/90"]),
    ("bs_unaligned", &["bs_unaligned=1"]),
    ("bs_is_seq_rand", &["bs_is_seq_rand=1", "bs_is_seq_rand=0"]),
    ("ba", &["ba=512", "ba=16k"]),
    (
        "rwmixread",
        &["rwmixread=70", "rwmixread=0", "rwmixread=100"],
    ),
    ("rwmixwrite", &["rwmixwrite=70"]),
    ("iodepth", &["iodepth=4", "iodepth=16", "iodepth=1"]),
    (
        "iodepth_low",
        &["iodepth=8\niodepth_low=2", "iodepth_low=4"],
    ),
    (
        "iodepth_batch_complete_min",
        &[
            "iodepth=8\niodepth_batch_complete_min=4",
            "iodepth_batch_complete=1",
        ],
    ),
    ("iodepth_batch", &["iodepth=8\niodepth_batch=4"]),
    (
        "iodepth_batch_submit",
        &["iodepth=8\niodepth_batch_submit=4"],
    ),
    (
        "iodepth_batch_complete_max",
        &["iodepth=8\niodepth_batch_complete_max=4"],
    ),
    (
        "serialize_overlap",
        &[
            "serialize_overlap=1",
            "iodepth=4\nserialize_overlap=1",
            "serialize_overlap=0",
        ],
    ),
    ("prioclass", &["prioclass=2"]),
    ("prio", &["prio=3"]),
    ("fsync", &["fsync=1", "fsync=7", "fsync=0"]),
    ("fdatasync", &["fdatasync=1", "fdatasync=4"]),
    ("sync", &["sync=1", "sync=dsync", "sync=0", "sync=none"]),
    ("end_fsync", &["end_fsync=1", "end_fsync=0"]),
    ("direct", &["direct=0", "direct=1"]),
    ("nrfiles", &["nrfiles=2"]),
    ("openfiles", &["openfiles=1"]),
    ("kb_base", &["kb_base=1000", "kb_base=1024"]),
    ("startdelay", &["startdelay=10ms"]),
    ("exec_prerun", &["exec_prerun=sleep 0.01"]),
    (
        "thinktime",
        &["thinktime=100", "thinktime=200\nthinktime_blocks=8"],
    ),
    ("thinktime_blocks", &["thinktime=500\nthinktime_blocks=16"]),
    (
        "thinktime_blocks_type",
        &[
            "thinktime=100\nthinktime_blocks_type=issue",
            "thinktime_blocks_type=complete",
        ],
    ),
    ("thinktime_iotime", &["thinktime=500\nthinktime_iotime=1ms"]),
    ("rate", &["rate=40m", "rate=80m,40m"]),
    ("rate_iops", &["rate_iops=20000", "rate_iops=9000,3000"]),
    (
        "rate_process",
        &[
            "rate_iops=20000\nrate_process=poisson",
            "rate_process=linear",
        ],
    ),
    (
        "rate_ignore_thinktime",
        &["rate=40m\nthinktime=100\nrate_ignore_thinktime=1"],
    ),
    ("rate_cycle", &["rate_cycle=500"]),
    ("stonewall", &["stonewall"]),
    ("group_reporting", &["group_reporting"]),
    ("new_group", &["new_group"]),
    (
        "percentile_list",
        &["percentile_list=50:99:99.9", "percentile_list=1"],
    ),
    ("gtod_reduce", &["gtod_reduce=1", "gtod_reduce=0"]),
    (
        "disable_lat",
        &["disable_lat=1", "disable_lat=1\nlat_percentiles=1"],
    ),
    ("disable_clat", &["disable_clat=1"]),
    ("disable_slat", &["disable_slat=1"]),
    ("disable_bw_measurement", &["disable_bw_measurement=1"]),
    (
        "slat_percentiles",
        &["slat_percentiles=1", "slat_percentiles=1\niodepth=8"],
    ),
    (
        "lat_percentiles",
        &["lat_percentiles=1", "lat_percentiles=1\nclat_percentiles=0"],
    ),
    ("clat_percentiles", &["clat_percentiles=0"]),
    (
        "unified_rw_reporting",
        &[
            "unified_rw_reporting=mixed",
            "unified_rw_reporting=both",
            "unified_rw_reporting=0",
        ],
    ),
    ("write_hint", &["write_hint=short", "write_hint=none"]),
    (
        "verify",
        &[
            "verify=crc32c",
            "verify=md5\nverify_backlog=8",
            "verify=xxhash\ndo_verify=0",
        ],
    ),
    ("do_verify", &["do_verify=0", "do_verify=1"]),
    ("verify_only", &["verify_only=0"]),
    ("verify_backlog", &["verify=crc32c\nverify_backlog=16"]),
    (
        "verify_backlog_batch",
        &["verify=crc32c\nverify_backlog=16\nverify_backlog_batch=4"],
    ),
    (
        "continue_on_error",
        &["continue_on_error=none", "continue_on_error=all"],
    ),
    ("ignore_error", &["ignore_error=EIO,EIO"]),
    (
        "buffer_compress_percentage",
        &[
            "buffer_compress_percentage=50",
            "refill_buffers\nbuffer_compress_percentage=90",
        ],
    ),
    (
        "buffer_compress_chunk",
        &["buffer_compress_percentage=50\nbuffer_compress_chunk=512"],
    ),
    ("buffer_pattern", &["buffer_pattern=0xdeadbeef"]),
    ("dedupe_percentage", &["size=1m\ndedupe_percentage=30"]),
    (
        "dedupe_mode",
        &["size=1m\ndedupe_percentage=30\ndedupe_mode=working_set"],
    ),
    (
        "dedupe_working_set_percentage",
        &[
            "size=1m\ndedupe_percentage=30\ndedupe_mode=working_set\ndedupe_working_set_percentage=20",
        ],
    ),
    ("dedupe_global", &["size=1m\ndedupe_global=0"]),
    ("refill_buffers", &["refill_buffers", "refill_buffers=0"]),
    (
        "scramble_buffers",
        &["scramble_buffers=0", "scramble_buffers=1"],
    ),
    ("unique_filename", &["unique_filename=0"]),
    ("allow_mounted_write", &["allow_mounted_write=1"]),
    ("io_submit_mode", &["io_submit_mode=inline"]),
    ("invalidate", &["invalidate=0", "invalidate=1"]),
    ("fadvise_hint", &["fadvise_hint=0", "fadvise_hint=random"]),
    ("create_on_open", &["create_on_open=0"]),
    ("create_serialize", &["create_serialize=0"]),
    ("create_fsync", &["create_fsync=0"]),
    ("create_only", &["create_only=0"]),
    ("allow_file_create", &["allow_file_create=1"]),
    ("overwrite", &["overwrite=1", "overwrite=0"]),
    ("fallocate", &["fallocate=none"]),
    ("unlink", &["unlink=0"]),
    ("unlink_each_loop", &["unlink_each_loop=0"]),
    ("file_append", &["file_append=0"]),
    ("thread", &["thread"]),
    ("cpus_allowed", &["cpus_allowed=0"]),
    ("cpus_allowed_policy", &["cpus_allowed_policy=shared"]),
    ("nice", &["nice=0"]),
    ("iomem_align", &["iomem_align=4096"]),
    ("unit_base", &["unit_base=8"]),
    ("log_compression", &["log_compression=64k"]),
    ("log_entries", &["log_entries=2048"]),
    ("log_offset", &["log_offset=0", "log_offset=1"]),
    ("log_prio", &["log_prio=0"]),
    ("log_store_compressed", &["log_store_compressed=0"]),
    ("log_unix_epoch", &["log_unix_epoch=0", "log_unix_epoch=1"]),
    ("bwavgtime", &["bwavgtime=100"]),
    ("iopsavgtime", &["iopsavgtime=100"]),
    ("disk_util", &["disk_util=0"]),
    ("significant_figures", &["significant_figures=3"]),
    ("softrandommap", &["softrandommap=1"]),
    ("allrandrepeat", &["allrandrepeat=1"]),
    (
        "fsync_on_close",
        &["fsync_on_close=1", "fsync_on_close=1\nend_fsync=1"],
    ),
    ("verify_pattern", &["verify=pattern\nverify_pattern=0x5a"]),
    ("verify_offset", &["verify=crc32c\nverify_offset=64"]),
    ("verify_interval", &["verify=crc32c\nverify_interval=512"]),
    ("verify_fatal", &["verify=crc32c\nverify_fatal=1"]),
    ("verifysort", &["verify=crc32c\nverifysort=0"]),
    ("verifysort_nr", &["verify=crc32c\nverifysort_nr=8"]),
    ("verify_state_save", &["verify_state_save=0"]),
    ("verify_state_load", &["verify_state_load=0"]),
    ("experimental_verify", &["experimental_verify=0"]),
];

/// The lines that may stand in a job, and the words of the page that none of them has.
pub fn lines(page: &str) -> (Vec<&'static str>, Vec<String>) {
    let known: BTreeSet<&str> = SAMPLES.iter().chain(&[]).map(|(word, _)| *word).collect();
    let left_out: BTreeSet<&str> = NOT_DRAWN.iter().map(|(word, _)| *word).collect();
    let of_others = page.split("\n## ").filter(|part| {
        let title = part.lines().next().unwrap_or_default();
        !title.starts_with("Refused")
            && !title.starts_with("Engines")
            && !title.starts_with("Options of fio")
            && !title.starts_with("Where fio")
    });
    let mut missing = Vec::new();
    for row in of_others
        .flat_map(str::lines)
        .filter(|line| line.starts_with("| `"))
    {
        let names = row.split('|').nth(1).unwrap_or_default();
        let names: Vec<&str> = names
            .split('`')
            .filter(|name| name.trim().len() > 1 && !name.contains(','))
            .collect();
        // A row of words that are without effect has many, each of which is one by itself; others are one word's names.
        let is_known = |name: &&str| known.contains(name) || left_out.contains(name);
        if !names.iter().any(is_known) {
            missing.push(names.join(", "));
        }
    }
    let lines = SAMPLES
        .iter()
        .flat_map(|(_, lines)| lines.iter().copied())
        .collect();
    (lines, missing)
}
