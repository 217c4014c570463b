//! Order of service of the submission queues that an NVMe drive takes commands from.

use ftlab_base::{Command, Priority};
use std::collections::VecDeque;

/// Command arbitration of an NVMe drive among its submission queues, as in the base specification. Commands of
/// administration, which go before all others, are none of the model's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arbitration {
    /// Commands that a queue gives in its turn, at most (arbitration burst).
    pub burst: u32,
    /// Shares of queues of different priority; without them, their priority says nothing: plain round robin.
    pub weights: Option<Weights>,
}

impl Arbitration {
    /// A command of each queue in turn.
    pub const ONE_EACH: Arbitration = Arbitration {
        burst: 1,
        weights: None,
    };
}

/// Commands of each priority that a round has at most (weighted round robin with urgent priority class). Urgent ones go before
/// all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// Of queues of high priority.
    pub high: u32,
    /// Of queues of medium priority.
    pub medium: u32,
    /// Of queues of low priority.
    pub low: u32,
}

/// Priorities: the urgent one, and those that share a round.
const CLASSES: usize = 1 + Weights::PRIORITIES.len();

impl Weights {
    const PRIORITIES: [Priority; 3] = [Priority::High, Priority::Medium, Priority::Low];

    const fn in_order(self) -> [u32; Weights::PRIORITIES.len()] {
        [self.high, self.medium, self.low]
    }
}

/// Commands by submission queue, and whose turn it is.
#[derive(Debug, Clone)]
pub(crate) struct Turns {
    arbitration: Arbitration,
    /// By priority; without weights, the first has all queues.
    classes: [Class; CLASSES],
    /// Commands left of the round for each priority.
    credits: [u32; CLASSES],
}

/// Queues of one priority, which take turns.
#[derive(Debug, Clone, Default)]
struct Class {
    queues: Vec<VecDeque<Command>>,
    /// The queue behind the one whose turn it is, and what that may still give.
    next: usize,
    left: u32,
    waiting: usize,
}

impl Class {
    fn push(&mut self, command: Command) {
        let queue = usize::from(command.queue.number);
        if queue >= self.queues.len() {
            self.queues.resize_with(queue + 1, VecDeque::new);
        }
        self.queues[queue].push_back(command);
        self.waiting += 1;
    }

    fn pop(&mut self, burst: u32) -> Option<Command> {
        let goes_on = self.left > 0 && !self.queues[self.next - 1].is_empty();
        if !goes_on {
            let count = self.queues.len();
            let mut from_next = (self.next..count).chain(0..self.next.min(count));
            let turn = from_next.find(|&queue| !self.queues[queue].is_empty())?;
            self.next = turn + 1;
            self.left = burst;
        }
        self.left -= 1;
        self.waiting -= 1;
        self.queues[self.next - 1].pop_front()
    }
}

impl Turns {
    pub(crate) fn new(arbitration: Arbitration) -> Turns {
        let mut turns = Turns {
            arbitration,
            classes: Default::default(),
            credits: Default::default(),
        };
        turns.begin_round();
        turns
    }

    fn begin_round(&mut self) {
        if let Some(weights) = self.arbitration.weights {
            for (priority, weight) in Weights::PRIORITIES.into_iter().zip(weights.in_order()) {
                self.credits[priority as usize] = weight;
                // A turn is over with its round.
                self.classes[priority as usize].left = 0;
            }
        }
    }

    pub(crate) fn push(&mut self, command: Command) {
        let class = match self.arbitration.weights {
            Some(_) => command.queue.priority as usize,
            None => 0,
        };
        self.classes[class].push(command);
    }

    pub(crate) fn pop(&mut self) -> Option<Command> {
        let burst = self.arbitration.burst;
        let first = self.classes[0].pop(burst);
        if first.is_some() || self.waiting() == 0 {
            return first;
        }
        let class = self.class_with_credit().or_else(|| {
            self.begin_round();
            self.class_with_credit()
        })?;
        self.credits[class] -= 1;
        self.classes[class].pop(burst)
    }

    fn class_with_credit(&self) -> Option<usize> {
        (1..CLASSES).find(|&class| self.credits[class] > 0 && self.classes[class].waiting > 0)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.classes.iter().map(|class| class.waiting).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::{CommandId, CommandKind, Content, Lba, Placement, SimTime, SubmissionQueue};

    fn command(number: u16, priority: Priority) -> Command {
        Command {
            id: CommandId(0),
            kind: CommandKind::Read,
            lba: Lba(0),
            sectors: 8,
            content: Content::RANDOM,
            queue: SubmissionQueue { number, priority },
            placement: Placement::DEFAULT,
            at: SimTime::ZERO,
        }
    }

    /// The queues that commands are taken from, one after the other, while queues of these priorities are never empty.
    fn taken(arbitration: Arbitration, queues: &[Priority], count: usize) -> Vec<usize> {
        let mut turns = Turns::new(arbitration);
        let queues = || (0..).zip(queues.iter().copied());
        for (number, priority) in queues().chain(queues()) {
            turns.push(command(number, priority));
        }
        let take = |_| {
            let queue = turns.pop().expect("they are never empty").queue;
            turns.push(command(queue.number, queue.priority));
            usize::from(queue.number)
        };
        (0..count).map(take).collect()
    }

    const WEIGHTS: Weights = Weights {
        high: 5,
        medium: 2,
        low: 1,
    };

    #[test]
    fn a_queue_gives_a_burst_in_its_turn() {
        let arbitration = Arbitration {
            burst: 2,
            weights: None,
        };
        // Priorities say nothing where nothing is weighed.
        let queues = [Priority::Low, Priority::Urgent, Priority::High];
        let order = taken(arbitration, &queues, 8);
        assert_eq!(order, [0, 0, 1, 1, 2, 2, 0, 0]);
    }

    #[test]
    fn a_round_has_as_many_of_each_priority_as_weights_say() {
        let arbitration = Arbitration {
            burst: 2,
            weights: Some(WEIGHTS),
        };
        let [high, medium, low] = Weights::PRIORITIES;
        // Two queues of high priority share five commands: a burst each, and what is left of the round.
        let order = taken(arbitration, &[low, high, medium, high], 16);
        let round = [1, 1, 3, 3, 1, 2, 2, 0];
        assert_eq!(order[..8], round);
        let again = [3, 3, 1, 1, 3, 2, 2, 0];
        assert_eq!(order[8..], again);
    }

    #[test]
    fn what_has_nothing_to_give_leaves_its_share_to_the_others() {
        let arbitration = Arbitration {
            burst: 1,
            weights: Some(WEIGHTS),
        };
        let order = taken(arbitration, &[Priority::Low, Priority::Medium], 6);
        assert_eq!(order, [1, 1, 0, 1, 1, 0]);
    }

    #[test]
    fn urgent_commands_go_before_all_others() {
        let arbitration = Arbitration {
            burst: 1,
            weights: Some(WEIGHTS),
        };
        let queues = [Priority::High, Priority::Urgent, Priority::Urgent];
        assert_eq!(taken(arbitration, &queues, 6), [1, 2, 1, 2, 1, 2]);
        let mut turns = Turns::new(arbitration);
        turns.push(command(0, Priority::High));
        turns.push(command(1, Priority::Urgent));
        let order = std::iter::from_fn(|| turns.pop()).map(|command| command.queue.number);
        assert_eq!(order.collect::<Vec<_>>(), [1, 0]);
        assert_eq!(turns.waiting(), 0);
    }
}
