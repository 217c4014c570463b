//! A load repeated on a drive until what it costs no longer changes.
//!
//! The rule is SNIA's, as in `states/src/steady_rule.rs`, over rounds of host writes. A pass of the load that is as long as
//! a window of the rule is judged by the driver; of shorter ones as many make up a round as it takes to write a share
//! of the capacity. Every pass draws its own random numbers, as a day is not the one before.

use super::{PlanError, pace};
use ftlab_base::{RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Counters;
use ftlab_host::Testbed;
use ftlab_lab::{Devices, How, Length, Subject, play};
use ftlab_play::driver::Clock;
use ftlab_play::driver::DeviceShape;
use ftlab_play::load::{Load, What};
use ftlab_states::steady_rule::{ROUNDS_MAX, WINDOW, is_steady};
use ftlab_states::watch::Watch;

/// Capacities that the host writes in a window of the rule, as in a run.
pub const CAPACITIES_A_WINDOW: u64 = 2;

/// Passes after which a load counts as one that does not settle: it writes too little for the rule.
const PASSES_MAX: u32 = 20_000;

/// Requests of a job that are played at once on a drive that rewrites whole blocks, as a share of its sectors, and the
/// capacities that a round of it programs at most: a random write may cost hundreds of pages, and a whole pass would take
/// days.
const PART_OF_BLOCKS: u64 = 400;
const PROGRAMMED_OF_BLOCKS: u64 = 1;

/// The end of a load that was repeated: its write amplification, and the work that it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Write amplification over the last window, or over all where there was none.
    pub wa: f64,
    /// Set if the rule held at the end.
    pub is_steady: bool,
    /// The number of times that the load was played.
    pub passes: u32,
    /// Bytes the host wrote meanwhile.
    pub host_bytes: u64,
    /// Requests that the load was cut to, each time, if it was.
    pub cut_to: Option<u64>,
}

/// The clock that passes are played by: none where a load has a meaning without.
pub fn clock(load: &Load) -> Clock {
    match load.what() {
        What::Job(_) | What::Recording(_) => Clock::Untimed,
        What::Script(_) | What::Trace(_) => Clock::Timed,
    }
}

/// A load as a pass of it: a job ends by its amount, one that only its time ends when it has played its region once.
pub fn pass(load: &Load) -> Load {
    let What::Job(file) = load.what() else {
        return load.clone();
    };
    let mut file = file.clone();
    for job in &mut file.jobs {
        (job.length.time_based, job.length.runtime) = (false, None);
    }
    load.paced(What::Job(file))
}

/// Plays a load again and again on the only drive of a subject, until it is steady.
///
/// # Errors
/// When it cannot be played, or writes nothing.
pub fn settle(
    load: &Load,
    subject: &Subject,
    devices: &mut Devices,
    machine: &Testbed,
    root: RootSeed,
    watch: &Watch<'_>,
) -> Result<Settled, PlanError> {
    let (mut load, clock) = (pass(load), clock(load));
    let sectors = devices[0].capacity_sectors();
    let mut rounds = Rounds::new(sectors * SECTOR_BYTES, devices[0].counters());
    // The drive has a block map. A whole pass of random writes to it would take days, so it plays a part at a time.
    if subject.first().spare().is_none() {
        let part = (sectors / PART_OF_BLOCKS).max(1);
        let (cut, is_cut) = pace::own(&load, DeviceShape::of("", &*devices[0]), part)?;
        (load, rounds.cut_to) = (cut, is_cut.then_some(part));
        rounds.programmed_max = sectors * SECTOR_BYTES * PROGRAMMED_OF_BLOCKS;
    }
    let load = &load;
    for pass in 0..PASSES_MAX {
        let seed = load.seed(root.derive(&format!("plan pass {pass}")));
        let tell = |what: &str, share| watch(&format!("{what}, pass {}", pass + 1), share);
        let how = How {
            length: Length::Full,
            clock,
            seed,
            has_settled: false,
            watch: &tell,
        };
        let record = play(load, subject, devices, machine, &how)?;
        let failed = record.run.jobs.iter().any(|job| job.errors > 0);
        if let Some(why) = devices[0].fault().filter(|_| failed) {
            return Err(PlanError::Refused(why));
        }
        if clock == Clock::Timed {
            ftlab_states::come_to_rest(devices[0].as_mut(), SimTime::ZERO + record.answered)?;
            devices[0] = devices[0].snapshot();
        }
        let now = devices[0].counters();
        if now.host_bytes_written == rounds.start.host_bytes_written {
            return Err(PlanError::NoWrites);
        }
        let of_driver = record.run.inside().and_then(|inside| inside.wa_steady);
        rounds.passed(now, of_driver);
        if rounds.is_over() {
            return Ok(rounds.settled(pass + 1));
        }
    }
    Ok(rounds.settled(PASSES_MAX))
}

/// Rounds of passes, by which SNIA's rule judges the load.
struct Rounds {
    round_bytes: u64,
    /// Bytes programmed that end a round as well.
    programmed_max: u64,
    cut_to: Option<u64>,
    start: Counters,
    /// The counters at the end of each round, those at the beginning first.
    marks: Vec<Counters>,
    now: Counters,
    /// Steady write amplification as the driver found it within the last pass, if that was as long as a window.
    of_driver: Option<f64>,
}

