//! The program as people and scripts meet it, and the repository that it is made in.
//!
//! One binary: it is linked once, and tests that wait for a server or a shell run beside those that compute.

mod attach;
mod cards;
mod changed;
mod cli;
mod cli_states;
mod completions;
mod data_out;
mod degenerate;
mod figures;
mod fio_lines;
mod fio_words;
mod guides;
mod help;
mod hosts;
mod image;
mod imports;
mod inputs;
mod layering;
mod measure;
mod nothing;
mod outputs;
mod packages;
mod peers;
mod place;
mod plans;
mod ratchets;
mod readings;
mod repeats;
mod repository;
mod resume;
mod runs;
mod signs;
mod strange_files;
mod sweeps;
mod traces;
mod verdicts;
mod words;
mod wrong_inputs;
