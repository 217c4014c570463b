//! Commits of a drive to the machine's storage, for which flushes wait.

use super::DataDrive;
use crate::ImageError;
use crate::commits::Commit;
use ftlab_base::{CommandId, Completion, Outcome};
use std::io;
use std::ops::Range;

impl DataDrive {
    /// Has flushes wait for the machine's storage beside other work from now on. `wake` is called when one may
    /// have ended, so that whoever drives the drive looks again.
    ///
    /// # Errors
    /// When the system does not give a thread for it.
    pub fn sync_beside(&mut self, wake: impl Fn() + Send + 'static) -> Result<(), ImageError> {
        if !self.syncs() {
            return Ok(());
        }
        let done = self.body.storage().sync_beside(Box::new(wake));
        done.map_err(|why| self.storage_error("start a thread that waits for it", why))
    }

    /// True if flushes wait for the machine's storage.
    pub(crate) fn syncs(&self) -> bool {
        self.image.as_ref().is_some_and(|image| image.sync)
    }

    /// Makes the requests so far survive, and waits until they do.
    pub(crate) fn commit_and_wait(&mut self) {
        self.begin_commit();
        self.end_commits();
    }

    /// Has everything so far be kept, and says by which commit. Where only the process may be killed, it is
    /// kept already.
    pub fn begin_commit(&mut self) -> Commit {
        if !self.syncs() {
            let done = self.body.begin_commit();
            self.note_end(done);
            return Commit(0);
        }
        self.look_at_commits();
        if self.commits.ended < self.commits.begun {
            self.commits.wanted = self.commits.begun + 1;
            return Commit(self.commits.wanted);
        }
        self.start_commit();
        Commit(self.commits.begun)
    }

    /// Outcome of a commit; none while it is under way.
    pub fn outcome_of(&mut self, commit: Commit) -> Option<Outcome> {
        self.look_at_commits();
        (commit.0 <= self.commits.ended).then(|| match self.body.failure() {
            None => Outcome::Good,
            Some(_) => Outcome::WriteFault,
        })
    }

    /// Waits until no commit is under way; whether one was.
    pub fn end_commits(&mut self) -> bool {
        let were_under_way = self.commits.are_under_way();
        while self.commits.are_under_way() {
            self.end_commit();
        }
        were_under_way
    }

    /// Ends the commit whose wait is over, and starts the next one if somebody wants it.
    fn look_at_commits(&mut self) {
        while self.commits.are_under_way() && !self.body.storage().is_syncing() {
            self.end_commit();
        }
    }

    fn start_commit(&mut self) {
        self.commits.begun += 1;
        if self.is_checkpoint_due() {
            // It writes the batch that this commit waits for.
            self.begin_checkpoint();
        }
        let done = self.body.begin_commit();
        if done.is_err() || !self.body.storage().is_syncing() {
            // Nothing was begun, or it has ended by now.
            let ended = self.body.storage().end_sync();
            self.note_end(done.and(ended));
        }
    }

    fn end_commit(&mut self) {
        let done = self.body.storage().end_sync();
        self.note_end(done);
        if self.commits.wanted > self.commits.begun {
            self.start_commit();
        }
    }

    fn note_end(&mut self, done: io::Result<()>) {
        self.commits.ended = self.commits.begun;
        self.body.end_commit(done);
    }

    /// Has flushes be kept as soon as the layer has everything that they cover, while the drive is still at
    /// them.
    pub(crate) fn begin_commits_of_flushes(&mut self, done: &[Completion]) {
        let all_ended = done.iter().any(|completion| {
            let flush = self.commits.flushes.get(&completion.id);
            flush.is_some_and(|flush| flush.sectors.is_empty())
        });
        if all_ended {
            // What was written is in the cells by now, as its fences have told; of what was given up, none does.
            self.body.note_handed_on_programmed();
        }
        let waits = self.body.something_waits();
        let ends = |id: &CommandId| done.iter().any(|completion| completion.id == *id);
        let flushes = self.commits.flushes.iter();
        let begin: Vec<(CommandId, Range<u64>)> = flushes
            .filter(|(id, flush)| {
                let covers_all = flush.sectors.is_empty();
                flush.commit.is_none() && (covers_all && !waits || ends(id))
            })
            .map(|(id, flush)| (*id, flush.sectors.clone()))
            .collect();
        if begin.is_empty() {
            return;
        }
        for (_, sectors) in &begin {
            self.note_flushed(sectors);
        }
        let covers_all = begin.iter().any(|(_, sectors)| sectors.is_empty());
        if covers_all && self.syncs() {
            // Nothing else will be waited for before the flushes end.
            self.body.note_handed_on_programmed();
        }
        for (id, sectors) in begin {
            let commit = self.begin_commit_of(&sectors);
            let flush = self.commits.flushes.get_mut(&id).expect("it was there");
            flush.commit = Some(commit);
        }
    }

    /// Sectors are flushed by themselves: what of them was in a volatile buffer is in the cells.
    pub(crate) fn note_flushed(&mut self, sectors: &Range<u64>) {
        let slot_sectors = u64::from(self.slot_sectors());
        if !sectors.is_empty() {
            let end = sectors.end.div_ceil(slot_sectors) as u32;
            let slots = (sectors.start / slot_sectors) as u32..end;
            self.body.note_programmed_of(slots);
        }
    }

    /// Begins a commit of these sectors alone, if there are any, and otherwise of all as [`DataDrive::begin_commit`].
    /// A drive of flash keeps whatever it has been asked by then; its volatile buffer keeps what it has.
    pub fn begin_commit_of(&mut self, sectors: &Range<u64>) -> Commit {
        let alone = !sectors.is_empty() && !self.file.fua_flushes_all();
        match alone && self.body.flush_sectors(sectors) {
            true => Commit(0),
            false => self.begin_commit(),
        }
    }

    /// Takes flushes out of what is `done` from `first` on whose commits are not, and adds those whose
    /// commits are by now.
    pub(crate) fn hold_flushes(&mut self, first: usize, done: &mut Vec<Completion>) {
        let commits = &mut self.commits;
        let ended = done.extract_if(first.., |completion| {
            commits.flushes.contains_key(&completion.id)
        });
        let ended: Vec<Completion> = ended.collect();
        for completion in ended {
            let flush = self.commits.flushes.remove(&completion.id);
            let commit = flush.and_then(|flush| flush.commit);
            let commit = commit.expect("it was begun when the drive was done, at the latest");
            self.commits.held.push((commit, completion));
        }
        self.look_at_commits();
        let (ended, has_failed) = (self.commits.ended, self.body.failure().is_some());
        let held = self
            .commits
            .held
            .extract_if(.., |(commit, _)| commit.0 <= ended);
        done.extend(held.map(|(_, mut completion)| {
            if has_failed && completion.outcome == Outcome::Good {
                completion.outcome = Outcome::WriteFault;
            }
            completion
        }));
    }

    /// True if a flush can end that only waited for its commit.
    pub(crate) fn a_flush_has_ended(&self) -> bool {
        !self.commits.held.is_empty() && !self.body.storage_ref().is_syncing()
    }
}
