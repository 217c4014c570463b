//! What the rarer words of a job do to its requests: where fio 3.33 gives the same ones whatever its random numbers,
//! these are its own, read off its log.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{JobFile, JobStream, Request, Shuffle};
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;

fn stream(options: &str) -> Vec<Request> {
    let file = JobFile::parse(&format!("[job]\n{options}\n"), "t.fio").unwrap();
    let job = file.jobs[0]
        .resolve(MIB)
        .unwrap_or_else(|error| panic!("{error}"));
    JobStream::new(&job, RootSeed(1)).collect()
}

/// Kind, first KiB and, where that is not 4, length in KiB.
fn trace(options: &str) -> String {
    let word = |request: &Request| {
        let letter = match request.kind {
            CommandKind::Read => 'r',
            CommandKind::Write => 'w',
            CommandKind::Trim => 't',
            CommandKind::Flush => return "f".to_owned(),
        };
        let (at, length) = (request.lba.0 / 2, request.sectors / 2);
        match length {
            4 => format!("{letter}{at}"),
            _ => format!("{letter}{at}+{length}"),
        }
    };
    let words: Vec<String> = stream(options).iter().map(word).collect();
    words.join(" ")
}

fn bytes(requests: &[Request], kind: CommandKind) -> u64 {
    let of_kind = requests.iter().filter(|request| request.kind == kind);
    of_kind
        .map(|request| u64::from(request.sectors) * 512)
        .sum()
}

#[test]
fn strides_leave_out_go_back_and_end_with_the_region() {
    assert_eq!(trace("rw=read:8k\nsize=64k"), "r0 r12 r24 r36 r48 r60");
    let whole = stream("rw=read:64k");
    assert_eq!((whole.len(), whole[15].lba.0 / 2), (16, 1020));
    assert_eq!(
        trace("rw=read:-8k\nsize=64k"),
        "r0 r56 r52 r48 r44 r40 r36 r32 r28 r24 r20 r16 r12 r8 r4 r0"
    );
    assert_eq!(
        trace("rw=read:-8k\nsize=32k\noffset=64k"),
        "r88 r84 r80 r76 r72 r68 r64 r88"
    );
}

#[test]
fn a_random_request_is_followed_by_its_run() {
    let starts = |options: &str| -> Vec<u64> {
        stream(options)
            .iter()
            .map(|request| request.lba.0 / 8)
            .collect()
    };
    let all = starts("rw=randread:4\nrw_sequencer=identical\nsize=64k");
    assert!(
        all.chunks(4).all(|run| run.iter().all(|at| *at == run[0])),
        "{all:?}"
    );
    assert_eq!(all.len(), 16);
    let all = starts("rw=randread:4\nsize=64k\nfilename=/dev/sdb");
    // Every run but the last is whole; that one may meet the end of the region, where the job ends.
    let mut runs = all.chunks(4);
    assert!(
        runs.all(|run| run.windows(2).all(|pair| pair[1] == pair[0] + 1)),
        "{all:?}"
    );
}

#[test]
fn zones_are_gone_through_one_after_the_other() {
    assert_eq!(
        trace(
            "rw=read\nsize=32k\nfilename=/dev/sdb\nzonemode=strided\nzonesize=8k\nzonerange=16k\nzoneskip=16k"
        ),
        "r0 r4 r32 r36 r64 r68 r96 r100"
    );
    // A file of the job's own is no longer than its size.
    assert_eq!(
        trace("rw=read\nsize=32k\nzonemode=strided\nzonesize=8k\nzoneskip=24k"),
        "r0 r4 r0 r4 r0 r4 r0 r4"
    );
    assert_eq!(
        trace("rw=read\nsize=64k\nfilename=/dev/sdb\nio_size=96k\nzonesize=32k\nzonerange=16k"),
        "r0 r4 r8 r12 r0 r4 r8 r12 r16 r20 r24 r28 r16 r20 r24 r28 r32 r36 r40 r44 r32 r36 r40 r44"
    );
    let random = stream(
        "rw=randread\nsize=64k\nfilename=/dev/sdb\nzonesize=8k\nzonerange=16k\nzoneskip=16k",
    );
    for (n, pair) in random.chunks(2).enumerate() {
        let zone = n as u64 * 64..n as u64 * 64 + 32;
        assert!(
            pair.iter().all(|request| zone.contains(&request.lba.0)),
            "{pair:?}"
        );
        assert_ne!(pair[0].lba, pair[1].lba, "each zone has a map of its own");
    }
}

#[test]
fn what_was_written_is_read_back() {
    assert_eq!(
        trace("rw=write\nsize=16k\nverify=crc32c\nloops=2"),
        "w0 w4 w8 w12 r0 r4 r8 r12 w0 w4 w8 w12 r0 r4 r8 r12"
    );
    assert_eq!(
        trace("rw=write\nsize=24k\nverify=md5\nverify_backlog=2"),
        "w0 w4 r0 r4 w8 w12 r8 r12 w16 w20 r16 r20"
    );
    assert_eq!(trace("rw=write\nsize=8k\nverify=md5\ndo_verify=0"), "w0 w4");
    assert_eq!(trace("rw=write\nsize=8k\nverify=md5\nverify_only"), "r0 r4");
    assert_eq!(trace("rw=read\nsize=8k\nverify=md5"), "r0 r4");
    let with_map = stream("rw=randwrite\nsize=64k\nverify=md5");
    let (writes, reads) = with_map.split_at(16);
    let same = writes
        .iter()
        .zip(reads)
        .all(|(write, read)| write.lba == read.lba);
    assert!(same, "in the order of the writes");
    let without = stream("rw=randwrite\nsize=64k\nverify=md5\nnorandommap");
    let reads: Vec<u64> = without[16..].iter().map(|read| read.lba.0).collect();
    assert!(
        reads.len() < 16 && reads.is_sorted(),
        "each place once: {reads:?}"
    );
}

