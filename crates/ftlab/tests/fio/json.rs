//! The JSON of runs beside that of fio 3.33, which runs the same jobs on a sparse file.

use crate::check::{Decided, contradictions, differences};
use crate::in_flight;
use crate::place::Place;
use ftlab_base::rng::{RootSeed, Stream};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;
use std::process::Command;

/// Jobs that are drawn.
const JOBS: usize = 28;
/// At a time: most of a run of fio is waiting.
const AT_A_TIME: usize = 4;

/// A job file, and what its words decide.
struct Case {
    text: String,
    decided: Decided,
    /// Trims of a file fail; fio's engine that moves nothing does them.
    trims: bool,
}

/// Draws a job from the words that change the JSON.
fn draw(random: &mut Stream) -> Case {
    let kinds = [
        "read",
        "write",
        "randread",
        "randwrite",
        "rw",
        "randrw",
        "trim",
        "randtrim",
    ];
    let rw = *kinds.choose(random).unwrap();
    let (is_mix, trims) = (rw.ends_with("rw"), rw.ends_with("trim"));
    let mut words = vec![format!("rw={rw}"), "bs=4k".to_owned()];
    words.push(format!("number_ios={}", random.random_range(20..200)));
    let flush = random.random_range(2..9);
    let flushes = random.random_bool(0.5) && rw.ends_with("write");
    let iodepth = *[1, 4, 16].choose(random).unwrap();
    let any = [
        ("group_reporting", 0.4),
        ("numjobs=2", 0.4),
        ("unified_rw_reporting=none", 0.1),
        ("percentile_list=99.9:50:1", 0.3),
        ("lat_percentiles=1", 0.3),
        ("clat_percentiles=0", 0.2),
        ("continue_on_error=all", 0.2),
        ("description=two words", 0.3),
        ("time_based=0", 0.1),
        ("thread", 0.2),
    ];
    words.extend(
        any.iter()
            .filter(|(_, share)| random.random_bool(*share))
            .map(|(word, _)| (*word).to_owned()),
    );
    if random.random_bool(0.3) {
        let unified = ["1", "mixed", "both", "2"].choose(random).unwrap();
        words.push(format!("unified_rw_reporting={unified}"));
    }
    if flushes {
        let word = ["fsync", "fdatasync"].choose(random).unwrap();
        words.push(format!("{word}={flush}"));
    }
    words.push(format!("iodepth={iodepth}"));
    let second = match random.random_range(0..5) {
        0 => "\n[second]\nrw=read\nnumber_ios=9\n",
        1 => "\n[second]\nnew_group\nrw=read\nnumber_ios=9\n",
        2 => "\n[second]\nstonewall\nrw=write\nnumber_ios=9\n",
        3 => {
            "\n[second]\nwait_for=first\nrw=randwrite\nnumber_ios=9\n[third]\nrw=read\nnumber_ios=5\n"
        }
        _ => "\n",
    };
    Case {
        text: format!(
            "[global]\nsize=2m\nioengine=libaio\nfilename=sparse\n[first]\n{}{second}",
            words.join("\n")
        ),
        decided: Decided {
            each_direction: !is_mix,
            requests: true,
            // fio ends a deeper queue with or without the last one, as the drive answers.
            flushes: iodepth == 1,
            depth: true,
            // Trims of fio's other engine are queued.
            levels: !trims,
            submissions: !trims,
        },
        trims,
    }
}

/// What is not left to chance: it takes fio seconds, or ends by a clock.
fn fixed() -> [Case; 2] {
    let global = "[global]\nsize=2m\nioengine=libaio\nfilename=sparse\n";
    let by_a_clock = Decided::default();
    [
        Case {
            text: format!(
                "{global}[steady]\nrw=randread\nruntime=3\ntime_based\nthinktime=1ms\nsteadystate=iops:99%\n\
                 steadystate_duration=1\n"
            ),
            decided: Decided {
                depth: true,
                ..by_a_clock
            },
            trims: false,
        },
        Case {
            text: format!(
                "{global}[target]\nrw=randread\nlatency_target=500ms\nlatency_window=20ms\nlatency_percentile=90\n"
            ),
            decided: by_a_clock,
            trims: false,
        },
    ]
}

/// What differs, or contradicts itself, in the documents of a case.
fn wrong(place: &Place, number: usize, case: &Case) -> Vec<String> {
    let name = format!("{number}.fio");
    let of_fio = match case.trims {
        true => case.text.replace("libaio", "null"),
        false => case.text.clone(),
    };
    place.write(&format!("fio-{name}"), &of_fio);
    place.write(&name, &case.text);
    let output = Command::new("fio")
        .args([&format!("fio-{name}"), "--output-format=json+"])
        .current_dir(&place.0)
        .output()
        .expect("fio is installed: apt-get install fio");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let fio: Value = serde_json::from_str(&said.replace("\"null\"", "\"libaio\""))
        .unwrap_or_else(|error| panic!("{error}: {said}\n{}", case.text));
    let line = format!("run {name} --drive generic-mlc-8 --state new --output-format json+");
    let assert = place.ftlab(&line).assert().success();
    let ftlab: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let mut wrong = differences(&fio, &ftlab, case.decided);
    wrong.extend(contradictions(&ftlab));
    if !case.text.contains("thinktime") {
        wrong.extend(in_flight::wrong(&ftlab));
    }
    wrong
        .iter()
        .map(|what| format!("{what}\n    {}", case.text.replace('\n', "; ")))
        .collect()
}

#[test]
fn the_json_has_fio_s_keys_and_the_values_that_jobs_decide() {
    let place = Place::new();
    let sparse = std::fs::File::create(place.path("sparse")).unwrap();
    sparse.set_len(2 << 20).unwrap();
    let mut random = RootSeed(1).stream("jobs");
    let drawn: Vec<Case> = (0..JOBS).map(|_| draw(&mut random)).collect();
    let cases: Vec<Case> = fixed().into_iter().chain(drawn).collect();
    let numbered: Vec<(usize, &Case)> = cases.iter().enumerate().collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let place = &place;
        let share = cases.len().div_ceil(AT_A_TIME);
        let shares = numbered.chunks(share).map(|share| {
            let each = move |(number, case): &(usize, &Case)| wrong(place, *number, case);
            scope.spawn(move || share.iter().flat_map(each).collect::<Vec<_>>())
        });
        let threads: Vec<_> = shares.collect();
        let ended = threads.into_iter().map(|thread| thread.join().unwrap());
        ended.flatten().collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
