//! A drive with a bug in its power states, under loads that let it sleep and that do not.

use super::experiments::{Experiment, metrics, nobody};
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Nanos, Outcome, RootSeed, SimTime,
};
use ftlab_bench::review::ReviewError;
use ftlab_drive::{Device, DriveFile};

/// Reads of a load: a level of a game, or as many without a pause.
const BURSTS: u64 = 2_000;
const READS_OF_A_BURST: u64 = 8;

/// Between two bursts of the load that switches between idle and work.
const PAUSE: Nanos = Nanos::from_millis(1_000);

/// How many bursts it takes until the drive is lost; all of them if it is not.
pub static LOST: Experiment = Experiment {
    name: "loads with and without pauses on a drive that may not wake up",
    run: |file, seed| {
        let [pauses, steady] = [PAUSE, Nanos::ZERO].map(|pause| bursts(file, seed, pause));
        Ok(metrics([
            ("bursts", BURSTS as f64),
            ("bursts_with_pauses", pauses? as f64),
            ("bursts_without", steady? as f64),
        ]))
    },
};

fn bursts(file: &DriveFile, seed: RootSeed, pause: Nanos) -> Result<u64, ReviewError> {
    let built = file.build(&nobody(), seed);
    let mut device = built.map_err(|error| ReviewError::Drive {
        drive: file.slug().to_owned(),
        error,
    })?;
    let (mut now, mut done) = (SimTime::ZERO, Vec::new());
    for burst in 0..BURSTS {
        for read in 0..READS_OF_A_BURST {
            now = read_one(
                device.as_mut(),
                burst * READS_OF_A_BURST + read,
                now,
                &mut done,
            );
            if done.pop().is_some_and(|outcome| outcome == Outcome::Gone) {
                return Ok(burst);
            }
        }
        now += pause;
        device.advance(now, &mut Vec::new());
    }
    Ok(BURSTS)
}

fn read_one(
    device: &mut dyn Device,
    number: u64,
    at: SimTime,
    outcomes: &mut Vec<Outcome>,
) -> SimTime {
    let command = Command {
        id: CommandId(number),
        kind: CommandKind::Read,
        lba: Lba(number * 8 % device.capacity_sectors()),
        sectors: 8,
        content: Content::RANDOM,
        at,
    };
    device.submit(command, at);
    let mut done = Vec::new();
    device.advance_to_completion(SimTime::NEVER, &mut done);
    let end = done
        .first()
        .expect("a command ends, if only because the host gives it up");
    outcomes.push(end.outcome);
    end.at
}
