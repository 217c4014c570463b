//! Streams have the law that their job states.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{JobFile, JobSpec, JobStream, Request};
use std::collections::BTreeSet;

const MIB: u64 = 1 << 20;

fn stream_on(device_bytes: u64, options: &str, seed: u64) -> JobStream {
    let text = format!("[job]\n{options}\n");
    let file = JobFile::parse(&text, "t.fio").unwrap_or_else(|error| panic!("{error}"));
    let job = file.jobs[0]
        .resolve(device_bytes)
        .unwrap_or_else(|error| panic!("{error}"));
    JobStream::new(&job, RootSeed(seed))
}

fn stream(options: &str) -> JobStream {
    stream_on(MIB, options, 1)
}

/// Kind and 4 KiB block of each request, as fio's log would show them.
fn trace(stream: impl Iterator<Item = Request>) -> Vec<String> {
    let letter = |kind| match kind {
        CommandKind::Read => 'r',
        CommandKind::Write => 'w',
        CommandKind::Trim => 't',
        CommandKind::Flush => 'f',
    };
    stream
        .map(|r| format!("{}{}", letter(r.kind), r.lba.0 / 8))
        .collect()
}

fn blocks(stream: impl Iterator<Item = Request>) -> Vec<u64> {
    stream.map(|request| request.lba.0 / 8).collect()
}

fn is_every_block_once(blocks: &[u64]) -> bool {
    let mut sorted = blocks.to_vec();
    sorted.sort_unstable();
    sorted.iter().copied().eq(0..blocks.len() as u64)
}

/// Asserts that a count of successes lies within five standard deviations of its law.
fn assert_share(count: usize, of: usize, share: f64) {
    let sigma = (of as f64 * share * (1.0 - share)).sqrt();
    let off = count as f64 - of as f64 * share;
    assert!(
        off.abs() <= 5.0 * sigma,
        "{count} of {of}, expected a share of {share}"
    );
}

#[test]
fn sequential_jobs_go_through_the_region_once() {
    let requests: Vec<_> = stream("rw=write\nbs=64k\noffset=128k\nsize=256k").collect();
    let lbas: Vec<_> = requests.iter().map(|r| r.lba.0).collect();
    assert_eq!(lbas, [256, 384, 512, 640]);
    assert!(
        requests
            .iter()
            .all(|r| r.sectors == 128 && r.kind == CommandKind::Write)
    );
}

#[test]
fn the_amount_may_be_less_or_more_than_the_region() {
    assert_eq!(
        trace(stream("rw=write\nsize=16k\nio_size=8k")),
        ["w0", "w1"]
    );
    let wrapped = ["w0", "w1", "w2", "w0", "w1"];
    assert_eq!(trace(stream("rw=write\nsize=12k\nio_size=20k")), wrapped);
    assert_eq!(
        stream("rw=write\nio_size=10k").count(),
        3,
        "the last request is whole"
    );
    assert_eq!(
        stream("rw=write\nsize=10k\nfilename=/dev/sdb").count(),
        3,
        "as in fio, a request begins wherever there is something left"
    );
    assert_eq!(
        stream("rw=write\nsize=10k").count(),
        2,
        "and lies whole in a file that is made for it"
    );
    assert_eq!(
        stream("rw=randwrite\nsize=10k").count(),
        2,
        "the map has whole blocks"
    );
    assert_eq!(stream("rw=write\nsize=1m\nio_size=50%").count(), 128);
}

#[test]
fn number_ios_caps_all_loops_together() {
    assert_eq!(stream("rw=write\nnumber_ios=5").count(), 5);
    let want = ["w0", "w1", "w2", "w3", "w0", "w1"];
    assert_eq!(
        trace(stream("rw=write\nsize=16k\nloops=2\nnumber_ios=3")),
        want
    );
}

#[test]
fn a_time_based_job_goes_round_without_end() {
    let want = ["r0", "r1", "r0", "r1", "r0"];
    assert_eq!(
        trace(stream("rw=read\nsize=8k\ntime_based\nruntime=1\nloops=2").take(5)),
        want
    );
}

#[test]
fn the_random_map_covers_each_block_once_a_pass() {
    let all = blocks(stream("rw=randwrite\nsize=1m\nio_size=3m\nrandrepeat=0"));
    let passes: Vec<_> = all.chunks(256).collect();
    assert_eq!(passes.len(), 3);
    assert!(passes.iter().all(|pass| is_every_block_once(pass)));
    assert_ne!(passes[0], passes[1], "passes differ without randrepeat");
}

#[test]
fn loops_repeat_themselves_unless_randrepeat_is_off() {
    for options in [
        "rw=randwrite\nloops=2",
        "rw=randwrite\nnorandommap\nioengine=libaio\nloops=2",
    ] {
        let all = blocks(stream(options));
        assert_eq!(all[..256], all[256..], "{options}");
        let all = blocks(stream(&format!("{options}\nrandrepeat=0")));
        assert_ne!(all[..256], all[256..], "{options}");
    }
}

