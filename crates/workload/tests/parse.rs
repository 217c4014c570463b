//! Job files are read with fio's meaning.

use ftlab_base::Nanos;
use ftlab_workload::{Echo, JobFile, JobSpec, PatternKind, PerKind, Size};

fn parse(text: &str) -> JobFile {
    JobFile::parse(text, "t.fio").unwrap_or_else(|error| panic!("{error}"))
}

fn one(options: &str) -> JobSpec {
    parse(&format!("[job]\n{options}\n")).jobs.remove(0)
}

#[test]
fn a_job_without_options_has_fios_defaults() {
    let job = one("");
    assert_eq!(
        (job.pattern.kind, job.pattern.random),
        (PatternKind::Read, false)
    );
    assert_eq!(job.sizes.bs, PerKind::all(4096));
    assert_eq!(
        (
            job.submission.iodepth,
            job.length.loops,
            job.clones.numjobs,
            job.pattern.rwmixread
        ),
        (1, 1, 1, 50)
    );
    assert_eq!(
        (job.region.size, job.region.offset, job.length.runtime),
        (None, Size::Bytes(0), None)
    );
    assert!(
        job.pattern.randrepeat
            && job.data.scramble
            && !job.pattern.norandommap
            && !job.length.time_based
    );
}

#[test]
fn every_pattern_is_known() {
    for (rw, kind, random) in [
        ("read", PatternKind::Read, false),
        ("write", PatternKind::Write, false),
        ("trim", PatternKind::Trim, false),
        ("randread", PatternKind::Read, true),
        ("randwrite", PatternKind::Write, true),
        ("randtrim", PatternKind::Trim, true),
        ("rw", PatternKind::ReadWrite, false),
        ("readwrite", PatternKind::ReadWrite, false),
        ("randrw", PatternKind::ReadWrite, true),
        ("trimwrite", PatternKind::TrimWrite, false),
        ("randtrimwrite", PatternKind::TrimWrite, true),
    ] {
        let job = one(&format!("rw={rw}"));
        assert_eq!(
            (job.pattern.kind, job.pattern.random),
            (kind, random),
            "{rw}"
        );
    }
}

#[test]
fn values_have_fios_units() {
    let job = one(
        "bs=16k\nsize=50%\noffset=1m\nio_size=2g\nruntime=3m\nramp_time=500ms\nstartdelay=2\n\
         thinktime=50\nthinktime_spin=1ms\nthinktime_blocks=8\nrate=1m\nnumber_ios=10k",
    );
    assert_eq!(job.sizes.bs, PerKind::all(16 << 10));
    assert_eq!(job.region.size, Some(Size::Percent(50)));
    assert_eq!(
        (job.region.offset, job.length.io_size),
        (Size::Bytes(1 << 20), Some(Size::Bytes(2 << 30)))
    );
    assert_eq!(job.length.runtime, Some(Nanos::from_secs(180)));
    assert_eq!(
        (job.length.ramp_time, job.order.startdelay),
        (Nanos::from_millis(500), Nanos::from_secs(2))
    );
    assert_eq!(
        (job.pace.thinktime, job.pace.thinktime_spin),
        (Nanos::from_micros(50), Nanos::from_millis(1))
    );
    assert_eq!(
        (job.pace.thinktime_blocks, job.length.number_ios),
        (8, Some(10_240))
    );
    assert_eq!(job.pace.rate, PerKind::all(Some(1 << 20)));
}

#[test]
fn nothing_in_percent_is_what_nothing_in_bytes_is() {
    for key in ["offset", "offset_increment", "io_size", "size"] {
        let [percent, bytes] = ["0%", "0"].map(|zero| one(&format!("{key}={zero}")));
        let numbers = |job: &JobSpec| {
            (
                job.region.offset,
                job.region.offset_increment,
                job.length.io_size,
                job.region.size,
            )
        };
        assert_eq!(numbers(&percent), numbers(&bytes), "{key}");
    }
    assert_eq!(
        one("size=0%").region.size,
        None,
        "the whole device, as in fio"
    );
}

#[test]
fn aliases_and_flags_mean_the_same() {
    let mut short = one("rw=randwrite\nbs=8k\nba=16k\nruntime=5\ntime_based\nstonewall");
    let mut long = one(
        "readwrite=randwrite\nblocksize=8k\nblockalign=16k\ntimeout=5\ntime_based=1\n\
         wait_for_previous",
    );
    short.options = Echo::default();
    long.options = Echo::default();
    assert_eq!(short, long);
    assert!(!one("norandommap=0").pattern.norandommap);
}

#[test]
fn the_later_mix_overrides_the_earlier() {
    assert_eq!(one("rwmixread=70\nrwmixwrite=40").pattern.rwmixread, 60);
    assert_eq!(one("rwmixwrite=40\nrwmixread=70").pattern.rwmixread, 70);
}

