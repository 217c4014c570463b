//! The load of load.c by the crate: what the two take differs by what the border between them costs.

use embedded::{Command, Device, Error};

fn main() -> Result<(), Error> {
    let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
    let mut drive = builder.state("filled").build()?;
    let mut done = Vec::new();
    for id in 0..40_000_u64 {
        let most = if id == 20_000 { 0 } else { 15 };
        while drive.outstanding() > most {
            drive.advance_to_completion(u64::MAX, &mut done);
            done.clear();
        }
        let offset = id % 20_000 * 4096;
        let command = match id < 20_000 {
            true => Command::write(id, offset, 4096),
            false => Command::read(id, offset, 4096),
        };
        drive.submit(command, drive.now_ns())?;
    }
    while drive.outstanding() > 0 {
        drive.advance_to_completion(u64::MAX, &mut done);
    }
    println!("{:016x}", drive.counters().completions_hash);
    Ok(())
}
