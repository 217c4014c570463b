//! NAND operations, and the batch that carries them from a translation layer to a scheduler.

use ftlab_base::{DieId, Lpn, PageId, Ppa};

/// Kinds of operation of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OpKind {
    /// Sense a page and move data out.
    Read = 0,
    /// Move data in and program a page.
    Program = 1,
    /// Erases the whole block.
    Erase = 2,
}

impl OpKind {
    const ALL: [OpKind; 4] = [OpKind::Read, OpKind::Program, OpKind::Erase, OpKind::Erase];
}

/// On whose behalf an operation is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Cause {
    /// A command of the host.
    Host = 0,
    /// Garbage collection, or the merge of a log block.
    Gc = 1,
    /// Mapping tables and checkpoints.
    Map = 2,
    /// Wear levelling moves data.
    Wear = 3,
}

impl Cause {
    const ALL: [Cause; 4] = [Cause::Host, Cause::Gc, Cause::Map, Cause::Wear];
}

/// A point that operations reach together: it is open while any operation that signals it is
/// unfinished. Whatever waits for a fence is issued after everything that signals it: operations of
/// one batch, or the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fence(pub u32);

impl Fence {
    /// Nothing to wait for, nobody to tell.
    pub const NONE: Fence = Fence(0);
    /// The one fence of a run without time, where nobody ever waits.
    const UNTIMED: Fence = Fence(1);

    /// Returns true unless it is the empty fence.
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The fence as an index into a table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Fences that an operation waits for or holds open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// The operation starts when this fence is reached.
    pub waits: Fence,
    /// Fences this operation holds open until it is done.
    pub signals: [Fence; 2],
}

impl Order {
    /// No order but that of the die.
    pub const FREE: Order = Order {
        waits: Fence::NONE,
        signals: [Fence::NONE; 2],
    };

    /// Starts when `fence` is reached.
    #[must_use]
    pub const fn after(fence: Fence) -> Order {
        Order {
            waits: fence,
            signals: [Fence::NONE; 2],
        }
    }

    /// Returns the order with `fence` held open as well.
    ///
    /// # Panics
    /// When it holds two open already.
    #[must_use]
    #[inline]
    pub fn signalling(mut self, fence: Fence) -> Order {
        if fence.is_some() {
            let place = self.signals.iter().position(|f| !f.is_some());
            self.signals[place.expect("an operation signals two fences at most")] = fence;
        }
        self
    }
}

/// One NAND operation as issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NandOp {
    /// Kind of the operation.
    pub kind: OpKind,
    /// Work on whose behalf it is done.
    pub cause: Cause,
    /// Planes that work together; their blocks have neighbouring numbers.
    pub planes: u8,
    /// True if the block holds one bit a cell, and has the times of that.
    pub slc: bool,
    /// Number of the die.
    pub die: DieId,
    /// Sectors of 512 bytes that cross the channel.
    pub sectors: u16,
    /// The page, of the first plane; for an erase page 0 of the block.
    pub page: PageId,
    /// Fences that it waits for or holds open.
    pub order: Order,
}

/// An operation in one word: what the hash of an operation stream takes in. Fences are left out,
/// since their numbers depend on when others were reached, and the die follows from the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpWord(pub u64);

impl OpWord {
    /// Packs an operation into one word.
    #[must_use]
    #[inline]
    pub const fn new(
        (kind, slc): (OpKind, bool),
        cause: Cause,
        planes: u8,
        sectors: u16,
        page: PageId,
    ) -> OpWord {
        OpWord(
            page.0 as u64
                | (kind as u64) << 32
                | (slc as u64) << 34
                | (cause as u64) << 36
                | (planes as u64) << 40
                | (sectors as u64) << 48,
        )
    }

    /// The operation on its die, with its order among others.
    #[must_use]
    pub const fn operation(self, die: DieId, order: Order) -> NandOp {
        NandOp {
            kind: OpKind::ALL[(self.0 >> 32 & 3) as usize],
            cause: Cause::ALL[(self.0 >> 36 & 3) as usize],
            planes: (self.0 >> 40) as u8,
            slc: self.0 >> 34 & 1 == 1,
            die,
            sectors: (self.0 >> 48) as u16,
            page: PageId(self.0 as u32),
            order,
        }
    }
}

