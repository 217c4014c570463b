//! Tests whose jobs are shuffled, where they do not say themselves how their hot places lie.

use super::{Act, Family, Procedure, Source, Step, Test, Work};
use ftlab_play::load::Load;
use ftlab_workload::Shuffle;
use std::sync::Arc;

impl Test {
    /// The test with its jobs shuffled. One that makes other requests for it is not the one that figures were published of.
    #[must_use]
    pub fn shuffled(self, how: Shuffle) -> Test {
        let mut changes = false;
        let mut load = |load: &Load| {
            let shuffled = load.shuffled(how);
            changes |= shuffled.mark() != load.mark();
            shuffled
        };
        let work = match &self.step.work {
            Work::Loads { loads, ports } => Work::Loads {
                loads: loads.iter().map(load).collect(),
                ports: ports.clone(),
            },
            Work::Within(procedure, job) => {
                let job = load(job);
                Work::Within(Arc::new(of_procedure(procedure, &mut load)), job)
            }
            Work::Fact(fact) => Work::Fact(*fact),
        };
        if !changes {
            return self;
        }
        let source = Source {
            key: String::new(),
            title: self.family.source.title.clone(),
        };
        Test {
            family: Arc::new(Family {
                source: Arc::new(source),
                ..Family::clone(&self.family)
            }),
            step: Arc::new(Step {
                work,
                ..Step::clone(&self.step)
            }),
        }
    }
}

fn of_procedure(procedure: &Procedure, mut load: impl FnMut(&Load) -> Load) -> Procedure {
    let acts = procedure.acts.iter().map(|act| match act {
        Act::Overwrite(job, times) => Act::Overwrite(load(job), *times),
        Act::Measure(job, state) => Act::Measure(load(job), state.clone()),
        Act::Torture(job) => Act::Torture(load(job)),
        Act::SecureErase | Act::FillFrom(..) | Act::Trim(_) | Act::Reach(_) => act.clone(),
    });
    Procedure {
        slug: procedure.slug.clone(),
        span: procedure.span,
        acts: acts.collect(),
    }
}
