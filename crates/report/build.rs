//! Checks that the chart library the page embeds has been fetched, and tells the crate where it is.

use std::path::Path;

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let bundle = Path::new(&manifest).join("web/dist/echarts.js");
    println!("cargo::rerun-if-changed={}", bundle.display());
    if bundle.is_file() {
        println!("cargo::rustc-env=FTLAB_ECHARTS={}", bundle.display());
    } else {
        // The library is fetched, not committed, so a fresh clone lands here first.
        println!(
            "cargo::error=the chart library of the report is missing ({}). \
             Run `make setup` once (or `npm ci` in crates/report/web; it needs Node 20 or newer).",
            bundle.display()
        );
    }
}