#[test]
fn an_engine_that_does_a_request_as_it_is_submitted_goes_on_through_the_loops() {
    let all = blocks(stream("rw=randwrite\nnorandommap\nioengine=psync\nloops=2"));
    assert_eq!(all.len(), 512);
    assert_ne!(all[..256], all[256..]);
}

#[test]
fn a_time_based_map_takes_a_new_order_each_pass() {
    let all = blocks(stream("rw=randread\ntime_based\nruntime=1").take(512));
    assert!(is_every_block_once(&all[..256]) && is_every_block_once(&all[256..]));
    assert_ne!(all[..256], all[256..]);
}

#[test]
fn readers_and_writers_share_one_map() {
    let requests = stream("rw=randrw\nrwmixread=30");
    assert!(is_every_block_once(&blocks(requests)));
}

#[test]
fn who_plays_a_mix_may_have_the_other_kind_made() {
    let mut requests = stream("rw=rw");
    let kinds = [CommandKind::Write, CommandKind::Write, CommandKind::Read];
    let made = kinds.map(|kind| requests.next_by(|_| kind).unwrap());
    assert_eq!(made.map(|request| request.kind), kinds);
    assert_eq!(
        made.map(|request| request.lba.0),
        [0, 8, 0],
        "each goes on from its own last one"
    );
}

#[test]
fn without_a_map_blocks_are_uniform_and_repeat() {
    let mut counts = [0u32; 256];
    let draws = 256_000;
    let requests = stream("rw=randwrite\nnorandommap\ntime_based\nruntime=1").take(draws);
    requests.for_each(|r| counts[(r.lba.0 / 8) as usize] += 1);
    let chi2: f64 = counts
        .iter()
        .map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0)
        .sum();
    // 255 degrees of freedom: 255 ± 23.
    assert!((150.0..360.0).contains(&chi2), "χ² {chi2}");
    let first_pass = blocks(stream("rw=randwrite\nnorandommap"));
    assert!(!is_every_block_once(&first_pass));
}

#[test]
fn the_short_way_of_uniform_jobs_yields_what_the_long_one_does() {
    // A flush far away, like any special wish, sends a job the long way.
    for options in [
        "number_ios=300",
        "bs=12k\nloops=3",
        "bs=16k\nba=4k\nio_size=5000k",
    ] {
        let options = format!("rw=randwrite\nnorandommap\n{options}");
        let long = stream(&format!("{options}\nfsync=1000000"));
        assert_eq!(blocks(stream(&options)), blocks(long), "{options}");
    }
}

#[test]
fn same_seed_same_stream_and_other_seed_other_stream() {
    let options = "rw=randrw\nnorandommap\npercentage_random=50";
    let of = |options: &str, seed| -> Vec<Request> { stream_on(MIB, options, seed).collect() };
    assert_eq!(of(options, 7), of(options, 7));
    assert_ne!(of(options, 7), of(options, 8));
    assert_ne!(of(options, 7), of(&format!("{options}\nrandseed=3"), 7));
}

#[test]
fn clones_differ() {
    let file = JobFile::parse("[a]\nrw=randread\nnumjobs=2\n", "t").unwrap();
    let of = |n: usize| {
        blocks(JobStream::new(
            &file.jobs[n].resolve(MIB).unwrap(),
            RootSeed(1),
        ))
    };
    assert_ne!(of(0), of(1));
}

#[test]
fn reads_and_writes_mix_by_percent_and_go_on_separately() {
    let requests: Vec<_> = stream_on(1 << 30, "rw=rw\nrwmixread=70", 1)
        .take(100_000)
        .collect();
    let of = |kind| requests.iter().filter(move |r| r.kind == kind);
    assert_share(of(CommandKind::Read).count(), requests.len(), 0.7);
    for kind in [CommandKind::Read, CommandKind::Write] {
        assert!(
            of(kind).enumerate().all(|(n, r)| r.lba.0 == 8 * n as u64),
            "{kind:?}"
        );
    }
    assert!(stream("rw=randrw\nrwmixread=100").all(|r| r.kind == CommandKind::Read));
    assert!(stream("rw=randrw\nrwmixwrite=100").all(|r| r.kind == CommandKind::Write));
}

#[test]
fn percentage_random_is_the_share_of_jumps() {
    for percent in [0, 10, 50, 100] {
        let options = format!("rw=randwrite\npercentage_random={percent}\nnorandommap");
        let all = blocks(stream_on(1 << 30, &options, 1).take(100_000));
        let jumps = all
            .windows(2)
            .filter(|pair| pair[1] != (pair[0] + 1) % (1 << 18))
            .count();
        assert_share(
            jumps,
            all.len() - 1,
            f64::from(percent) / 100.0 * (1.0 - 1.0 / 262_144.0),
        );
    }
}

