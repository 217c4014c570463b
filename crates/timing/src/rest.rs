//! Power states of a drive at rest (non-operational states of NVMe): the longer nobody asks for anything the deeper it
//! sleeps, and the longer whoever asks next waits.

use ftlab_base::Nanos;

/// Power states at most.
pub const POWER_STATES_MAX: usize = 4;

/// A state in which a drive answers nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerState {
    /// Power of the whole drive in this state.
    pub watts: f64,
    /// After how long a rest the drive goes there.
    pub after: Nanos,
    /// Time that it takes to enter the state.
    pub entry: Nanos,
    /// Time that it takes to leave the state.
    pub exit: Nanos,
}

impl PowerState {
    /// From how long a rest on the drive is there.
    fn reached(&self) -> Nanos {
        self.after + self.entry
    }
}

/// The states that a drive goes through, the first reached first.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PowerStates([Option<PowerState>; POWER_STATES_MAX]);

impl PowerStates {
    /// None: a rest is a rest, however long.
    pub const NONE: PowerStates = PowerStates([None; POWER_STATES_MAX]);

    /// States in the order in which a rest goes through them.
    ///
    /// # Errors
    /// When there are too many, or one begins before another is reached.
    pub fn new(states: &[PowerState]) -> Result<PowerStates, String> {
        if states.len() > POWER_STATES_MAX {
            return Err(format!(
                "{} power states; a drive has at most {POWER_STATES_MAX} of them",
                states.len()
            ));
        }
        let early = states
            .windows(2)
            .position(|two| two[1].after < two[0].reached());
        if let Some(n) = early {
            let [first, next] = [states[n].reached(), states[n + 1].after];
            return Err(format!(
                "state {} begins after {} ms, before state {} is reached after {} ms; the states of a rest follow each other",
                n + 2,
                next.as_millis(),
                n + 1,
                first.as_millis()
            ));
        }
        let mut all = PowerStates::NONE;
        for (place, state) in all.0.iter_mut().zip(states) {
            *place = Some(*state);
        }
        Ok(all)
    }

    /// The states, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &PowerState> {
        self.0.iter().flatten()
    }

    /// Returns the time that a drive spent in each state during a rest of this length.
    #[must_use]
    pub fn spent(&self, rest: Nanos) -> [Nanos; POWER_STATES_MAX] {
        let mut spent = [Nanos::ZERO; POWER_STATES_MAX];
        for (n, state) in self.iter().enumerate() {
            let next = self.0.get(n + 1).copied().flatten();
            let ends = next.map_or(rest, |next| next.reached().min(rest));
            spent[n] = Nanos(ends.0.saturating_sub(state.reached().0));
        }
        spent
    }

    /// Returns the time for which whoever ends a rest of this length waits for the drive: until it is where it was
    /// going, and back.
    #[must_use]
    pub fn waking(&self, rest: Nanos) -> Nanos {
        let state = self.iter().rev().find(|state| state.after <= rest);
        state.map_or(Nanos::ZERO, |state| {
            Nanos(state.reached().0.saturating_sub(rest.0)) + state.exit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(after_ms: u64, entry_ms: u64, exit_ms: u64) -> PowerState {
        PowerState {
            watts: 0.01,
            after: Nanos::from_millis(after_ms),
            entry: Nanos::from_millis(entry_ms),
            exit: Nanos::from_millis(exit_ms),
        }
    }

    #[test]
    fn a_rest_goes_through_its_states_and_ends_with_the_way_back() {
        let states = PowerStates::new(&[state(100, 2, 1), state(2000, 5, 9)]).unwrap();
        let of = |ms: u64| {
            let rest = Nanos::from_millis(ms);
            let spent = states.spent(rest).map(|span| span.as_millis());
            (spent[0], spent[1], states.waking(rest).as_millis())
        };
        assert_eq!(of(99), (0.0, 0.0, 0.0));
        // On the way there: the rest of it, and back.
        assert_eq!(of(101), (0.0, 0.0, 2.0));
        assert_eq!(of(102), (0.0, 0.0, 1.0));
        assert_eq!(of(1000), (898.0, 0.0, 1.0));
        assert_eq!(of(2001), (1899.0, 0.0, 13.0));
        assert_eq!(of(5000), (1903.0, 2995.0, 9.0));
    }

    #[test]
    fn states_that_do_not_follow_each_other_are_refused() {
        let why = PowerStates::new(&[state(100, 50, 1), state(120, 5, 9)]).unwrap_err();
        assert!(why.contains("state 2 begins after 120 ms"), "{why}");
        let five = [state(1, 0, 0); 5];
        assert!(PowerStates::new(&five).unwrap_err().contains("at most 4"));
    }
}
