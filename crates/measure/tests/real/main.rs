//! Real loop devices, mounts and swap of this machine, which need root; and files, which do not.
//!
//! A test runner that is not root says which tests it leaves out. `make setup` installs what they call.

mod devices;
mod drives;
mod fake;
mod files;
mod machine;
mod purges;
mod sessions;
