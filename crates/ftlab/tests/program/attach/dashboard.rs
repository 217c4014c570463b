//! The dashboard of docs/grafana asks for what a server tells, and for nothing else.

use super::server::{Serve, json, said};
use crate::place::program;
use std::collections::BTreeSet;
use std::path::Path;

/// Names that begin with `ftlab_` in a text.
fn names(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = parts.filter(|part| part.starts_with("ftlab_"));
    names.map(str::to_owned).collect()
}

#[test]
fn the_dashboard_asks_for_metrics_that_a_server_exports() {
    let folder = tempfile::tempdir().unwrap();
    let serve = Serve::start(
        folder.path(),
        &["--drive", "generic-mlc-8", "--image", "a.img"],
    );
    let control = folder.path().join("a.img.control");
    let control = control.to_str().unwrap();
    // The server exports write amplification once something was written, and counters of faults only while it has a fault.
    let socket = folder.path().join("a.img.sock");
    let uri = format!("nbd+unix:///?socket={}", socket.display());
    said(
        "qemu-io",
        &["-f", "raw", "-c", "write 0 64k", "-c", "flush", &uri],
    );
    said(program(), &["fault", control, "error", "100%"]);
    let exported = names(&said(
        "curl",
        &["-s", "--unix-socket", control, "http://localhost/metrics"],
    ));
    serve.end("TERM");
    assert!(exported.len() > 20, "{exported:?}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/grafana/ftlab.json");
    let dashboard = json(&std::fs::read_to_string(file).unwrap());
    let mut asked = BTreeSet::new();
    let mut p99s = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            p99s += usize::from(expression.contains("histogram_quantile(0.99,"));
            let of_this = names(expression);
            assert!(!of_this.is_empty(), "{expression}");
            asked.extend(of_this);
        }
    }
    asked.extend(names(&dashboard["templating"].to_string()));
    assert!(p99s >= 2, "{p99s} panels of p99");
    let strange: Vec<_> = asked.difference(&exported).collect();
    assert!(
        strange.is_empty(),
        "no server exports {strange:?}: {exported:?}"
    );
}
