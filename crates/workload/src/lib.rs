//! fio job files and the command streams they describe.