#[test]
fn globals_reach_the_jobs_after_them_only() {
    let file = parse("[global]\nbs=8k\n[a]\n[global]\niodepth=4\n[b]\nbs=1m\n");
    let seen: Vec<_> = file
        .jobs
        .iter()
        .map(|j| (j.name.as_str(), j.sizes.bs.read, j.submission.iodepth))
        .collect();
    assert_eq!(seen, [("a", 8192, 1), ("b", 1 << 20, 4)]);
}

#[test]
fn options_are_echoed_under_fios_main_names() {
    let file =
        parse("[global]\nioengine=libaio\n[a]\nreadwrite=write\nblocksize = 4k # why\nthread\n");
    let pairs = |list: &[(String, String)]| -> Vec<String> {
        list.iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect()
    };
    assert_eq!(pairs(&file.jobs[0].options.global), ["ioengine=libaio"]);
    assert_eq!(
        pairs(&file.jobs[0].options.own),
        ["rw=write", "bs=4k", "thread="]
    );
}

#[test]
fn clones_are_jobs_and_walls_part_groups() {
    let file = parse(
        "[global]\nsize=1m\n[a]\nnumjobs=2\n[b]\n[c]\nstonewall\nnumjobs=2\n[d]\nstonewall\n",
    );
    let names: Vec<_> = file
        .jobs
        .iter()
        .map(|j| (j.name.as_str(), j.clones.clone_index))
        .collect();
    assert_eq!(
        names,
        [("a", 0), ("a", 1), ("b", 0), ("c", 0), ("c", 1), ("d", 0)]
    );
    assert_eq!(file.groups(), [vec![0, 1, 2], vec![3, 4], vec![5]]);
}

#[test]
fn a_name_key_renames_the_job() {
    assert_eq!(one("name=other").name, "other");
}

#[test]
fn keys_of_the_host_are_remembered_with_a_reason() {
    let file =
        parse("[global]\nioengine=psync\ndirect=0\niodepth=4\n[a]\niodepth_batch_submit=4\n");
    let seen: Vec<_> = file
        .ignored
        .iter()
        .map(|i| (i.key.as_str(), i.at.line))
        .collect();
    assert_eq!(
        seen,
        [("iodepth_batch_submit", 6), ("iodepth", 4), ("direct", 3)]
    );
    assert_eq!(
        file.ignored[2].reason,
        "requests of whole sectors go to the drive, as with direct=1: no page cache is in front of it"
    );
}

#[test]
fn time_based_without_a_runtime_is_dropped_as_fio_drops_it() {
    let file = parse("[global]\ntime_based\n[a]\nsize=1m\n[b]\nruntime=1\n");
    let dropped: Vec<_> = file
        .ignored
        .iter()
        .map(|i| (i.key.as_str(), i.at.line))
        .collect();
    assert_eq!(dropped, [("time_based", 2)]);
    assert_eq!(
        [
            file.jobs[0].length.time_based,
            file.jobs[1].length.time_based
        ],
        [false, true]
    );
}

#[test]
fn sizes_by_range_and_by_split_go_before_bs() {
    let job = one("bsrange=16k-4k,64k-64k\nbs=8k");
    assert_eq!(
        (job.sizes.bs.read, job.sizes.bs_max.read),
        (4 << 10, 16 << 10)
    );
    let job = one("bssplit=4k/30:64k/70,8k");
    assert_eq!(
        (job.sizes.bs.read, job.sizes.bs_max.read),
        (4 << 10, 64 << 10)
    );
    assert_eq!(
        (job.sizes.bs.write, job.sizes.bs_max.write),
        (8 << 10, 8 << 10)
    );
    assert_eq!(job.sizes.bssplit.read.len(), 2);
}

#[test]
fn a_base_of_1000_holds_wherever_it_stands() {
    assert_eq!(
        one("size=4m\nkb_base=1000").region.size,
        Some(Size::Bytes(4_000_000))
    );
    let file = parse("[global]\nkb_base=1000\n[a]\nsize=4m\n");
    assert_eq!(file.jobs[0].region.size, Some(Size::Bytes(4_000_000)));
}

#[test]
fn exitall_of_one_job_is_that_of_all() {
    let file = parse("[a]\nexitall\n[b]\n");
    assert!(file.jobs.iter().all(|job| job.order.exitall));
}

#[test]
fn number_ios_does_not_stop_a_time_based_job() {
    let file = parse("[a]\ntime_based\nruntime=1\nnumber_ios=5\n");
    assert_eq!(file.ignored[0].key, "number_ios");
    assert_eq!(file.jobs[0].resolve(1 << 20).unwrap().ios_max, None);
}
