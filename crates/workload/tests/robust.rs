//! No text makes the parser panic, and no accepted job makes its stream panic or stray.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{JobFile, JobStream};
use proptest::prelude::*;

const DEVICE_BYTES: u64 = 10_000_384;

/// Lines that are nearly right, so that more than the first check is reached.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "rw",
        "bs",
        "ba",
        "iodepth",
        "size",
        "offset",
        "offset_increment",
        "io_size",
        "runtime",
        "time_based",
        "loops",
        "number_ios",
        "rwmixread",
        "rwmixtrim",
        "percentage_random",
        "random_distribution",
        "shuffle",
        "norandommap",
        "randrepeat",
        "fsync",
        "numjobs",
        "stonewall",
        "thinktime",
        "rate",
        "rate_iops",
        "randseed",
        "direct",
        "bssplit",
        "bsrange",
        "bs_unaligned",
        "bs_is_seq_rand",
        "rw_sequencer",
        "zonesize",
        "zonerange",
        "zoneskip",
        "verify",
        "verify_backlog",
        "trim_percentage",
        "trim_backlog",
        "fill_device",
        "offset_align",
        "kb_base",
        "sync",
        "nonsense",
    ]);
    let value = prop_oneof![
        "[0-9]{1,3}[kmgtp%]?",
        prop::sample::select(vec![
            "each",
            "shared",
            "read",
            "write",
            "trim",
            "rw",
            "randread",
            "randwrite",
            "randtrim",
            "randrw",
            "trimwrite",
            "randtrimwrite",
            "zipf:1.2",
            "zipf:0.4:0.5",
            "pareto:0.2",
            "normal:20",
            "zoned:60/10:40/90",
            "4k,8k",
            "4k,,16k",
            "4k-64k",
            "4k/10:12k/90",
            "read:8k",
            "write:-12k",
            "randrw:3",
            "zoned_abs:50/1m:50/3m",
            "identical",
            "crc32c",
            "(1+2)",
            "$pagesize",
            "${X}",
            "1000",
            "512",
            "18446744073709551615",
            "100%",
            "1",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    let option = (key, value).prop_map(|(key, value)| format!("{key}={value}"));
    prop_oneof![8 => option, 1 => Just("[global]".to_owned()), 1 => "\\[[a-z]{0,3}\\]?", 1 => any::<String>()]
}

/// Runs the head of every job's stream and checks that it keeps to its region.
fn try_streams(file: &JobFile) {
    for spec in file.jobs.iter().take(2) {
        let Ok(job) = spec.resolve(DEVICE_BYTES) else {
            continue;
        };
        assert!(job.offset_bytes + job.region_bytes <= DEVICE_BYTES);
        // As in fio, a request begins within the size, or anywhere in a zone, and ends with the device.
        let end = match spec.strides() {
            None => job.offset_bytes + job.extent_bytes,
            Some(_) => DEVICE_BYTES,
        };
        let (places, unit) = (job.offset_bytes..end, job.unit_bytes());
        for request in JobStream::new(&job, RootSeed(1)).take(500) {
            if request.kind != CommandKind::Flush {
                let (start, bytes) = (request.lba.0 * unit, u64::from(request.sectors) * unit);
                assert!(bytes > 0);
                assert!(
                    places.contains(&start) && start + bytes <= DEVICE_BYTES,
                    "{request:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_parses_or_fails_politely(text in any::<String>()) {
        let _ = JobFile::parse(&text, "t.fio");
    }

    #[test]
    fn nearly_right_files_never_panic(lines in prop::collection::vec(line(), 0..12)) {
        let text = format!("[job]\n{}\n", lines.join("\n"));
        match JobFile::parse(&text, "t.fio") {
            Ok(file) => try_streams(&file),
            Err(error) => prop_assert!(error.to_string().starts_with("t.fio")),
        }
    }

    #[test]
    fn combinations_of_right_options_keep_to_their_region(
        rw in prop::sample::select(vec![
            "read", "randwrite", "rw", "randrw", "trimwrite", "randtrimwrite", "randtrim",
        ]),
        law in prop::sample::select(vec![
            "random", "zipf:0.8", "zipf:3:0.99", "pareto:0.3:1", "normal:100:0", "zoned:50/1:50/99",
        ]),
        bs in prop::sample::select(vec!["512", "4k", "1536", "4k,12k"]),
        ba in prop::option::of(prop::sample::select(vec!["512", "4k", "1m"])),
        random in 0..=100u8,
        size in 1..=100u8,
        loops in 1..4u8,
        map in any::<bool>(),
        shuffle in prop::sample::select(vec!["none", "each", "shared"]),
    ) {
        let ba = ba.map_or_else(String::new, |ba| format!("ba={ba}\n"));
        let text = format!(
            "[job]\nrw={rw}\nrandom_distribution={law}\nbs={bs}\n{ba}percentage_random={random}\n\
             size={size}%\noffset=13%\nloops={loops}\nnorandommap={}\nfsync=3\nshuffle={shuffle}\n",
            u8::from(map),
        );
        if let Ok(file) = JobFile::parse(&text, "t.fio") {
            try_streams(&file);
        }
    }

    #[test]
    fn sizes_strides_zones_and_checks_keep_to_their_region(
        rw in prop::sample::select(vec![
            "read:8k", "write:-12k", "rw:512", "randread:3", "randwrite", "randrw:7", "write", "trimwrite",
        ]),
        sizes in prop::sample::select(vec![
            "bs=4k", "bsrange=512-64k", "bsrange=4k-12k\nbs_unaligned", "bssplit=4k/10:12k/90",
            "bs=4k,16k\nbs_is_seq_rand", "bssplit=8k/:64k/:1k/", "bs=4k\nzonesize=64k\nzoneskip=12k",
            "bsrange=4k-12k\nrandom_distribution=zoned:80/20:20/80\nshuffle",
            "bs=4k\nrandom_distribution=zoned_abs:80/60k:20/200k\nzonesize=64k\nshuffle=shared",
            "bs=4k\nzonesize=40k\nzonerange=12k", "bsrange=4k-8k\nzonesize=64k",
        ]),
        more in prop::sample::select(vec![
            "", "verify=md5", "verify=md5\nverify_backlog=4\ntrim_percentage=50\ntrim_backlog=3",
            "verify=md5\nverify_only", "rw_sequencer=identical", "sync=1", "io_size=3m", "loops=2",
            "time_based\nruntime=1", "number_ios=40", "fill_device", "verify=crc32\ntrim_percentage=30\n\
             trim_backlog=2\ntrim_verify_zero",
        ]),
        size in prop::sample::select(vec!["", "size=100k\n", "size=1000k\n", "size=7%\n"]),
        map in any::<bool>(),
    ) {
        let text = format!(
            "[job]\nrw={rw}\n{sizes}\n{more}\n{size}offset=13%\nnorandommap={}\n",
            u8::from(map),
        );
        if let Ok(file) = JobFile::parse(&text, "t.fio") {
            try_streams(&file);
        }
    }
}