/// Change to the data of slots, for a page store that carries stamps or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataMove {
    /// The host's newest data of a slot.
    Write {
        /// Logical page of the data.
        lpn: Lpn,
        /// Slot that they go to.
        to: Ppa,
    },
    /// Data that move as they are.
    Copy {
        /// Slot that they were in.
        from: Ppa,
        /// Slot that they go to.
        to: Ppa,
    },
    /// Data that are gone.
    Erase {
        /// First of the slots.
        first: Ppa,
        /// Number of slots, in a row.
        slots: u32,
    },
}

/// Operations in issue order, the fences between them, and on request the moves of data.
#[derive(Debug, Clone, Default)]
pub struct OpBatch {
    ops: Vec<NandOp>,
    moves: Vec<DataMove>,
    carries_data: bool,
    free_fences: Vec<u32>,
    promised: Vec<Fence>,
    kept: Vec<Fence>,
    table_reads: Vec<(u32, Fence)>,
    halts: Vec<Fence>,
    last_fence: u32,
    untimed: bool,
}

impl OpBatch {
    /// A batch that also notes how data move.
    #[must_use]
    pub fn carrying_data() -> OpBatch {
        OpBatch {
            carries_data: true,
            ..OpBatch::default()
        }
    }

    /// Notes a move of data, if anybody carries data.
    #[inline]
    pub fn data(&mut self, step: DataMove) {
        if self.carries_data {
            self.moves.push(step);
        }
    }

    /// The moves of data so far, in order.
    #[must_use]
    pub fn moves(&self) -> &[DataMove] {
        &self.moves
    }

    /// A fence that nothing signals yet.
    #[inline]
    pub fn fence(&mut self) -> Fence {
        if self.untimed {
            return Fence::UNTIMED;
        }
        Fence(self.free_fences.pop().unwrap_or_else(|| {
            self.last_fence = self.last_fence.max(Fence::UNTIMED.0) + 1;
            self.last_fence
        }))
    }

    /// A fence that an operation of this batch signals is not reached before one of a later batch
    /// signals it as well, which [`OpBatch::keep`] says.
    pub fn promise(&mut self, fence: Fence) {
        if !self.untimed {
            self.promised.push(fence);
        }
    }

    /// An operation of this batch signals a fence as promised.
    pub fn keep(&mut self, fence: Fence) {
        if !self.untimed {
            self.kept.push(fence);
        }
    }

    /// The fences promised so far.
    #[must_use]
    pub fn promised(&self) -> &[Fence] {
        &self.promised
    }

    /// The fences whose promise was kept.
    #[must_use]
    pub fn kept(&self) -> &[Fence] {
        &self.kept
    }

    /// An operation of this batch reads a page of the mapping table, which has come when the drive has
    /// waited for a fence.
    pub fn table_read(&mut self, page: u32, come: Fence) {
        if !self.untimed {
            self.table_reads.push((page, come));
        }
    }

    /// The firmware does nothing else before a fence is reached that an operation of this batch signals.
    pub fn halt(&mut self, until: Fence) {
        if !self.untimed {
            self.halts.push(until);
        }
    }

    /// Returns the fences that the firmware waits for before it does anything else.
    #[must_use]
    pub fn halts(&self) -> &[Fence] {
        &self.halts
    }

    /// The pages of the mapping table that are read, each with the fence to wait for.
    #[must_use]
    pub fn table_reads(&self) -> &[(u32, Fence)] {
        &self.table_reads
    }

    /// Says whether anybody will wait: without time nobody does, and fences need no numbers. Between
    /// the two no program unit may be open.
    pub fn set_timed(&mut self, timed: bool) {
        self.untimed = !timed;
    }

    /// Gives back a fence whose waiter has seen it.
    pub fn recycle(&mut self, fence: Fence) {
        debug_assert!(fence.is_some());
        if fence != Fence::UNTIMED {
            self.free_fences.push(fence.0);
        }
    }

    /// Returns true if somebody will look at the operations: without time nobody does.
    #[inline]
    #[must_use]
    pub fn keeps_operations(&self) -> bool {
        !self.untimed
    }

    /// Appends an operation to the batch.
    pub fn push(&mut self, op: NandOp) {
        self.ops.push(op);
    }

    /// The operations so far.
    #[must_use]
    pub fn ops(&self) -> &[NandOp] {
        &self.ops
    }

    /// Forgets the operations and moves; fences stay as they are.
    #[inline]
    pub fn clear(&mut self) {
        self.ops.clear();
        self.moves.clear();
        self.promised.clear();
        self.kept.clear();
        self.table_reads.clear();
        self.halts.clear();
    }
}
