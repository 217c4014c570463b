//! `ftlab mark`: a program says how far it has come, for the checkers of `ftlab crash`.

use super::{Target, json, nobody_serves};
use clap::Args;
use ftlab_attach::control::{ControlRequest, Mark, ask};
use ftlab_console::failure::{Failure, Outcome};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab mark db.img 'row 17 is committed'
  ftlab mark db.img.control \"committed $N\"")]
pub struct MarkOptions {
    /// An image that is served with --crash-log, or its control socket
    target: PathBuf,
    /// Text that checkers find in FTLAB_MARK if the power fails before the next mark
    text: String,
}

/// `ftlab mark`: notes in the crash log how far a program has come.
pub fn mark(options: &MarkOptions) -> Outcome {
    let control = match Target::find(&options.target)? {
        Target::AtWork(control) => control,
        Target::Image(path) => return Err(nobody_serves(&path)),
    };
    let text = options.text.clone();
    if text.contains('\0') {
        return Err(Failure::Input("a mark has no NUL".into()));
    }
    ask(
        &control,
        ControlRequest::Post("/mark", &json(&Mark { text })),
    )?;
    Ok(())
}
