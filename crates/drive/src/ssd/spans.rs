//! Where the time of a command goes, for those who ask.

use ftlab_base::{CommandId, CommandKind, Nanos, SimTime};

/// Time that a command took in the drive, by who had it. What is left of its latency the host took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spans {
    /// The controller: its core, what waits for it, and the mapping table.
    pub controller: Nanos,
    /// The link between host and drive, what waits for it, and the compressor behind it.
    pub link: Nanos,
    /// The flash and what waits for its dies; of a write that is the wait for room in the buffer.
    pub flash: Nanos,
}

/// Instants of a command on its way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Way {
    /// The drive has got it.
    sent: SimTime,
    /// The core has decided what to do.
    decided: SimTime,
    /// The flash or the buffer has its turn.
    begun: SimTime,
    /// A read's data are in the drive.
    there: SimTime,
}

/// Ways of the commands at the drive, by number, and where the time of those that ended went.
#[derive(Debug, Clone, Default)]
pub(super) struct Ways {
    ways: Vec<Way>,
    ended: Vec<(CommandId, Spans)>,
}

impl Ways {
    fn at(&mut self, number: u32) -> &mut Way {
        let number = number as usize;
        if number >= self.ways.len() {
            self.ways.resize(number + 1, Way::default());
        }
        &mut self.ways[number]
    }

    pub(super) fn sent(&mut self, number: u32, at: SimTime) {
        *self.at(number) = Way {
            sent: at,
            decided: at,
            begun: at,
            there: at,
        };
    }

    pub(super) fn decided(&mut self, number: u32, at: SimTime) {
        let way = self.at(number);
        (way.decided, way.begun, way.there) = (at, at, at);
    }

    pub(super) fn begun(&mut self, number: u32, at: SimTime) {
        let way = self.at(number);
        (way.begun, way.there) = (at, at);
    }

    pub(super) fn there(&mut self, number: u32, at: SimTime) {
        self.at(number).there = at;
    }

    /// A command has ended; of one in parts, the last counts.
    pub(super) fn ended(&mut self, number: u32, (id, kind): (CommandId, CommandKind), at: SimTime) {
        let way = *self.at(number);
        let spans = match kind {
            CommandKind::Read => Spans {
                controller: way.begun.since(way.sent),
                flash: way.there.since(way.begun),
                link: at.since(way.there),
            },
            _ => Spans {
                controller: way.decided.since(way.sent),
                link: way.begun.since(way.decided),
                flash: at.since(way.begun),
            },
        };
        self.ended.push((id, spans));
    }

    /// Where the time of a command went that has ended, once.
    pub(super) fn take(&mut self, id: CommandId) -> Option<Spans> {
        let place = self.ended.iter().position(|(of, _)| *of == id)?;
        Some(self.ended.swap_remove(place).1)
    }
}
