//! What programs in C and C++ see.

mod header;
mod programs;
