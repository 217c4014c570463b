//! Checks that the libraries the page embeds have been fetched, and tells the crate where they are.

use std::path::Path;

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let bundle = Path::new(&manifest).join("web/dist/libraries.js");
    println!("cargo::rerun-if-changed={}", bundle.display());
    if bundle.is_file() {
        println!("cargo::rustc-env=FTLAB_WEB_LIBRARIES={}", bundle.display());
    } else {
        // They are fetched, not committed, so a fresh clone lands here first.
        println!(
            "cargo::error=the libraries of the report are missing ({}). \
             Run `make setup` once (or `npm ci` in crates/report/web; it needs Node 20 or newer).",
            bundle.display()
        );
    }
}
