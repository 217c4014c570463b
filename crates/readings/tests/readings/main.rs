//! Files and folders of fio and of tools around it, written here in the shape that they have, read as results.

mod fio;
mod logs;
mod place;
mod tools;
