//! Many commands in one call.

use super::end::word;
use crate::work::Way;
use ftlab_device::{Command, Completion, Device, Operation, Split};
use ftlab_export::{Cells, Column, Table};

/// Commands between two looks at whether somebody wants to stop.
const LOOK_EVERY: usize = 4096;

/// When the commands of a batch are sent.
pub enum Pace {
    /// Each at an instant of its own.
    At(Vec<u64>),
    /// A command goes out when fewer than this many are outstanding.
    Depth(usize),
}

impl Pace {
    pub fn of(at_ns: Option<Vec<u64>>, depth: Option<usize>) -> Result<Pace, String> {
        match (at_ns, depth) {
            (Some(_), Some(_)) => Err("run: give at_ns or depth, not both".to_owned()),
            (_, Some(0)) => Err("run: a depth of 0 sends nothing; give 1 or more".to_owned()),
            (Some(at_ns), None) => Ok(Pace::At(at_ns)),
            (None, depth) => Ok(Pace::Depth(depth.unwrap_or(1))),
        }
    }
}

/// A part of a latency, with the name of its column.
type Part = (&'static str, fn(Split) -> u64);

/// Commands that were checked.
pub struct Batch {
    commands: Vec<Command>,
    pace: Pace,
}

/// When each was sent, and how it ended.
pub struct Ends {
    sent_ns: Vec<u64>,
    ends: Vec<Option<Completion>>,
}

/// Lets things happen until at most `most` are outstanding.
fn wait(device: &mut Device, most: usize, done: &mut Vec<Completion>) -> Result<(), String> {
    while device.outstanding() > most {
        let last = device.advance_to_completion(u64::MAX, done);
        if last.is_none() {
            let outstanding = device.outstanding();
            return Err(format!(
                "run: the drive does not answer {outstanding} commands"
            ));
        }
    }
    Ok(())
}

/// The one of all, or the n-th.
fn nth<T: Copy>(all: &[T], n: usize) -> T {
    all[if all.len() == 1 { 0 } else { n }]
}

impl Batch {
    /// Checks all before any is sent.
    pub fn of(
        device: &Device,
        operations: &[Operation],
        offsets: &[u64],
        lengths: &[u64],
        pace: Pace,
    ) -> Result<Batch, String> {
        if device.outstanding() > 0 {
            let outstanding = device.outstanding();
            return Err(format!(
                "run: {outstanding} commands are outstanding; let them end first"
            ));
        }
        let count = offsets.len();
        for (name, given) in [("operations", operations.len()), ("lengths", lengths.len())] {
            if given != count && given != 1 {
                return Err(format!(
                    "run: {given} {name} for {count} offsets; give one, or as many"
                ));
            }
        }
        let commands = offsets.iter().enumerate().map(|(n, &offset)| Command {
            id: n as u64,
            operation: nth(operations, n),
            offset,
            bytes: nth(lengths, n),
        });
        let commands: Vec<Command> = commands.collect();
        for command in &commands {
            device.check(command).map_err(|why| why.to_string())?;
        }
        if device.keeps_data() && operations.contains(&Operation::Write) {
            return Err("run: a batch carries no data, which this device keeps; submit writes one by one, or build it \
                        without keep_data"
                .to_owned());
        }
        if let Pace::At(at_ns) = &pace {
            if at_ns.len() != count {
                let given = at_ns.len();
                return Err(format!(
                    "run: {given} instants for {count} offsets; give as many"
                ));
            }
            let from = std::iter::once(device.now_ns()).chain(at_ns.iter().copied());
            if let Some((before, at)) = from.zip(at_ns).find(|(before, at)| before > *at) {
                return Err(format!(
                    "run: {at} ns comes after {before} ns; time goes on"
                ));
            }
        }
        Ok(Batch { commands, pace })
    }

    /// Sends all and waits for them.
    pub fn run(&self, device: &mut Device, way: &Way<'_>) -> Result<Ends, String> {
        let mut ends = Ends {
            sent_ns: Vec::with_capacity(self.commands.len()),
            ends: vec![None; self.commands.len()],
        };
        let mut done = Vec::new();
        for (n, command) in self.commands.iter().enumerate() {
            if n % LOOK_EVERY == 0 && way.ask().is_err() {
                return Err("run: it was stopped".to_owned());
            }
            match &self.pace {
                Pace::At(at_ns) => device.advance(at_ns[n], &mut done),
                Pace::Depth(depth) => wait(device, *depth - 1, &mut done)?,
            }
            let now_ns = device.now_ns();
            device
                .submit(*command, now_ns)
                .map_err(|why| why.to_string())?;
            ends.sent_ns.push(now_ns);
            ends.take(&mut done);
        }
        wait(device, 0, &mut done)?;
        ends.take(&mut done);
        Ok(ends)
    }

    /// A row for each command, in the order in which they were sent.
    pub fn table(&self, ends: &Ends) -> Table {
        let end = |n: usize| ends.ends[n].expect("all have ended");
        let count = self.commands.len();
        let whole = |name: &str, of: &dyn Fn(usize) -> u64| Column {
            name: name.to_owned(),
            cells: Cells::Whole((0..count).map(|n| Some(of(n))).collect()),
        };
        let outcomes = (0..count).map(|n| Some(word(end(n).outcome).to_owned()));
        let mut columns = vec![
            whole("submitted_ns", &|n| ends.sent_ns[n]),
            whole("ended_ns", &|n| end(n).at_ns),
            whole("lat_ns", &|n| end(n).at_ns - ends.sent_ns[n]),
            Column {
                name: "outcome".to_owned(),
                cells: Cells::Text(outcomes.collect()),
            },
        ];
        if (0..count).any(|n| end(n).split.is_some()) {
            let parts: [Part; 4] = [
                ("host_ns", |split| split.host_ns),
                ("controller_ns", |split| split.controller_ns),
                ("link_ns", |split| split.link_ns),
                ("flash_ns", |split| split.flash_ns),
            ];
            let column = |(name, part): Part| Column {
                name: name.to_owned(),
                cells: Cells::Whole((0..count).map(|n| end(n).split.map(part)).collect()),
            };
            columns.extend(parts.map(column));
        }
        Table {
            name: "completions",
            columns,
        }
    }
}

impl Ends {
    fn take(&mut self, done: &mut Vec<Completion>) {
        for end in done.drain(..) {
            self.ends[end.id as usize] = Some(end);
        }
    }
}
