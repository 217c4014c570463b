//! Drives attached with `ftlab serve`, and the clients that people use.

mod bases;
mod block_device;
mod client;
mod clients;
mod command;
mod container;
mod crash;
mod daemon;
mod dashboard;
mod databases;
mod faults;
mod file_systems;
mod fitted;
mod full_disk;
mod fuse;
mod hostile;
mod key_value;
mod measured;
mod power;
mod programs;
mod recorded;
mod recovery;
mod server;
mod smart;
mod tls;
mod tools;
