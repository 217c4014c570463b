//! Dealings of a command with its user: what is typed, read, printed and reported on the way, and the end.
//!
//! Both halves of the command line stand on it, the disk's and the lab's, and it knows neither: an error says by
//! [`Blame`](ftlab_base::Blame) whether it is the user's, and what is printed comes as text, tables or JSON.

pub mod drives;
pub mod failure;
pub mod files;
pub mod health;
pub mod junit;
pub mod machine;
pub mod memory;
pub mod options;
pub mod progress;
pub mod screen;
