//! Shuffled jobs have their hot blocks all over the region, and clones have the same ones where they share a permutation.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{JobFile, JobStream};
use std::collections::{BTreeMap, BTreeSet};

/// A number of blocks of 4 KiB that is no power of two.
const BLOCKS: u64 = 4_000;
const BLOCK_BYTES: u64 = 4_096;

fn read(text: &str) -> JobFile {
    JobFile::parse(text, "t.fio").unwrap_or_else(|error| panic!("{error}"))
}

/// The bytes where the requests of each job of a file begin, and how many each kind has there.
fn begins(file: &JobFile, device_bytes: u64, seed: u64) -> Vec<BTreeMap<(char, u64), u64>> {
    let of_job = |spec: &ftlab_workload::JobSpec| {
        let job = spec.resolve(device_bytes).unwrap();
        let mut counts = BTreeMap::new();
        for request in JobStream::new(&job, RootSeed(seed)) {
            let kind = match request.kind {
                CommandKind::Read => 'r',
                _ => 'w',
            };
            *counts.entry((kind, request.lba.0 * 512)).or_insert(0) += 1;
        }
        counts
    };
    file.jobs.iter().map(of_job).collect()
}

/// The blocks of a job on the whole of a device that get more than twice their share of its requests.
fn hot(counts: &BTreeMap<(char, u64), u64>) -> BTreeSet<u64> {
    let all: u64 = counts.values().sum();
    let is_hot = |count: u64| count * BLOCKS > 2 * all;
    let hot = counts.iter().filter(|(_, count)| is_hot(**count));
    hot.map(|((_, at), _)| at / BLOCK_BYTES).collect()
}

fn hot_of_each(options: &str) -> Vec<BTreeSet<u64>> {
    let file = read(&format!(
        "[w]\nrw=randwrite\nbs=4k\nnorandommap\nio_size=1600m\n{options}\n"
    ));
    let counts = begins(&file, BLOCKS * BLOCK_BYTES, 7);
    counts.iter().map(hot).collect()
}

fn union(sets: &[BTreeSet<u64>]) -> usize {
    sets.iter().flatten().collect::<BTreeSet<_>>().len()
}

/// Nine tenths of the requests to a tenth of the blocks: 90 times as likely as the others.
const ZONES: &str = "random_distribution=zoned:90/10:10/90";

#[test]
fn a_shuffled_zone_is_as_many_blocks_and_lies_everywhere() {
    let in_order = &hot_of_each(ZONES)[0];
    assert!(in_order.iter().copied().eq(0..400));
    for word in ["each", "shared"] {
        let scattered = &hot_of_each(&format!("{ZONES}\nshuffle={word}"))[0];
        assert_eq!(scattered.len(), 400, "{word}");
        for quarter in 0..4 {
            let there = |block: &&u64| **block / (BLOCKS / 4) == quarter;
            let there = scattered.iter().filter(there).count();
            // 100 ± 8 by chance.
            assert!((60..140).contains(&there), "{word}: {there} in {quarter}");
        }
    }
}

#[test]
fn clones_have_hot_blocks_of_their_own_or_the_same() {
    let clones = |more: &str| hot_of_each(&format!("numjobs=4\n{more}"));
    let zones = |shuffle: &str| union(&clones(&format!("{ZONES}\nshuffle={shuffle}")));
    assert_eq!((zones("none"), zones("shared")), (400, 400));
    // A block is hot for none of four with a chance of 0.9⁴: 1375 ± 30 are for one of them.
    let apart = zones("each");
    assert!((1_250..1_500).contains(&apart), "{apart}");

    let zipf = |shuffle: &str| {
        let sets = clones(&format!("random_distribution=zipf:1.2\n{shuffle}"));
        (sets[0].len(), union(&sets))
    };
    let (one, all) = zipf("shuffle=shared");
    assert!(all < one + one / 10, "{all} of {one}");
    for apart in ["", "shuffle", "shuffle=each"] {
        let (one, all) = zipf(apart);
        assert!(all > 3 * one, "{apart}: {all} of {one}");
    }
}

