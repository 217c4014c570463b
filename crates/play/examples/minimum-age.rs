//! A victim policy that waits: greedy among superblocks of a minimum age.

use ftlab_base::{RootSeed, SuperblockId};
use ftlab_drive::{Catalog, DriveError, DriveFile};
use ftlab_ftl::page::{VictimPolicy, VictimView};
use ftlab_play::driver::{self, Clock};
use ftlab_play::states::{self, State};
use ftlab_workload::JobFile;
use std::cmp::Reverse;
use std::error::Error;

/// Greedy among superblocks that have had time to empty; while none has, the oldest.
#[derive(Debug, Clone)]
struct MinimumAge {
    /// In superblocks that the drive has closed since.
    least: u64,
}

impl VictimPolicy for MinimumAge {
    fn name(&self) -> &'static str {
        "minimum-age"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let ripe = view.candidates().filter(|c| c.age >= self.least);
        // The oldest of equals, as greedy does.
        let emptiest = ripe.min_by_key(|c| (c.valid_slots, Reverse(c.age)));
        let chosen = emptiest.or_else(|| view.candidates().max_by_key(|c| c.age))?;
        Some(chosen.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(self.clone())
    }
}

/// The generic drive made small, with one of ftlab's policies.
fn drive_with(policy: &str) -> Result<DriveFile, DriveError> {
    let size = ["nand.blocks_per_die=128", "nand.pages_per_block=64"];
    let mut settings = size.map(String::from).to_vec();
    settings.push(format!("gc.policy={policy}"));
    Catalog::load("generic-mlc-8", &settings)
}

/// The same drive with the policy from above.
fn drive_waiting(least: u64) -> Result<DriveFile, DriveError> {
    let name = format!("minimum-age-{least}");
    drive_with("greedy")?.with_policy(&name, move |_| Box::new(MinimumAge { least }))
}

/// Over-provisioning of the generic drive.
const OP: f64 = 0.127;

const UNIFORM: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nloops=4";

/// Nine tenths of the writes go to a tenth of the drive. It takes longer to become steady.
const HOT_COLD: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nloops=8
random_distribution=zoned:90/10:10/90";

/// Write amplification in the steady window of a run, on a drive that was filled once in order.
fn wa(file: &DriveFile, job: &str) -> Result<f64, Box<dyn Error>> {
    let seed = RootSeed(1);
    let mut drive = file.build(&Catalog::testbed("anandtech-2008")?, seed)?;
    states::prepare(&mut *drive, State::New, State::Filled, seed)?;
    let job = JobFile::parse(job, "a job of this program")?;
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed)?;
    Ok(report
        .wa
        .steady
        .ok_or("the run ended before it was steady")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (greedy, fifo) = (drive_with("greedy")?, drive_with("fifo")?);

    // What is known: FIFO costs what theory says.
    let theory = ftlab_theory::fifo(1.0 + OP)?;
    let simulated = wa(&fifo, UNIFORM)?;
    println!("FIFO, uniform: {simulated:.3}; in theory {theory:.3}");
    assert!((simulated / theory - 1.0).abs() < 0.01);

    // The limits of the policy are policies that are known.
    assert_eq!(wa(&drive_waiting(0)?, UNIFORM)?, wa(&greedy, UNIFORM)?);
    assert_eq!(wa(&drive_waiting(u64::MAX)?, UNIFORM)?, simulated);

    // What is new.
    println!("{:12} {:>8} {:>8}", "", "uniform", "hot/cold");
    let mut costs = Vec::new();
    for (name, file) in [
        ("fifo", fifo),
        ("greedy", greedy),
        ("waits 200", drive_waiting(200)?),
        ("waits 800", drive_waiting(800)?),
        ("cost-benefit", drive_with("cost-benefit")?),
    ] {
        let (uniform, hot_cold) = (wa(&file, UNIFORM)?, wa(&file, HOT_COLD)?);
        println!("{name:12} {uniform:8.3} {hot_cold:8.3}");
        costs.push((uniform, hot_cold));
    }
    let (greedy, waits_800) = (costs[1], costs[3]);
    assert!(waits_800.0 < 1.01 * greedy.0 && waits_800.1 < 0.8 * greedy.1);
    Ok(())
}
