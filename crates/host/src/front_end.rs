//! Path of a command through the host, before a drive gets it.

use crate::limit::{Limit, Throttle};
use crate::parts::Parts;
use crate::port::Host;
use crate::queue::HostQueue;
use ftlab_base::{Command, CommandId, Nanos, Outcome, Server, SimTime};

/// The host in front of a drive: commands that the drive does not take yet wait in the host's order; each that
/// it takes costs CPU time, one after another.
#[derive(Debug, Clone)]
pub struct FrontEnd {
    host: Host,
    depth: u32,
    /// The most sectors that the drive moves with one command, if it has a limit.
    transfer_max: Option<u32>,
    parts: Parts,
    queue: HostQueue,
    cpu: Server,
    /// Limit of the port, if it has one.
    throttle: Option<Throttle>,
}

/// A command on its way to the drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// The command, as the drive gets it.
    pub command: Command,
    /// Instant at which the host's CPU is done with it and the limits of the port have let it through.
    pub at: SimTime,
}

impl FrontEnd {
    /// The front end of a drive that takes `depth` commands at a time behind a limit, if there is one, plugged into nothing.
    #[must_use]
    pub fn new(depth: u32, limit: Option<Limit>) -> FrontEnd {
        FrontEnd {
            host: Host::NONE,
            depth,
            transfer_max: None,
            parts: Parts::default(),
            queue: HostQueue::new(Host::NONE.order, depth),
            cpu: Server::default(),
            throttle: limit.map(Throttle::new),
        }
    }

    /// Returns the front end for a drive that limits the sectors of one command.
    #[must_use]
    pub fn splitting(mut self, transfer_max: Option<u32>) -> FrontEnd {
        self.transfer_max = transfer_max;
        self.plug(&Host::NONE);
        self
    }

    /// The machine and port.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Plugs the drive into another machine or port.
    ///
    /// # Panics
    /// When a command is outstanding.
    pub fn plug(&mut self, host: &Host) {
        assert_eq!(self.outstanding(), 0, "a drive at work is unplugged");
        self.host = *host;
        let most = self.transfer_max.into_iter().chain(host.transfer_max);
        self.parts = Parts::of(most.min());
        self.queue = HostQueue::new(host.order, self.depth);
    }

    /// True for a command that drive and host can move as it is.
    #[inline]
    #[must_use]
    pub fn is_one(&self, command: &Command) -> bool {
        self.parts.is_one(command)
    }

    /// Splits a command into parts that drive and host can move; most are one part.
    pub fn split(&mut self, command: Command) -> impl Iterator<Item = Command> + use<> {
        self.parts.split(command)
    }

    /// Ends a command of the drive; returns the end of the host's command, unless other parts of it are under way.
    #[inline]
    pub fn ended(&mut self, id: CommandId, outcome: Outcome) -> Option<Outcome> {
        self.parts.ended(id, outcome)
    }

    /// Sectors before a command of the drive in what the host asked.
    #[inline]
    #[must_use]
    pub fn before(&self, part: &Command) -> u32 {
        self.parts.before(part)
    }

    /// Takes a command and returns it when the drive takes it at once.
    #[must_use]
    pub fn submit(&mut self, command: Command, now: SimTime) -> Option<Sent> {
        let command = self.queue.push(command)?;
        Some(self.send(command, now))
    }

    /// Notes that the drive has completed a command and returns the one that it takes instead.
    #[must_use]
    pub fn completed(&mut self, now: SimTime) -> Option<Sent> {
        let command = self.queue.completed()?;
        Some(self.send(command, now))
    }

    fn send(&mut self, command: Command, now: SimTime) -> Sent {
        let mut at = self.work(now, self.host.command);
        if let Some(throttle) = &mut self.throttle {
            at = throttle.admit(&command, at);
        }
        Sent { command, at }
    }

    /// Gives the CPU other work for the drive, behind what it has to do already, and returns the instant at which it is
    /// done.
    pub fn work(&mut self, now: SimTime, span: Nanos) -> SimTime {
        self.cpu.serve(now, span)
    }

    /// The time in which the CPU has worked by `now`.
    #[must_use]
    pub fn busy_until(&self, now: SimTime) -> Nanos {
        self.cpu.busy_until(now)
    }

    /// The time in which commands have waited by `now` for what is let through to the drive; nothing if everything is.
    #[must_use]
    pub fn held_until(&self, now: SimTime) -> Option<Nanos> {
        self.throttle
            .as_ref()
            .map(|throttle| throttle.held_until(now))
    }

    /// Commands at the drive or waiting for it.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.queue.outstanding()
    }

    /// Time begins again: the CPU is idle, and what a limit saves up is there.
    pub fn restart_clock(&mut self) {
        self.cpu = Server::default();
        if let Some(throttle) = &mut self.throttle {
            throttle.restart();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::HostOrder;

    fn write(lba: u64) -> Command {
        Command::write(lba, lba, 1, SimTime::ZERO)
    }

    #[test]
    fn commands_cost_the_cpu_in_turn_and_wait_in_the_hosts_order() {
        let mut front = FrontEnd::new(2, None);
        front.plug(&Host {
            command: Nanos(10),
            order: HostOrder::CLook,
            ..Host::NONE
        });
        let sent = [50, 90, 20, 60].map(|lba| front.submit(write(lba), SimTime(100)));
        let at = sent.map(|sent| sent.map(|sent| sent.at.0));
        assert_eq!(at, [Some(110), Some(120), None, None]);
        assert_eq!(front.outstanding(), 4);
        let next = |front: &mut FrontEnd, now| {
            let sent = front.completed(SimTime(now));
            sent.map(|sent| (sent.command.lba.0, sent.at.0))
        };
        // The sweep has passed 90, so it begins again from below.
        assert_eq!(next(&mut front, 115), Some((20, 130)));
        assert_eq!(next(&mut front, 200), Some((60, 210)));
        assert_eq!(next(&mut front, 300), None);
        assert_eq!(front.outstanding(), 1);
    }

    #[test]
    #[should_panic(expected = "a drive at work is unplugged")]
    fn a_drive_at_work_stays_where_it_is() {
        let mut front = FrontEnd::new(1, None);
        let _ = front.submit(write(1), SimTime::ZERO);
        front.plug(&Host::NONE);
    }
}
