//! The image that another image lies on, and a model of its drive that a thread reads in advance.

use crate::ImageError;
use crate::base::Base;
use crate::header::Header;
use crate::new::New;
use crate::recovery::found::Found;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// Backing image of a drive, and a model of its drive for a quick reset.
#[derive(Debug, Default)]
pub(crate) struct BackingImage {
    pub(crate) base: Option<Base>,
    /// True if writes are gone with the process.
    pub(crate) in_memory: bool,
    pub(crate) prefetched: Option<Prefetched>,
}

/// A drive as a base has it, to be copied.
#[derive(Debug)]
pub(crate) struct Prefetched {
    pub(crate) fingerprint: u64,
    pub(crate) model: Model,
}

#[derive(Debug)]
pub(crate) enum Model {
    /// A thread reads it.
    Loading(Receiver<Result<Prepared, ImageError>>),
    Ready(Box<Prepared>),
}

pub(crate) struct Prepared {
    pub(crate) found: Found,
    pub(crate) file: DriveFile,
    pub(crate) seed: u64,
}

/// Reads the drive as a base has it.
pub(crate) fn prepare(
    base: &Base,
    catalog: &Catalog,
    testbed: &Testbed,
) -> Result<Prepared, ImageError> {
    let (header, file) =
        Header::read(&*base.storage, catalog).map_err(|why| ImageError::Unusable {
            path: base.path.clone(),
            why,
        })?;
    let new = New::of(&file, testbed, header.seed)?;
    let found = Found::read(&base.path, &*base.storage, new, false)?;
    Ok(Prepared {
        found,
        file,
        seed: header.seed,
    })
}

impl Prefetched {
    /// Has a thread read it.
    pub(crate) fn begin(base: &Base, catalog: Catalog, testbed: &Testbed) -> Option<Prefetched> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let (fingerprint, base, testbed) = (base.fingerprint, base.clone(), testbed.clone());
        let read = move || {
            let read = prepare(&base, &catalog, &testbed);
            // The memory of this copy waits for the first that is needed: what the system gives, it clears before.
            drop(read.as_ref().map(|prepared| prepared.found.copy()));
            // The receiver is gone when the drive was dropped; then nobody needs the model.
            let _ = sender.send(read);
        };
        let thread = thread::Builder::new().name("pristine".into()).spawn(read);
        // Without a thread, the first reset takes longer.
        thread.ok().map(|_| Prefetched {
            fingerprint,
            model: Model::Loading(receiver),
        })
    }

    /// The drive as a base has it, if this is that one; nothing, if its thread has ended without a word.
    pub(crate) fn of(self, base: &Base) -> Option<Result<Box<Prepared>, ImageError>> {
        if self.fingerprint != base.fingerprint {
            return None;
        }
        match self.model {
            Model::Loading(receiver) => receiver.recv().ok().map(|read| read.map(Box::new)),
            Model::Ready(prepared) => Some(Ok(prepared)),
        }
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("drive", &self.file.slug())
            .finish_non_exhaustive()
    }
}
