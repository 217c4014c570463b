//! Jobs that do requests in proportion (fio's `flow`): a job ahead of the others of its flow waits for them.

use ftlab_base::{Nanos, SimTime};
use ftlab_workload::JobSpec;
use std::collections::BTreeMap;

/// The flows of a group of jobs.
#[derive(Debug, Default)]
pub struct Flows {
    /// One for each job of the group; none for those of no flow.
    members: Vec<Option<Member>>,
    flows: BTreeMap<u32, Flow>,
}

#[derive(Debug)]
struct Member {
    flow: u32,
    weight: u64,
    sleep: Nanos,
    done: u64,
    /// It looks again only then.
    sleeps_until: SimTime,
}

#[derive(Debug, Default)]
struct Flow {
    weight: u64,
    /// Requests of all its jobs, and one, as fio counts them.
    done: u64,
}

impl Flows {
    pub fn of<'a>(jobs: impl Iterator<Item = &'a JobSpec>) -> Flows {
        let mut flows = Flows::default();
        for job in jobs {
            let member = (job.order.flow > 0).then(|| Member {
                flow: job.order.flow_id,
                weight: u64::from(job.order.flow),
                sleep: job.order.flow_sleep,
                done: 0,
                sleeps_until: SimTime::ZERO,
            });
            if let Some(member) = &member {
                let flow = flows.flows.entry(member.flow).or_default();
                flow.weight += member.weight;
                flow.done = 1;
            }
            flows.members.push(member);
        }
        flows
    }

    /// Returns true if no job is in a flow.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Returns the instant at which a job may issue its next request: now, later, or `NEVER` before another of its flow
    /// has issued one.
    pub fn allows(&mut self, job: usize, now: SimTime) -> SimTime {
        let Some(member) = &mut self.members[job] else {
            return now;
        };
        if member.sleeps_until > now {
            return member.sleeps_until;
        }
        let flow = &self.flows[&member.flow];
        if member.done * flow.weight <= member.weight * flow.done {
            return now;
        }
        if member.sleep == Nanos::ZERO {
            return SimTime::NEVER;
        }
        member.sleeps_until = now + member.sleep;
        member.sleeps_until
    }

    /// A job has issued a request.
    pub fn issued(&mut self, job: usize) {
        if let Some(member) = &mut self.members[job] {
            member.done += 1;
            self.flows.entry(member.flow).or_default().done += 1;
        }
    }

    /// A job is over, and nobody waits for it any more.
    pub fn leaves(&mut self, job: usize) {
        if let Some(member) = self.members[job].take() {
            let flow = self.flows.entry(member.flow).or_default();
            flow.weight -= member.weight;
            flow.done -= member.done;
        }
    }
}
