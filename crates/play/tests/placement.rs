//! Data that the host keeps apart by placement handles (NVMe FDP): what that saves, against closed forms and a published
//! bound.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, Device};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, RunReport};
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

/// A drive whose user slots are that share of all but the reserve.
fn drive(fill: f64, streams: &[&str]) -> Box<dyn Device> {
    let mut settings = vec![
        "nand.channels=1".to_owned(),
        "nand.dies_per_channel=1".to_owned(),
        // Large blocks, as closed forms have them.
        "nand.blocks_per_die=512".to_owned(),
        "nand.pages_per_block=1024".to_owned(),
        format!("spare.op={}", 1.0 / fill - 1.0),
    ];
    settings.extend(streams.iter().map(|&setting| setting.to_owned()));
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    file.build(&Testbed::load("anandtech-2008").unwrap(), SEED)
        .unwrap()
}

fn with_handles(fill: f64, isolation: &str) -> Box<dyn Device> {
    let isolation = format!("gc.isolation={isolation}");
    let streams = [
        "gc.streams=by-host",
        "gc.handles=2",
        &isolation,
        "gc.reserve=4",
    ];
    drive(fill, &streams)
}

fn run(device: &mut dyn Device, jobs: &str, part: &str) -> RunReport {
    let file = JobFile::parse(&format!("[global]\nbs=4k\n{jobs}"), "placement.fio").unwrap();
    driver::run(&file, device, Clock::Untimed, SEED.derive(part)).unwrap()
}

/// Steady write amplification where a tenth of the space gets nine tenths of the writes, each part with a handle of its
/// own, or all with the same.
fn of_two_zones(mut device: Box<dyn Device>, told: [&str; 2]) -> f64 {
    let [hot, cold] = told;
    let fill = format!("[hot]\nrw=write\nsize=10%\n{hot}\n[cold]\nrw=write\noffset=10%\n{cold}\n");
    run(&mut *device, &fill, "fill");
    let capacity = device.capacity_sectors() * 512;
    let mut written = |drives: u64, part: &str| {
        let share = capacity * drives / 10 / 4096 * 4096;
        // Jobs have their turns one after the other: nine writes to the tenth for one to the rest.
        let jobs = format!(
            "rw=randwrite\nnorandommap\nio_size={share}\n[hot]\nsize=10%\nnumjobs=9\n{hot}\n\
             [cold]\noffset=10%\n{cold}\n"
        );
        run(&mut *device, &jobs, part).wa().total
    };
    written(10, "until it is steady");
    written(5, "steady")
}

const APART: [&str; 2] = ["fdp=1\nplids=0", "fdp=1\nplids=1"];
const TOGETHER: [&str; 2] = [""; 2];

#[test]
fn handles_of_their_own_give_two_zones_what_an_optimal_division_of_the_spare_gives() {
    const FILL: f64 = 0.875;
    // A published bound, where the spare area is divided between the zones as well as can be.
    const BOUND: f64 = 1.985;
    let apart = of_two_zones(with_handles(FILL, "persistently"), APART);
    assert!((apart / BOUND - 1.0).abs() < 0.02, "{apart} for {BOUND}");
    // Greedy collection of one log, as a published simulator has it.
    const ONE_LOG: f64 = 5.112;
    let one_log = of_two_zones(drive(FILL, &["gc.separate=false"]), TOGETHER);
    assert!(
        (one_log / ONE_LOG - 1.0).abs() < 0.02,
        "{one_log} for {ONE_LOG}"
    );
    // Drives whose handles are isolated only until their data are collected lie between.
    let initially = of_two_zones(with_handles(FILL, "initially"), APART);
    assert!(apart < initially && initially < one_log, "{initially}");
}

/// Write amplification of a log that goes round beside data that stay.
fn of_log_beside_static_data(
    mut device: Box<dyn Device>,
    told: [&str; 2],
) -> (f64, Box<dyn Device>) {
    let [log, data] = told;
    let fill = format!("[log]\nrw=write\nsize=20%\n{log}\n[data]\nrw=write\noffset=20%\n{data}\n");
    run(&mut *device, &fill, "fill");
    let capacity = device.capacity_sectors() * 512;
    let round = |drives: u64| {
        format!(
            "[log]\nrw=write\nsize=20%\nio_size={}\n{log}\n",
            capacity * drives / 4096 * 4096
        )
    };
    run(&mut *device, &round(3), "until it is steady");
    let wa = run(&mut *device, &round(2), "steady").wa().total;
    (wa, device)
}

#[test]
fn a_log_beside_static_data_is_written_once_where_it_has_a_handle_of_its_own() {
    for isolation in ["initially", "persistently"] {
        let (wa, device) = of_log_beside_static_data(with_handles(0.89, isolation), APART);
        assert!(wa < 1.01, "{isolation}: {wa}");
        let handles = device.page_layer().unwrap().handles();
        let [log, data] = handles else {
            panic!("{handles:?}")
        };
        let slots = device.capacity_sectors() / 8;
        assert!(
            log.host_slots_written.abs_diff(5 * slots + slots / 5) < 9,
            "{log:?}"
        );
        assert!(
            data.host_slots_written.abs_diff(slots * 4 / 5) < 9,
            "{data:?}"
        );
    }
}
