//! The processor of a test machine, as programs see it.

/// Speed of a machine at computing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Processor {
    /// Speed at running a program, as a multiple of that of the review of 2008.
    pub speed: f64,
    /// Programs that compute at a time; more of them take turns. `None`: as many as there are.
    pub cores: Option<u32>,
    /// By which part of its time a computation gets longer for each other core at work: cores share
    /// power, caches and memory.
    pub sharing: f64,
}

impl Processor {
    /// That of the review of 2008, with a core for every program.
    pub const REFERENCE: Processor = Processor {
        speed: 1.0,
        cores: None,
        sharing: 0.0,
    };

    /// Time for a computation that takes a second alone on the reference, while `programs` compute,
    /// this one among them.
    #[must_use]
    pub fn seconds(&self, programs: u32) -> f64 {
        let cores = self.cores.unwrap_or(u32::MAX);
        let others = programs.min(cores).saturating_sub(1);
        let turns = (f64::from(programs) / f64::from(cores)).max(1.0);
        (1.0 + self.sharing * f64::from(others)) * turns / self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_slow_each_other_down_and_programs_without_one_take_turns() {
        let two = Processor {
            speed: 2.0,
            cores: Some(2),
            sharing: 0.1,
        };
        assert_eq!([1, 2, 4].map(|n| two.seconds(n)), [0.5, 0.55, 1.1]);
        assert_eq!(
            [1, 1000].map(|n| Processor::REFERENCE.seconds(n)),
            [1.0, 1.0]
        );
    }
}
