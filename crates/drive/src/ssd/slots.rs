//! Slots that a command touches.

use ftlab_base::{Command, Content, Lpn, Placement};

/// The sectors of a slot one bit each.
pub(super) type SectorMask = u128;

/// Sectors `from..from + count` of a slot.
pub(super) fn sector_mask(from: u32, count: u32) -> SectorMask {
    let ones = if count >= 128 {
        SectorMask::MAX
    } else {
        (1 << count) - 1
    };
    ones << from
}

/// The part of one slot that a command covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) lpn: Lpn,
    pub(super) mask: SectorMask,
    pub(super) sectors: u32,
    /// Content of its data.
    pub(super) content: Content,
    pub(super) placement: Placement,
}

/// Slots of N sectors, a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SlotSize {
    shift: u32,
    /// All sectors of a slot.
    whole: SectorMask,
}

impl SlotSize {
    pub(super) fn new(sectors: u32) -> SlotSize {
        assert!(sectors.is_power_of_two(), "a slot of {sectors} sectors");
        SlotSize {
            shift: sectors.ilog2(),
            whole: sector_mask(0, sectors),
        }
    }

    /// Sectors of a slot.
    pub(super) fn sectors(self) -> u32 {
        1 << self.shift
    }

    /// Sectors of the first slot that a command touches.
    #[inline]
    pub(super) fn first(self, command: &Command) -> u32 {
        let within = command.lba.0 as u32 & (self.sectors() - 1);
        (self.sectors() - within).min(command.sectors)
    }

    /// Sectors of the last slot that a command touches.
    #[inline]
    pub(super) fn last(self, command: &Command) -> u32 {
        let end = command.lba.0 as u32 + command.sectors;
        let within = end & (self.sectors() - 1);
        let sectors = if within == 0 { self.sectors() } else { within };
        sectors.min(command.sectors)
    }

    /// The part of one slot that a command covers from its sector `offset` on.
    #[inline]
    pub(super) fn piece(self, command: &Command, offset: u32) -> Piece {
        let lba = command.lba.0 + u64::from(offset);
        let within = lba as u32 & (self.sectors() - 1);
        let sectors = (self.sectors() - within).min(command.sectors - offset);
        Piece {
            lpn: Lpn((lba >> self.shift) as u32),
            mask: if sectors == self.sectors() {
                self.whole
            } else {
                sector_mask(within, sectors)
            },
            sectors,
            content: command.content.piece(offset),
            placement: command.placement,
        }
    }

    /// The slots that a command covers wholly: first and count.
    pub(super) fn whole(self, command: &Command) -> (Lpn, u32) {
        let first = self.round_up(command.lba.0);
        let end = (command.lba.0 + u64::from(command.sectors)) >> self.shift;
        (Lpn(first as u32), end.saturating_sub(first) as u32)
    }

    /// The slots that a command touches: first and count.
    pub(super) fn touched(self, command: &Command) -> (Lpn, u32) {
        let first = command.lba.0 >> self.shift;
        let end = self.round_up(command.lba.0 + u64::from(command.sectors));
        (Lpn(first as u32), (end - first) as u32)
    }

    fn round_up(self, sectors: u64) -> u64 {
        sectors.div_ceil(u64::from(self.sectors()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::SimTime;

    fn command(lba: u64, sectors: u32) -> Command {
        Command::write(0, lba, sectors, SimTime::ZERO)
    }

    #[test]
    fn a_command_falls_into_pieces_at_the_borders_of_slots() {
        let (size, command) = (SlotSize::new(8), command(13, 16));
        let pieces = [0, 3, 11].map(|offset| size.piece(&command, offset));
        assert_eq!(pieces.map(|p| p.lpn.0), [1, 2, 3]);
        assert_eq!(pieces.map(|p| p.sectors), [3, 8, 5]);
        assert_eq!(pieces.map(|p| p.mask), [0xE0, 0xFF, 0x1F]);
    }

    #[test]
    fn a_trim_takes_whole_slots_and_a_read_all_it_touches() {
        let size = SlotSize::new(8);
        assert_eq!(size.whole(&command(13, 16)), (Lpn(2), 1));
        assert_eq!(size.touched(&command(13, 16)), (Lpn(1), 3));
        assert_eq!(size.whole(&command(9, 6)), (Lpn(2), 0));
        assert_eq!(size.touched(&command(16, 8)), (Lpn(2), 1));
    }
}