#[test]
fn sizes_and_alignments_hold_for_each_kind() {
    let options = "rw=randrw\nbs=4k,16k\nba=,8k\nnorandommap\nio_size=1g";
    for request in stream(options).take(10_000) {
        let (sectors, align) = if request.kind == CommandKind::Read {
            (8, 8)
        } else {
            (32, 16)
        };
        assert_eq!((request.sectors, request.lba.0 % align), (sectors, 0));
        assert!(request.lba.0 + u64::from(sectors) <= MIB / 512);
    }
    let fine = blocks(stream("rw=randwrite\nbs=16k\nba=4k\nsize=64k\nio_size=16m"));
    assert_eq!(
        fine.iter().max(),
        Some(&12),
        "the last place a block of four fits"
    );
}

#[test]
fn flushes_come_between_writes() {
    let want = ["w0", "f0", "w1", "f0", "w2"];
    assert_eq!(trace(stream("rw=write\nsize=12k\nfsync=1")), want);
    let kinds = trace(stream("rw=write\nsize=40k\nfdatasync=4"));
    assert_eq!(kinds.iter().filter(|k| *k == "f0").count(), 2);
}

#[test]
fn trimwrite_trims_each_block_and_then_writes_it() {
    let want = ["t0", "w0", "t1", "w1"];
    assert_eq!(trace(stream("rw=trimwrite\nsize=8k")), want);
    assert_eq!(trace(stream("rw=trimwrite\nnumber_ios=2")), want);
    let random: Vec<_> = stream("rw=randtrimwrite").collect();
    assert_eq!(random.len(), 512);
    assert!(random.chunks(2).all(|pair| pair[0].lba == pair[1].lba));
}

#[test]
fn rwmixtrim_trims_blocks_in_use_only() {
    let share = 0.3;
    let mut in_use = vec![true; 16_384];
    let (mut trims, mut all) = (0, 0);
    for request in stream_on(64 * MIB, "rw=randtrimwrite\nrwmixtrim=30\nio_size=2560m", 1) {
        let block = &mut in_use[(request.lba.0 / 8) as usize];
        match request.kind {
            CommandKind::Trim => {
                assert!(
                    std::mem::replace(block, false),
                    "trimmed a block not in use"
                );
                trims += 1;
            }
            _ => *block = true,
        }
        all += 1;
    }
    assert_share(trims, all, share);
    // Births balance deaths where (1 − q)(1 − s) = q: s = (1 − 2q)/(1 − q).
    let used = in_use.iter().filter(|&&used| used).count() as f64 / in_use.len() as f64;
    assert!(
        (used - (1.0 - 2.0 * share) / (1.0 - share)).abs() < 0.03,
        "{used} in use"
    );
}

/// Shares of the requests, largest first.
fn shares(options: &str, draws: usize) -> Vec<f64> {
    let mut counts = vec![0u32; 256];
    let options = format!("rw=randread\ntime_based\nruntime=1\n{options}");
    stream(&options)
        .take(draws)
        .for_each(|r| counts[(r.lba.0 / 8) as usize] += 1);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
        .into_iter()
        .map(|count| f64::from(count) / draws as f64)
        .collect()
}

#[test]
fn zipf_ranks_follow_the_power_law() {
    for theta in [0.6, 1.2] {
        let zeta: f64 = (1..=256).map(|k| f64::from(k).powf(-theta)).sum();
        let shares = shares(&format!("random_distribution=zipf:{theta}"), 1_000_000);
        for rank in [1, 2, 3, 10, 50] {
            let want = f64::from(rank).powf(-theta) / zeta;
            let got = shares[rank as usize - 1];
            assert!(
                (got / want - 1.0).abs() < 0.05,
                "θ {theta} rank {rank}: {got} for {want}"
            );
        }
    }
}

#[test]
fn zipf_ranks_are_spread_over_the_region() {
    let hot = |options: &str, seed| {
        let options = format!("rw=randread\ntime_based\nruntime=1\nrandom_distribution={options}");
        let mut counts = vec![0u32; 256];
        stream_on(MIB, &options, seed)
            .take(20_000)
            .for_each(|r| counts[(r.lba.0 / 8) as usize] += 1);
        let mut order: Vec<usize> = (0..256).collect();
        order.sort_by_key(|&block| std::cmp::Reverse(counts[block]));
        order
    };
    let order = hot("zipf:1.2", 1);
    let below_half = order[..32].iter().filter(|&&block| block < 128).count();
    assert!(
        (6..=26).contains(&below_half),
        "{below_half} of the 32 hottest in the first half"
    );
    assert_ne!(
        order[0],
        hot("zipf:1.2", 2)[0],
        "the seed places the hottest block"
    );
    assert_eq!(
        hot("zipf:1.2:0.25", 1)[0],
        64,
        "a center places the hottest block"
    );
}

