//! Bytes that were read ahead.

use crate::protocol::OPTION_BYTES_MAX;

/// Bytes that are read ahead: the requests of a deep queue, and any option.
const INBOX_BYTES: usize = 2 * OPTION_BYTES_MAX as usize;

/// Bytes that arrived and were not looked at yet.
#[derive(Debug)]
pub(super) struct Inbox {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
}

impl Inbox {
    pub fn new() -> Inbox {
        Inbox {
            bytes: vec![0; INBOX_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
        }
    }

    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    pub fn take(&mut self, count: usize) -> &[u8] {
        let from = self.start;
        self.start += count;
        &self.bytes[from..self.start]
    }

    /// Room for more bytes. Unread ones move to the front if there is none behind them.
    pub fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.bytes.len() {
            self.bytes.copy_within(self.start.., 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        &mut self.bytes[self.end..]
    }

    /// Notes that `count` bytes more are in the room that [`Inbox::room`] gave.
    pub fn arrived(&mut self, count: usize) {
        self.end += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unread_at_the_end_of_the_inbox_moves_to_its_front() {
        let mut inbox = Inbox::new();
        let room = inbox.room();
        let count = room.len();
        room.iter_mut()
            .zip(0_u32..)
            .for_each(|(byte, i)| *byte = (i % 251) as u8);
        inbox.arrived(count);
        inbox.take(count - 8);
        let unread = inbox.unread().to_vec();
        assert_eq!(inbox.room().len(), count - 8);
        assert_eq!(inbox.unread(), unread);
        // Nothing moves while there is room behind, and nothing is left once all is read.
        inbox.arrived(100);
        assert_eq!(inbox.room().len(), count - 108);
        inbox.take(108);
        assert_eq!(inbox.room().len(), count);
    }
}
