//! The files that are compiled in.

// (slug, text) of every file in `drives/` and `drives/base/`, sorted by slug.
include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
