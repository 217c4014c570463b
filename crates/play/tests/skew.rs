//! Skewed writes under greedy collection, against a published simulator's values: where collected data share the
//! host's log, hot and cold data mix again.

use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_play::states::{self, State};
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

/// User slots over physical ones.
const FILL: f64 = 0.875;

/// What write amplification may be off by.
const TOLERANCE: f64 = 0.01;

/// Steady write amplification of writes by that distribution on a drive that is full.
fn write_amplification(distribution: &str, separate: bool) -> f64 {
    let settings = [
        "nand.channels=1".to_owned(),
        "nand.dies_per_channel=1".to_owned(),
        // Large blocks: the simulator's greedy collection takes what FIFO does.
        "nand.blocks_per_die=512".to_owned(),
        "nand.pages_per_block=1024".to_owned(),
        format!("gc.separate={separate}"),
        format!("spare.op={}", 1.0 / FILL - 1.0),
    ];
    let file = Catalog::load("generic-mlc-8", &settings).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut device = file.build(&testbed, SEED).unwrap();
    states::prepare(&mut *device, State::New, State::Filled, SEED).unwrap();
    let capacity = device.capacity_sectors() * 512;
    let mut written = |drives: u64, part: &str| {
        let bytes = capacity * drives;
        let job = format!(
            "[w]\nrw=randwrite\nbs=4k\nnorandommap\nsize=100%\nio_size={bytes}\n\
             random_distribution={distribution}\n"
        );
        let job = JobFile::parse(&job, "skew.fio").unwrap();
        let seed = SEED.derive(part);
        let report = driver::run(&job, &mut *device, Clock::Untimed, seed);
        report.unwrap().wa.total
    };
    written(12, "until it is steady");
    written(6, "steady")
}

#[test]
fn greedy_collects_skewed_writes_as_a_published_simulator_does() {
    // A tenth of the space gets nine tenths of the writes, a fifth four fifths.
    let (tenth, fifth) = ("zoned:90/10:10/90", "zoned:80/20:20/80");
    let rows = [("random", 4.180), (fifth, 4.515), (tenth, 5.112)];
    for (distribution, published) in rows {
        let got = write_amplification(distribution, false);
        let ratio = got / published;
        assert!(
            (ratio - 1.0).abs() < TOLERANCE,
            "{distribution}: {got} for {published}"
        );
    }
    // Apart, what was collected is colder than what the host writes, and stays so.
    let apart = write_amplification(tenth, true);
    assert!(apart < 0.93 * rows[2].1, "{apart}");
}
