//! The agenda of the dies: at most one event each, the earliest of all at hand.
//!
//! A tournament: the earliest event of each four dies meets that of the next four, and so on up to
//! the final. Entering, moving or dropping the event of a die plays its matches again, log₄(dies)
//! of them, and nothing is ever shifted, pushed or popped. Events at one instant come in the order in which they were
//! entered.

use ftlab_base::SimTime;

/// Time, sequence and die of an event, the most significant first, so that events compare as
/// numbers.
type Key = u128;

/// The instant of a die without an event: later than anything.
const NOTHING: Key = Key::MAX;

const DIE_BITS: u32 = 16;
const SEQUENCE_BITS: u32 = 48;

/// The next event of every die.
#[derive(Debug, Clone)]
pub(crate) struct Agenda {
    /// The matches: the final at 1, those before match `n` at `4n` to `4n + 3`. The first round is
    /// played by the dies.
    matches: Vec<[Key; 4]>,
    /// The number of the first die as a player.
    first_player: usize,
    first: Key,
    sequence: u64,
}

impl Agenda {
    /// No event for any of `dies` dies.
    pub(crate) fn new(dies: u32) -> Agenda {
        let rounds = (1..).find(|&rounds| 4_usize.pow(rounds) >= dies as usize);
        let first_player = 4_usize.pow(rounds.expect("dies are few"));
        Agenda {
            matches: vec![[NOTHING; 4]; first_player / 2],
            first_player,
            first: NOTHING,
            sequence: 0,
        }
    }

    /// Returns the instant of the earliest event; [`SimTime::NEVER`] when there is none.
    #[inline]
    pub(crate) fn first_at(&self) -> SimTime {
        SimTime((self.first >> (DIE_BITS + SEQUENCE_BITS)) as u64)
    }

    /// The die of the earliest event, if there is one.
    #[inline]
    pub(crate) fn first_die(&self) -> Option<u16> {
        (self.first != NOTHING).then_some(self.first as u16)
    }

    /// Enters the event of a die, in place of the one it had.
    #[inline]
    pub(crate) fn enter(&mut self, die: u16, at: SimTime) {
        self.sequence += 1;
        let behind_time = self.sequence << DIE_BITS | u64::from(die);
        self.play(
            die,
            Key::from(at.0) << (DIE_BITS + SEQUENCE_BITS) | Key::from(behind_time),
        );
    }

    /// Drops the event of a die.
    #[inline]
    pub(crate) fn drop(&mut self, die: u16) {
        self.play(die, NOTHING);
    }

    /// Gives a die a key and plays its matches again.
    #[inline]
    fn play(&mut self, die: u16, key: Key) {
        let mut player = self.first_player + usize::from(die);
        let mut winner = key;
        while player > 1 {
            let all = &mut self.matches[player / 4];
            all[player % 4] = winner;
            winner = all[0].min(all[1]).min(all[2].min(all[3]));
            player /= 4;
        }
        self.first = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;
    use rand::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn it_gives_the_events_of_a_sorted_map_in_the_same_order() {
        for dies in [1, 2, 5, 16, 20, 64, 65] {
            let mut rng = RootSeed(u64::from(dies)).stream("agenda");
            let (mut agenda, mut sorted) = (Agenda::new(dies), BTreeMap::new());
            for entered in 0..2_000 {
                let word = rng.next_u64();
                let die = (word % u64::from(dies)) as u16;
                sorted.retain(|_, of| *of != die);
                if word >> 62 == 0 {
                    agenda.drop(die);
                } else {
                    // Few instants, so that many events share one.
                    let at = SimTime(word >> 32 & 7);
                    agenda.enter(die, at);
                    sorted.insert((at, entered), die);
                }
                let first = sorted.first_key_value().map(|((at, _), die)| (*at, *die));
                assert_eq!(agenda.first_die(), first.map(|(_, die)| die));
                let at = first.map_or(SimTime::NEVER, |(at, _)| at);
                assert_eq!(agenda.first_at(), at);
            }
        }
    }
}