impl Rounds {
    fn new(capacity_bytes: u64, start: Counters) -> Rounds {
        Rounds {
            round_bytes: (capacity_bytes * CAPACITIES_A_WINDOW / WINDOW as u64).max(1),
            programmed_max: u64::MAX,
            cut_to: None,
            start,
            marks: vec![start],
            now: start,
            of_driver: None,
        }
    }

    fn passed(&mut self, now: Counters, of_driver: Option<f64>) {
        let last = self.marks[self.marks.len() - 1];
        let since = now.since(&last);
        if since.host_bytes_written >= self.round_bytes
            || since.nand_bytes_programmed >= self.programmed_max
        {
            self.marks.push(now);
        }
        (self.now, self.of_driver) = (now, of_driver);
    }

    fn is_over(&self) -> bool {
        self.of_driver.is_some() || self.steady().is_some() || self.marks.len() > ROUNDS_MAX
    }

    /// Write amplification over the last window, if the rule holds there.
    fn steady(&self) -> Option<f64> {
        let first = self.marks.len().checked_sub(WINDOW + 1)?;
        let window = self.marks[first..].windows(2);
        let window: Vec<Counters> = window.map(|ends| ends[1].since(&ends[0])).collect();
        let reuses_flash = window.iter().all(|round| round.nand_erases > 0);
        let yields: Vec<f64> = window
            .iter()
            .map(|round| 1.0 / round.write_amplification())
            .collect();
        let last = self.marks[self.marks.len() - 1];
        (reuses_flash && is_steady(&yields))
            .then(|| last.since(&self.marks[first]).write_amplification())
    }

    fn settled(&self, passes: u32) -> Settled {
        let steady = self.of_driver.or_else(|| self.steady());
        let from = self.marks[self.marks.len().saturating_sub(WINDOW + 1)];
        let so_far = match self.marks.len() > WINDOW {
            true => self.now.since(&from),
            false => self.now.since(&self.start),
        };
        Settled {
            wa: steady.unwrap_or_else(|| so_far.write_amplification()),
            is_steady: steady.is_some(),
            passes,
            host_bytes: self.now.since(&self.start).host_bytes_written,
            cut_to: self.cut_to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive of 1000 bytes, of which each pass writes `bytes` and amplifies them by a percentage.
    fn passes(bytes: u64, percents: &[u64]) -> (Rounds, Settled, u32) {
        let mut now = Counters::default();
        let mut rounds = Rounds::new(1000, now);
        let mut passes = 0;
        for percent in percents {
            now.host_bytes_written += 100 * bytes;
            now.nand_bytes_programmed += percent * bytes;
            now.nand_erases += 1;
            passes += 1;
            rounds.passed(
                Counters {
                    host_bytes_written: now.host_bytes_written / 100,
                    nand_bytes_programmed: now.nand_bytes_programmed / 100,
                    ..now
                },
                None,
            );
            if rounds.is_over() {
                break;
            }
        }
        let settled = rounds.settled(passes);
        (rounds, settled, passes)
    }

    #[test]
    fn short_passes_make_up_rounds_and_the_last_five_have_to_be_even() {
        // A round is 400 bytes, so four passes; the first two rounds are dearer.
        let mut percents = vec![300; 4];
        percents.extend([200; 4]);
        percents.extend([150; 40]);
        let (rounds, settled, passes) = passes(100, &percents);
        assert_eq!((passes, rounds.marks.len()), (28, 8));
        assert_eq!((settled.wa, settled.is_steady), (1.5, true));
        assert_eq!(settled.host_bytes, 2800);
    }

    #[test]
    fn a_pass_longer_than_a_round_is_one() {
        let (_, settled, passes) = passes(900, &[250; 30]);
        assert_eq!((passes, settled.wa, settled.is_steady), (5, 2.5, true));
    }

    #[test]
    fn what_does_not_settle_ends_after_as_many_rounds_as_the_rule_has() {
        let rising: Vec<u64> = (0..90).map(|n| 100 + 30 * n).collect();
        let (_, settled, passes) = passes(400, &rising);
        assert_eq!((passes, settled.is_steady), (25, false));
        // Over the last five rounds.
        assert!(
            (settled.wa - (100.0 + 30.0 * 22.0) / 100.0).abs() < 0.01,
            "{}",
            settled.wa
        );
    }

    #[test]
    fn a_drive_that_rewrites_blocks_ends_its_rounds_by_what_it_programs() {
        let mut rounds = Rounds::new(1000, Counters::default());
        rounds.programmed_max = 1000;
        let mut now = Counters::default();
        for pass in 1..=5 {
            now.host_bytes_written += 10;
            now.nand_bytes_programmed += 1000;
            now.nand_erases += 1;
            rounds.passed(now, None);
            assert_eq!(rounds.is_over(), pass == 5);
        }
        assert_eq!(
            (rounds.settled(5).wa, rounds.settled(5).is_steady),
            (100.0, true)
        );
    }

    #[test]
    fn the_word_of_the_driver_counts() {
        let mut rounds = Rounds::new(1000, Counters::default());
        let now = Counters {
            host_bytes_written: 4000,
            nand_bytes_programmed: 9000,
            ..Counters::default()
        };
        rounds.passed(now, Some(2.4));
        assert!(rounds.is_over());
        let settled = rounds.settled(1);
        assert_eq!(
            (settled.wa, settled.is_steady, settled.passes),
            (2.4, true, 1)
        );
    }
}
