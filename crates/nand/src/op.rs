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

    /// Bit of a fence that one operation alone signals, and one alone waits for: nobody keeps account of it. The lower bits
    /// are the number of who waits.
    const UNCOUNTED: u32 = 1 << 31;
    /// Bit of such a fence that says that a place of the buffer waits, and no command.
    const OF_PLACE: u32 = 1 << 30;

    /// A fence that one operation alone signals and one command waits for: nobody keeps account of it.
    #[must_use]
    #[inline]
    pub const fn of_command(number: u32) -> Fence {
        Fence(Fence::UNCOUNTED | number)
    }

    /// As [`Fence::of_command`], for the data of one place of the write buffer.
    #[must_use]
    #[inline]
    pub const fn of_place(number: u32) -> Fence {
        Fence(Fence::UNCOUNTED | Fence::OF_PLACE | number)
    }

    /// The command that alone waits for this fence, if it is such a one.
    #[must_use]
    #[inline]
    pub const fn command(self) -> Option<u32> {
        match self.0 & (Fence::UNCOUNTED | Fence::OF_PLACE) {
            Fence::UNCOUNTED => Some(self.0 & !Fence::UNCOUNTED),
            _ => None,
        }
    }

    /// The place of the buffer that alone waits for this fence, if it is such a one.
    #[must_use]
    #[inline]
    pub const fn place(self) -> Option<u32> {
        let bits = Fence::UNCOUNTED | Fence::OF_PLACE;
        match self.0 & bits == bits {
            true => Some(self.0 & !bits),
            false => None,
        }
    }

    /// Returns true if account is kept of who signals this fence.
    #[must_use]
    #[inline]
    pub const fn is_counted(self) -> bool {
        self.0 as i32 > 0
    }

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
    pub const fn of(op: &NandOp) -> OpWord {
        OpWord(
            op.page.0 as u64
                | (op.kind as u64) << 32
                | (op.slc as u64) << 34
                | (op.cause as u64) << 36
                | (op.planes as u64) << 40
                | (op.sectors as u64) << 48,
        )
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
    /// True if the batch is more than operations: most are not.
    has_notes: bool,
    promised: Vec<Fence>,
    kept: Vec<Fence>,
    table_reads: Vec<(u32, Fence)>,
    halts: Vec<Fence>,
    last_fence: u32,
    untimed: bool,
    dies_keep_order: bool,
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

    /// Says whether every die does its operations in the order in which they are issued: one waits for those before it on its
    /// die without a fence then.
    pub fn keep_order(&mut self, keeps: bool) {
        self.dies_keep_order = keeps;
    }

    /// An empty batch for the same drive, that notes how data move or does not.
    #[must_use]
    pub fn anew(&self, carries_data: bool) -> OpBatch {
        OpBatch {
            carries_data,
            untimed: self.untimed,
            dies_keep_order: self.dies_keep_order,
            ..OpBatch::default()
        }
    }

    /// The fence by which a program waits for the read of its data, on the die `from`, if it needs one.
    #[inline]
    pub fn fence_of_copy(&mut self, from: DieId, to: DieId) -> Fence {
        match self.dies_keep_order && from == to {
            true => Fence::NONE,
            false => self.fence(),
        }
    }

    /// Notes a move of data, if anybody carries data.
    #[inline]
    pub fn data(&mut self, step: DataMove) {
        if self.carries_data {
            self.has_notes = true;
            self.moves.push(step);
        }
    }

    /// Returns true if somebody carries data.
    #[must_use]
    #[inline]
    pub fn carries_data(&self) -> bool {
        self.carries_data
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
            self.has_notes = true;
            self.promised.push(fence);
        }
    }

    /// An operation of this batch signals a fence as promised.
    pub fn keep(&mut self, fence: Fence) {
        if !self.untimed {
            self.has_notes = true;
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
            self.has_notes = true;
            self.table_reads.push((page, come));
        }
    }

    /// The firmware does nothing else before a fence is reached that an operation of this batch signals.
    pub fn halt(&mut self, until: Fence) {
        if !self.untimed {
            self.has_notes = true;
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
    #[inline]
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
    #[inline]
    pub fn push(&mut self, op: NandOp) {
        self.ops.push(op);
    }

    /// Has the first operation of the batch signal another fence in place of `fence`. Returns false if it signals something else
    /// as well, or another operation has to do with that fence.
    #[inline]
    pub fn signal_instead(&mut self, fence: Fence, other: Fence) -> bool {
        let concerned = |op: &NandOp| op.order.waits == fence || op.order.signals.contains(&fence);
        match &mut self.ops[..] {
            [first, rest @ ..]
                if first.order.signals == [fence, Fence::NONE] && !rest.iter().any(concerned) =>
            {
                first.order.signals[0] = other;
                true
            }
            _ => false,
        }
    }

    /// Returns true if there is more to it than operations: promises, pages that are waited for, moves of data.
    #[must_use]
    #[inline]
    pub fn has_notes(&self) -> bool {
        self.has_notes
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
        if std::mem::take(&mut self.has_notes) {
            self.clear_notes();
        }
    }

    #[cold]
    fn clear_notes(&mut self) {
        self.moves.clear();
        self.promised.clear();
        self.kept.clear();
        self.table_reads.clear();
        self.halts.clear();
    }
}