#[test]
fn pareto_gives_the_first_share_the_rest_of_the_requests() {
    let shares = shares("random_distribution=pareto:0.25", 400_000);
    let hottest_quarter: f64 = shares[..64].iter().sum();
    assert!((hottest_quarter - 0.75).abs() < 0.01, "{hottest_quarter}");
}

#[test]
fn normal_has_the_spread_of_twelve_uniforms() {
    let shares = shares("random_distribution=normal:0", 400_000);
    // σ is a twelfth of the region, so the hottest sixth lies within one σ.
    let hottest_sixth: f64 = shares[..43].iter().sum();
    assert!((hottest_sixth - 0.683).abs() < 0.02, "{hottest_sixth}");
}

#[test]
fn zones_get_their_shares() {
    let options = "rw=randwrite\nrandom_distribution=zoned:60/10:30/20:8/30:2/40\nio_size=1g";
    let all = blocks(stream(options));
    let in_zone = |from: u64, to: u64| all.iter().filter(|&&b| (from..to).contains(&b)).count();
    assert_share(in_zone(0, 25), all.len(), 0.60);
    assert_share(in_zone(25, 76), all.len(), 0.30);
    assert_share(in_zone(76, 153), all.len(), 0.08);
    assert_share(in_zone(153, 256), all.len(), 0.02);
}

#[test]
fn percentages_of_the_device_round_to_whole_blocks() {
    let file = JobFile::parse("[a]\nsize=50%\noffset=75%\n", "t").unwrap();
    let job = file.jobs[0].resolve(1_000_448).unwrap();
    assert_eq!(job.offset_bytes % 4096, 0);
    assert_eq!((job.offset_bytes, job.region_bytes), (753_664, 245_760));
}

/// Where fio 3.33 puts four clones on a device of 10,001 KiB.
#[test]
fn clones_begin_one_increment_apart() {
    let begins = |options: &str| -> Vec<u64> {
        let text = format!("[a]\nrw=write\nsize=64k\nnumjobs=4\n{options}\n");
        let file = JobFile::parse(&text, "t").unwrap();
        let of = |job: &JobSpec| job.resolve(10_241_024).unwrap().offset_bytes;
        file.jobs.iter().map(of).collect()
    };
    assert_eq!(
        begins("offset_increment=100k"),
        [0, 102_400, 204_800, 307_200]
    );
    assert_eq!(
        begins("offset_increment=7%"),
        [0, 720_896, 1_437_696, 2_154_496]
    );
    assert_eq!(
        begins("offset_increment=100k\noffset=5%"),
        [516_096, 618_496, 720_896, 823_296]
    );
    assert_eq!(
        begins("offset_increment=7%\noffset=5%"),
        [516_096, 1_232_896, 1_949_696, 2_666_496]
    );
}

#[test]
fn clones_that_do_not_fit_are_refused() {
    let resolve = |options: &str| {
        let file = JobFile::parse(&format!("[a]\nnumjobs=3\n{options}\n"), "t").unwrap();
        file.jobs[2].resolve(1 << 20).unwrap_err().to_string()
    };
    assert_eq!(
        resolve("offset_increment=512k"),
        "t:1: job `a`: offset 1048576 lies beyond the device, which has 1048576 bytes"
    );
    assert!(resolve("offset_increment=16383p").contains("lies beyond the device"));
    assert!(resolve("offset_increment=100%\noffset=100%").contains("lies beyond the device"));
}

#[test]
fn data_have_random_numbers_of_their_own() {
    let places = |options: &str| blocks(stream(options));
    let plain = places("rw=randwrite");
    for data in [
        "dedupe_percentage=40",
        "buffer_compress_percentage=70",
        "scramble_buffers=0",
        "zero_buffers",
    ] {
        assert_eq!(places(&format!("rw=randwrite\n{data}")), plain, "{data}");
    }
}

#[test]
fn writes_carry_the_content_that_the_job_states() {
    let left = |options: &str| {
        let writes = stream(options).filter(|r| r.kind == CommandKind::Write);
        let left: BTreeSet<u32> = writes.map(|r| r.content.bytes_left(4096)).collect();
        Vec::from_iter(left)
    };
    assert_eq!(left("rw=randwrite"), [4096]);
    assert_eq!(left("rw=randwrite\nnorandommap\nzero_buffers"), [0]);
    assert_eq!(left("rw=write\nbuffer_compress_percentage=75"), [1024]);
    assert_eq!(left("rw=randrw\nbuffer_compress_percentage=100"), [0]);
}
