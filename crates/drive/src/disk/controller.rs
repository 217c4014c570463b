//! The controller: takes up commands that the host has sent, one after another.

use ftlab_base::{Command, CommandKind, Nanos, Server, SimTime};
use ftlab_host::Sent;
use std::collections::VecDeque;

/// The controller and what waits for it. Flush and Trim are not queued commands in ATA: each enters an empty
/// drive and stays alone, and what was sent after it waits.
#[derive(Debug, Clone)]
pub struct Controller {
    overhead: Nanos,
    sent: VecDeque<Sent>,
    /// The command that it works on, and the instant at which it is done.
    busy: Option<(SimTime, Command)>,
    /// The time in which it works.
    worked: Server,
    /// Commands in the drive, that in hand among them.
    open: u32,
    /// A command that suffers no other beside it is in the drive.
    exclusive: bool,
}

impl Controller {
    /// A controller that takes `overhead` for a command.
    pub fn new(overhead: Nanos) -> Controller {
        Controller {
            overhead,
            sent: VecDeque::new(),
            busy: None,
            worked: Server::default(),
            open: 0,
            exclusive: false,
        }
    }

    /// A command is on its way.
    pub fn expect(&mut self, sent: Sent) {
        self.sent.push_back(sent);
    }

    /// The next command sent, if it may come in.
    fn next(&self) -> Option<&Sent> {
        let sent = self.sent.front()?;
        let may_enter = !self.exclusive && (self.open == 0 || !suffers_no_other(&sent.command));
        (self.busy.is_none() && may_enter).then_some(sent)
    }

    /// Takes up the next command, if it has arrived and may come in.
    pub fn feed(&mut self, now: SimTime) {
        if let Some(&Sent { command, .. }) = self.next().filter(|sent| sent.at <= now) {
            self.sent.pop_front();
            self.open += 1;
            self.exclusive = suffers_no_other(&command);
            self.busy = Some((self.worked.serve(now, self.overhead), command));
        }
    }

    /// The time in which it has worked by `now`.
    pub fn busy_until(&self, now: SimTime) -> Nanos {
        self.worked.busy_until(now)
    }

    /// Instant at which it is done with a command or takes one up.
    pub fn next_event(&self) -> Option<SimTime> {
        let done = self.busy.map(|(at, _)| at);
        done.or_else(|| self.next().map(|sent| sent.at))
    }

    /// The command that it is done with at `now`.
    pub fn take_ready(&mut self, now: SimTime) -> Option<Command> {
        let ready = self.busy.take_if(|&mut (at, _)| at <= now);
        ready.map(|(_, command)| command)
    }

    /// The drive has finished a command.
    pub fn finished(&mut self) {
        self.open -= 1;
        self.exclusive = false;
    }
}

fn suffers_no_other(command: &Command) -> bool {
    match command.kind {
        // One of some sectors is a write with FUA, which is queued.
        CommandKind::Flush => command.sectors == 0,
        CommandKind::Trim => true,
        CommandKind::Read | CommandKind::Write => false,
    }
}
