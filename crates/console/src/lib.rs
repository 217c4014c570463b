//! The side of a command that its user sees: options, files that are read, tables, signs of life and exit codes.
//!
//! Both halves of the command line use it, the disk's and the lab's, and it knows neither. An error says by
//! [`Blame`](ftlab_base::Blame) whether it is the user's, and output comes as text, tables or JSON.

pub mod drives;
pub mod failure;
pub mod files;
pub mod health;
pub mod junit;
pub mod machine;
pub mod memory;
pub mod options;
pub mod own;
pub mod progress;
pub mod screen;
