//! The header is what the crate says.

use std::path::Path;

#[test]
fn the_header_that_is_committed_is_that_of_the_crate() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = cbindgen::generate(here).expect("the crate can be read");
    let mut header = Vec::new();
    made.write(&mut header);
    let header = String::from_utf8(header).expect("it is a text");
    let path = here.join("include/ftlab.h");
    if std::env::var_os("FTLAB_REDRAW_HEADER").is_some() {
        std::fs::write(&path, &header).expect("it can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        header == committed,
        "include/ftlab.h is not that of the crate: FTLAB_REDRAW_HEADER=1 cargo test -p ftlab-capi"
    );
}
