//! A script for a drive: commands, and moves of the clock between them.

use arbitrary::{Arbitrary, Result, Unstructured};
use ftlab_base::hash::mix64;
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Identity, Lba, Nanos, Placement, RootSeed, SimTime,
    SubmissionQueue,
};
use rand::RngExt;

/// The way of commands to the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Clock {
    /// Submitted, at a depth, while the clock moves.
    Timed,
    /// Applied one after the other.
    Untimed,
    /// Now the one and now the other.
    Both,
}

/// Step of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A single command.
    One(Shape),
    /// Random commands of the script's kinds, from a seed.
    Burst {
        /// The name of the stream they come from.
        seed: u16,
        /// Their number.
        commands: u8,
        /// True if they begin and end with slots.
        aligned: bool,
        /// The part of the drive they go to, in 256ths of its capacity, at least one.
        span: u8,
    },
    /// The clock moves to the drive's next event.
    Next,
    /// The clock moves on by so much, whatever happens then.
    Wait(Nanos),
    /// The clock moves until nothing is outstanding and nothing will happen.
    Settle,
    /// Changes between timed and untimed commands, if the script has both.
    SwitchClock,
}

/// A command to be fitted to a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    kind: CommandKind,
    /// Start, in 65536ths of the capacity.
    place: u16,
    sectors: u32,
    aligned: bool,
}

const KINDS: [CommandKind; 4] = [
    CommandKind::Write,
    CommandKind::Read,
    CommandKind::Trim,
    CommandKind::Flush,
];

/// The course of a script, before its steps are drawn one by one.
#[derive(Debug, Clone)]
pub struct Script {
    /// With a clock or without.
    pub clock: Clock,
    /// Commands outstanding at most.
    pub depth: usize,
    /// The kinds of this run. Leaving some out reaches states that a mixture of all never does.
    kinds: Vec<CommandKind>,
}

impl<'a> Arbitrary<'a> for Script {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Script> {
        let mask = u.int_in_range(1..=15_u8)?;
        let kinds = KINDS.iter().enumerate();
        Ok(Script {
            clock: u.arbitrary()?,
            depth: *u.choose(&[1, 2, 4, 40])?,
            kinds: kinds
                .filter(|(n, _)| mask >> n & 1 == 1)
                .map(|(_, kind)| *kind)
                .collect(),
        })
    }
}

impl Script {
    /// The next step; `None` when the bytes are used up.
    pub fn step(&self, u: &mut Unstructured<'_>) -> Option<Step> {
        if u.is_empty() {
            return None;
        }
        self.draw(u).ok()
    }

    fn draw(&self, u: &mut Unstructured<'_>) -> Result<Step> {
        Ok(match u.int_in_range(0..=15)? {
            0..=5 => Step::One(Shape {
                kind: *u.choose(&self.kinds)?,
                place: u.arbitrary()?,
                sectors: *u.choose(&[1, 3, 8, 8, 16, 64, 100, 2048])?,
                aligned: u.ratio(3, 4)?,
            }),
            6..=9 => Step::Burst {
                seed: u.arbitrary()?,
                commands: u.int_in_range(1..=64)?,
                aligned: u.ratio(3, 4)?,
                span: u.arbitrary()?,
            },
            10..=11 => Step::Next,
            12..=13 => Step::Wait(Nanos(*u.choose(&[0, 1, 1_000, 100_000, 10_000_000])?)),
            14 => Step::Settle,
            _ => Step::SwitchClock,
        })
    }

    /// The commands of a burst.
    pub fn burst(
        &self,
        (seed, commands, aligned, span): (u16, u8, bool, u8),
    ) -> impl Iterator<Item = Shape> + '_ {
        let mut stream = RootSeed(u64::from(seed)).stream("burst");
        (0..commands).map(move |_| self.random_shape(&mut stream, aligned, span))
    }

    fn random_shape(&self, stream: &mut Stream, aligned: bool, span: u8) -> Shape {
        let spread = u32::from(span) + 1;
        Shape {
            kind: self.kinds[stream.random_range(0..self.kinds.len())],
            place: (stream.random_range(0..=0xffff_u32) * spread / 256) as u16,
            sectors: stream.random_range(1..=32),
            aligned,
        }
    }
}

/// Placement handles that commands are for.
pub const HANDLES: u8 = 3;

impl Shape {
    /// The kind of data, which follows from place and size: writes to the same place
    /// come with the same data, and with those of a few others.
    fn content(&self) -> Content {
        let mixed = mix64(u64::from(self.place) << 32 | u64::from(self.sectors));
        let content = match mixed % 8 {
            0 => return Content::ZEROS,
            1..=3 => Content::RANDOM,
            n => Content::compressible((n * 12) as u8),
        };
        match mixed >> 8 & 3 {
            0 => content.with_identity(Identity::of(mixed << 48)),
            _ => content,
        }
    }

    /// The command on a drive of `capacity` sectors whose slots have `grain` sectors.
    pub fn fit(&self, id: u64, capacity: u64, grain: u64, at: SimTime) -> Command {
        let mut lba = ((u128::from(self.place) * u128::from(capacity)) >> 16) as u64;
        let mut sectors = u64::from(self.sectors);
        if self.aligned {
            lba -= lba % grain;
            sectors = sectors.next_multiple_of(grain);
        }
        sectors = sectors.min(capacity - lba);
        if self.kind == CommandKind::Flush {
            (lba, sectors) = (0, 0);
        }
        Command {
            id: CommandId(id),
            kind: self.kind,
            lba: Lba(lba),
            sectors: sectors as u32,
            content: self.content(),
            queue: SubmissionQueue::FIRST,
            placement: Placement(self.place as u8 % HANDLES),
            at,
        }
    }
}