#[test]
fn all_jobs_that_say_so_share_unless_a_seed_of_their_own_parts_them() {
    let hot_of = |second: &str| {
        let global = "rw=randwrite\nbs=4k\nnorandommap\nio_size=1600m\nshuffle=shared";
        let file = read(&format!(
            "[global]\n{global}\n{ZONES}\n[a]\n[b]\n{second}\n"
        ));
        let counts = begins(&file, BLOCKS * BLOCK_BYTES, 7);
        (hot(&counts[0]), hot(&counts[1]))
    };
    let (a, b) = hot_of("");
    assert_eq!(a, b);
    let (a, b) = hot_of("randseed=5");
    assert!(a.intersection(&b).count() < 100);
    // The seed of the run decides, as of all numbers.
    let file = read(&format!(
        "[w]\nrw=randwrite\nbs=4k\nnorandommap\nio_size=1600m\nshuffle=shared\n{ZONES}\n"
    ));
    let of_seed = |seed| hot(&begins(&file, BLOCKS * BLOCK_BYTES, seed)[0]);
    assert!(of_seed(1).intersection(&of_seed(2)).count() < 100);
}

#[test]
fn a_job_that_runs_again_keeps_its_hot_blocks() {
    for word in ["each", "shared"] {
        let text = format!(
            "[w]\nrw=randwrite\nbs=4k\nnorandommap\nio_size=1600m\nnumjobs=2\nshuffle={word}\n{ZONES}\n"
        );
        let mut file = read(&text);
        file.keep_orders(RootSeed(1));
        let of_seed = |seed| -> Vec<BTreeSet<u64>> {
            let counts = begins(&file, BLOCKS * BLOCK_BYTES, seed);
            counts.iter().map(hot).collect()
        };
        let (first, again) = (of_seed(1), of_seed(2));
        assert_eq!(first, again, "{word}");
        assert_eq!(first[0] == first[1], word == "shared");
    }
}

#[test]
fn reads_and_writes_of_other_sizes_have_the_same_hot_bytes() {
    let file = read(&format!(
        "[m]\nrw=randrw\nbs=8k,4k\nnorandommap\nio_size=3200m\nshuffle=each\n{ZONES}\n"
    ));
    let counts = &begins(&file, BLOCKS * BLOCK_BYTES, 3)[0];
    let of_kind = |kind: char, least: u64| -> BTreeSet<u64> {
        let hot = counts.iter().filter(|(_, count)| **count >= least);
        let hot = hot.filter(|((of, _), _)| *of == kind);
        hot.map(|((_, at), _)| at / 8_192).collect()
    };
    let means = |kind: char| -> u64 {
        let of = counts.iter().filter(|((of, _), _)| *of == kind);
        of.map(|(_, count)| count).sum()
    };
    let reads = of_kind('r', 2 * means('r') / (BLOCKS / 2));
    let writes = of_kind('w', 2 * means('w') / BLOCKS);
    assert_eq!(reads.len(), 200);
    assert_eq!(reads, writes);
}

#[test]
fn offsets_and_sizes_that_do_not_divide_keep_the_share_of_every_zone() {
    // 1000 blocks of 12 KiB and 5 KiB that hold none, behind 20 KiB.
    for (more, bytes) in [
        ("bs=12k\nnorandommap", 12_288),
        ("bs=12k\nblockalign=12k\nloops=2", 12_288),
        // Aligned to sectors, a zone is still made of whole blocks.
        ("bs=12k\nblockalign=4k\nnorandommap", 12_288),
    ] {
        let size = 1_000 * 12_288 + 5_120;
        let text = format!(
            "[w]\nrw=randwrite\n{more}\noffset=20k\nsize={size}\nio_size=2400m\nshuffle=shared\n{ZONES}\n"
        );
        let device = 40 << 20;
        let counts = &begins(&read(&text), device, 9)[0];
        let mut of_block: BTreeMap<u64, u64> = BTreeMap::new();
        for ((_, at), count) in counts {
            let within = at.checked_sub(20 * 1024).unwrap();
            assert!(within + bytes <= size && within % 4096 == 0, "{more}: {at}");
            *of_block.entry(within / bytes).or_insert(0) += count;
        }
        let all: u64 = of_block.values().sum();
        let hot = of_block.values().filter(|count| **count * 1_000 > 2 * all);
        let (hot, share) = (hot.clone().count(), hot.sum::<u64>() as f64 / all as f64);
        assert!((99..=101).contains(&hot), "{more}: {hot}");
        assert!((share - 0.9).abs() < 0.01, "{more}: {share}");
        assert!(of_block.len() >= 999, "{more}: {}", of_block.len());
    }
}

