//! Jobs that come to some places more often than to others: whether these are shuffled, and what is to be said of that.

use super::distribution::Distribution;
use super::error::Source;
use super::file::JobFile;
use super::shuffle::Shuffle;
use super::spec::JobSpec;
use ftlab_base::RootSeed;

impl JobSpec {
    /// The rule by which a permutation spreads its ranks or zones; none where fio's rule holds, and for a law that has neither.
    #[must_use]
    pub fn shuffled(&self) -> Option<Shuffle> {
        let how = self.pattern.shuffle.filter(|how| *how != Shuffle::None)?;
        self.has_hot_places().then_some(how)
    }

    /// Returns true if it draws places of which some come more often than others.
    fn has_hot_places(&self) -> bool {
        self.pattern.random && self.pattern.random_distribution != Distribution::Random
    }
}

impl JobFile {
    /// Shuffles the jobs that do not say themselves how their hot places lie. Returns true if one of them makes other
    /// requests for it.
    pub fn shuffle(&mut self, how: Shuffle) -> bool {
        let mut changes = false;
        for job in &mut self.jobs {
            if job.pattern.shuffle.is_none() {
                job.pattern.shuffle = Some(how);
                changes |= job.shuffled().is_some();
            }
        }
        changes
    }

    /// Has shuffled jobs come to the places that they come to in a run of this seed, whatever other numbers they draw: a job
    /// that goes on, or runs again, has the hot blocks that it had.
    pub fn keep_orders(&mut self, seed: RootSeed) {
        for job in &mut self.jobs {
            job.pattern.order_seed.get_or_insert(seed);
        }
    }

    /// A sentence on the hot places of each section whose jobs are shuffled, or whose clones differ in them.
    #[must_use]
    pub fn hot_places(&self) -> Vec<String> {
        let mut told: Vec<&Source> = Vec::new();
        let mut words = Vec::new();
        for job in &self.jobs {
            if !told.contains(&&job.source) {
                told.push(&job.source);
                words.extend(hot_places(job));
            }
        }
        words
    }
}

/// A sentence on the hot places of a job and its clones.
fn hot_places(job: &JobSpec) -> Option<String> {
    let (name, clones) = (&job.name, job.clones.numjobs);
    let law = &job.pattern.random_distribution;
    let what = match law.is_skewed() {
        true => "ranks",
        false => "zones",
    };
    Some(match (job.shuffled(), clones) {
        (Some(Shuffle::Shared), 1) => {
            format!(
                "One permutation spreads the {what} of job `{name}` over all blocks, the same for all jobs with shuffle=shared."
            )
        }
        (Some(Shuffle::Shared), _) => format!(
            "One permutation spreads the {what} of job `{name}` over all blocks: its {clones} clones have the same hot blocks \
             (shuffle=shared)."
        ),
        (Some(_), 1) => {
            format!(
                "A permutation spreads the {what} of job `{name}` over all blocks (shuffle=each)."
            )
        }
        (Some(_), _) => format!(
            "A permutation spreads the {what} of job `{name}` over all blocks, another one for each of its {clones} clones, so \
             that each has hot blocks of its own (shuffle=each); with shuffle=shared all have the same."
        ),
        // Zones lie one behind the other, and a centre is where all clones have it.
        (None, 2..) if job.has_hot_places() && law.is_skewed() && !law.has_center() => format!(
            "As in fio, each of the {clones} clones of job `{name}` has hot blocks of its own; with shuffle=shared all have the \
             same."
        ),
        (None, _) => return None,
    })
}
