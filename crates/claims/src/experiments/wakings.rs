//! A drive with a bug in its power states, under loads that let it sleep and that do not.

use super::bare::{Bare, Found, PLACE_SECTORS, command, metrics};
use ftlab_base::{CommandId, CommandKind, Nanos, Outcome, RootSeed, SimTime};
use ftlab_drive::DriveFile;
use ftlab_lab::LabError;

/// Reads of a load: a level of a game, or as many without a pause.
const BURSTS: u64 = 2_000;
const READS_OF_A_BURST: u64 = 8;

/// Between two bursts of the load that switches between idle and work.
const PAUSE: Nanos = Nanos::from_millis(1_000);

/// Number of bursts until the drive is lost; all of them if it is not.
pub fn lost(file: &DriveFile, seed: RootSeed) -> Found {
    let [pauses, steady] = [PAUSE, Nanos::ZERO].map(|pause| bursts(file, seed, pause));
    Ok(metrics([
        ("bursts", BURSTS as f64),
        ("bursts_with_pauses", pauses? as f64),
        ("bursts_without", steady? as f64),
    ]))
}

fn bursts(file: &DriveFile, seed: RootSeed, pause: Nanos) -> Result<u64, LabError> {
    let mut bare = Bare::of(file, seed)?;
    let (mut now, mut done) = (SimTime::ZERO, Vec::new());
    for burst in 0..BURSTS {
        for read in 0..READS_OF_A_BURST {
            let number = burst * READS_OF_A_BURST + read;
            let lba = number * PLACE_SECTORS % bare.sectors();
            let mut command = command(CommandKind::Read, lba, PLACE_SECTORS);
            (command.id, command.at) = (CommandId(number), now);
            bare.device.submit(command, now);
            done.clear();
            (bare.device).advance_to_completion(SimTime::NEVER, &mut done);
            let end = done.first();
            let end = end.expect("a command ends, if only because the host gives it up");
            now = end.at;
            if end.outcome == Outcome::Gone {
                return Ok(burst);
            }
        }
        now += pause;
        bare.device.advance(now, &mut done);
    }
    Ok(BURSTS)
}