#[test]
fn zones_in_bytes_are_as_many_blocks_and_leave_the_rest_alone() {
    // 1 MiB hot, 3 MiB cold, and nothing of what is left.
    let zones = "random_distribution=zoned_abs:80/1m:20/3m";
    let counts = |shuffle: &str| {
        let file = read(&format!(
            "[w]\nrw=randwrite\nbs=4k\nnorandommap\nio_size=1600m\n{zones}\nshuffle={shuffle}\n"
        ));
        begins(&file, BLOCKS * BLOCK_BYTES, 5).remove(0)
    };
    let (in_order, scattered) = (counts("none"), counts("each"));
    assert_eq!((in_order.len(), scattered.len()), (1_024, 1_024));
    let share = |counts: &BTreeMap<(char, u64), u64>, hot: &BTreeSet<u64>| {
        let all: u64 = counts.values().sum();
        let of = counts
            .iter()
            .filter(|((_, at), _)| hot.contains(&(at / BLOCK_BYTES)));
        of.map(|(_, count)| count).sum::<u64>() as f64 / all as f64
    };
    // 1280 requests a block of the first zone, 107 of the second.
    let most = |counts: &BTreeMap<(char, u64), u64>| -> BTreeSet<u64> {
        let hot = counts.iter().filter(|(_, count)| **count > 800);
        hot.map(|((_, at), _)| at / BLOCK_BYTES).collect()
    };
    let hot = most(&scattered);
    assert_eq!(hot.len(), 256);
    assert!((share(&scattered, &hot) - 0.8).abs() < 0.01);
    assert!(hot.iter().max() > Some(&(BLOCKS / 2)));
}

#[test]
fn blocks_that_have_no_common_one_cannot_be_shuffled_zones() {
    let text = format!("[m]\nrw=randrw\nbs=12k,8k\n{ZONES}\nshuffle\n");
    let error = JobFile::parse(&text, "t.fio").unwrap_err().to_string();
    for part in ["t.fio:5", "job `m`", "8192", "12288", "leave shuffle out"] {
        assert!(error.contains(part), "{error}");
    }
    // An option says so as well, when the job is fitted.
    let mut file = read(&text.replace("shuffle\n", ""));
    file.shuffle(ftlab_workload::Shuffle::Shared);
    let error = file.jobs[0].resolve(1 << 30).unwrap_err().to_string();
    assert!(error.contains("do not divide those of 12288"), "{error}");
    // Ranks have places for each size.
    read(&text.replace(ZONES, "random_distribution=zipf:0.9"));
    let error = JobFile::parse("[m]\nrw=randread\nshuffle=all\n", "t.fio").unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("t.fio:3") && error.contains("each, shared or none"),
        "{error}"
    );
}

#[test]
fn a_job_that_says_it_itself_is_left_as_it_is() {
    let mut file = read(&format!(
        "[a]\nrw=randwrite\n{ZONES}\nshuffle=none\n[b]\nrw=randwrite\n[c]\nrw=write\n"
    ));
    assert!(!file.shuffle(ftlab_workload::Shuffle::Shared));
    assert!(file.jobs.iter().all(|job| job.shuffled().is_none()));
    assert!(file.hot_places().is_empty());
}

#[test]
fn it_is_told_whose_hot_blocks_clones_have() {
    let told = |more: &str| {
        let file = read(&format!("[z]\nrw=randwrite\nnumjobs=4\n{more}\n"));
        file.hot_places().join("|")
    };
    let zipf = "random_distribution=zipf:0.9";
    for (more, parts) in [
        (
            zipf.to_owned(),
            &["each of the 4 clones of job `z`", "shuffle=shared"][..],
        ),
        (
            format!("{zipf}\nshuffle"),
            &["another one for each of its 4 clones", "ranks"],
        ),
        (
            format!("{ZONES}\nshuffle=shared"),
            &["its 4 clones have the same", "zones"],
        ),
    ] {
        let words = told(&more);
        assert!(parts.iter().all(|part| words.contains(part)), "{words}");
        assert_eq!(words.matches("`z`").count(), 1, "{words}");
    }
    for more in [ZONES, "", "random_distribution=zipf:0.9:0.5"] {
        assert_eq!(told(more), "", "{more}");
    }
}