#[test]
fn a_share_of_what_was_written_is_trimmed_and_not_read() {
    let all = stream("rw=write\nsize=1m\nverify=md5\ntrim_percentage=50\ntrim_backlog=4");
    let count = |kind| all.iter().filter(|request| request.kind == kind).count();
    let trims = count(CommandKind::Trim);
    assert!((90..166).contains(&trims), "{trims} of 256");
    assert_eq!(count(CommandKind::Read), 256 - trims);
    let read_too =
        "rw=write\nsize=1m\nverify=md5\ntrim_percentage=50\ntrim_backlog=4\ntrim_verify_zero";
    assert_eq!(bytes(&stream(read_too), CommandKind::Read), MIB);
}

#[test]
fn flushes_come_where_fio_has_them() {
    // A synchronous write and its flush are one call, which who plays the requests takes apart.
    assert_eq!(trace("rw=write\nsize=12k\nsync=dsync"), "w0 w4 w8");
    assert_eq!(trace("rw=write\nsize=12k\nend_fsync=1"), "w0 w4 w8 f");
    assert_eq!(
        trace("rw=write\nsize=12k\nfsync=2\nend_fsync=1"),
        "w0 w4 f w8 f"
    );
    assert_eq!(
        trace("rw=write\nsize=8k\nloops=2\nfsync_on_close=1"),
        "w0 w4 f w0 w4 f"
    );
    assert_eq!(trace("rw=read\nsize=8k\nend_fsync=1"), "r0 r4");
    assert_eq!(
        trace("rw=write\nsize=8k\nend_fsync=1\nverify=md5"),
        "w0 w4 f r0 r4"
    );
    assert_eq!(trace("rw=trimwrite\nsize=8k\nfsync=1"), "t0 w0 t4 w4");
}

fn shares(requests: &[Request]) -> BTreeMap<u32, f64> {
    let mut counts = BTreeMap::new();
    for request in requests {
        *counts.entry(request.sectors / 2).or_insert(0.0) += 1.0 / requests.len() as f64;
    }
    counts
}

#[test]
fn sizes_come_by_their_shares() {
    let all = stream("rw=randread\nnorandommap\nbssplit=4k/10:8k/30:16k/60\nio_size=64m");
    for (kib, want) in [(4, 0.1), (8, 0.3), (16, 0.6)] {
        let got = shares(&all)[&kib];
        assert!((got - want).abs() < 0.03, "{kib} KiB: {got}");
    }
    // fio draws from the smallest on up to the smallest more than the largest, and cuts.
    let all = stream("rw=randread\nnorandommap\nbsrange=4k-16k\nio_size=64m");
    for (kib, want) in [(4, 0.25), (8, 0.25), (12, 0.25), (16, 0.25)] {
        let got = shares(&all)[&kib];
        assert!((got - want).abs() < 0.03, "{kib} KiB: {got}");
    }
    let all = stream("rw=randread\nnorandommap\nbsrange=4k-16k\nbs_unaligned\nio_size=16m");
    assert!(shares(&all).len() > 12);
}

#[test]
fn blocks_of_several_sizes_come_each_once() {
    let all = stream("rw=randwrite\nbsrange=4k-64k");
    let mut had = vec![false; 256];
    for request in &all {
        for block in request.lba.0 / 8..(request.lba.0 + u64::from(request.sectors)) / 8 {
            assert!(
                !std::mem::replace(&mut had[block as usize], true),
                "{block}"
            );
        }
    }
    assert!(had.iter().all(|&had| had));
}

#[test]
fn sizes_may_go_by_order_instead_of_kind() {
    let all = stream(
        "rw=randread\nbs=4k,16k\nbs_is_seq_rand\npercentage_random=50\nnorandommap\nio_size=8m",
    );
    let shares = shares(&all);
    assert!((shares[&16] - 0.5).abs() < 0.05, "{shares:?}");
}

#[test]
fn fios_hash_leaves_blocks_out_and_a_shuffle_does_not() {
    let reached = |shuffle: bool| {
        let text = "[job]\nrw=randwrite\nrandom_distribution=zipf:0.5\nio_size=400m\n";
        let mut file = JobFile::parse(text, "t.fio").unwrap();
        if shuffle {
            assert!(file.shuffle(Shuffle::Each));
        }
        // 1000 blocks: no power of two.
        let job = file.jobs[0].resolve(4_096_000).unwrap();
        let blocks: std::collections::BTreeSet<u64> = JobStream::new(&job, RootSeed(1))
            .map(|request| request.lba.0)
            .collect();
        (blocks.len(), job.share_left_out())
    };
    let (all, none) = reached(true);
    assert_eq!((all, none), (1000, None));
    // What is left of a thousand ranks, by their products modulo 2⁶⁴ and 1000.
    let (some, left_out) = reached(false);
    assert!((300..=308).contains(&some), "{some} of 1000");
    assert_eq!(left_out, Some(0.692));
}
