//! Little's law in ftlab's own JSON: rates times mean latencies are the requests that the drive saw under way.

use crate::place::Place;
use serde_json::Value;

/// How far the two may be from each other.
const SHARE: f64 = 0.01;

/// The sum of rate times mean latency over a job's reads, writes, trims and flushes.
fn sum(job: &Value) -> f64 {
    let number = |path: &str| job.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    let unified = job.get("mixed").is_some() && job.get("read").is_none();
    let directions: &[&str] = if unified {
        &["mixed"]
    } else {
        &["read", "write", "trim"]
    };
    let over = |what: &dyn Fn(&str) -> f64| directions.iter().map(|of| what(of)).sum::<f64>();
    let requests = over(&|of| number(&format!("/{of}/total_ios")));
    let a_second = over(&|of| number(&format!("/{of}/iops")));
    let moved = over(&|of| number(&format!("/{of}/iops")) * number(&format!("/{of}/lat_ns/mean")));
    // fio has no rate of flushes: there are as many in the time of the others as there are.
    let flushes = number("/sync/lat_ns/N") * a_second / requests.max(1.0);
    (moved + flushes * number("/sync/lat_ns/mean")) / 1e9
}

/// Jobs of which the two differ.
pub fn wrong(document: &Value) -> Vec<String> {
    let jobs = document["jobs"].as_array().into_iter().flatten();
    let depths = document["ftlab"]["mean_depths"]
        .as_array()
        .into_iter()
        .flatten();
    let mut wrong = Vec::new();
    for (job, seen) in jobs.zip(depths) {
        let (sum, Some(seen)) = (sum(job), seen.as_f64()) else {
            continue;
        };
        if (sum - seen).abs() > SHARE * seen {
            let name = &job["jobname"];
            wrong.push(format!(
                "{name}: {sum:.4} requests in flight, and the drive saw {seen:.4}"
            ));
        }
    }
    wrong
}

#[test]
fn rates_times_latencies_are_the_depth_of_queues_that_are_always_full() {
    let place = Place::new();
    const DEPTHS: [u32; 4] = [1, 4, 16, 64];
    let global = "[global]\nioengine=libaio\nbs=4k\nruntime=500ms\ntime_based\nnorandommap\n";
    let kinds = ["randread", "randwrite", "randrw", "randread"];
    // One by one, then all at once, then with flushes.
    for (wall, fsync) in [("stonewall\n", ""), ("", ""), ("stonewall\n", "fsync=8\n")] {
        let job = |(depth, rw): (&u32, &&str)| {
            format!("[at {depth}]\n{wall}{fsync}rw={rw}\niodepth={depth}\n")
        };
        let jobs: String = DEPTHS.iter().zip(&kinds).map(job).collect();
        place.write("full.fio", &format!("{global}{jobs}"));
        let line = "run full.fio --drive generic-mlc-8 --state new --output-format json";
        let assert = place.ftlab(line).assert().success();
        let document: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
        assert_eq!(wrong(&document), Vec::<String>::new());
        let sums = document["jobs"].as_array().unwrap().iter().map(sum);
        for (sum, depth) in sums.zip(DEPTHS) {
            // A flush of libaio is waited for.
            let is_full = fsync.is_empty() || depth == 1;
            let off = (sum - f64::from(depth)).abs();
            assert!(
                !is_full || off <= SHARE * f64::from(depth),
                "{sum} of {depth}, {wall:?}"
            );
        }
    }
}
