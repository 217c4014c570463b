//! fio as the client.

use crate::servers::Running;
use crate::{AREA_BYTES, CLIENT_CORE, SECONDS};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What one run of fio came to.
#[derive(Debug, Clone)]
pub struct Run {
    pub server_cpu_us: f64,
    pub iops: f64,
    pub p50_us: f64,
    pub p99_us: f64,
}

/// Writes the area once, so that reads find something.
pub fn fill(socket: &Path) {
    fio(socket, &["--rw=write", "--bs=1M", "--iodepth=4"]);
}

/// Random reads of 4 KiB.
pub fn reads(server: &Running, socket: &Path, depth: u32) -> Run {
    let before = server.cpu_ns();
    let result = fio(
        socket,
        &[
            "--rw=randread",
            "--bs=4k",
            &format!("--iodepth={depth}"),
            "--time_based",
            &format!("--runtime={SECONDS}"),
        ],
    );
    let cpu_us = (server.cpu_ns() - before) as f64 / 1e3;
    let read = &result["jobs"][0]["read"];
    let number = |value: &Value| value.as_f64().expect("a number in fio's output");
    let percentile = |p: &str| number(&read["clat_ns"]["percentile"][p]) / 1e3;
    Run {
        server_cpu_us: cpu_us / number(&read["total_ios"]),
        iops: number(&read["iops"]),
        p50_us: percentile("50.000000"),
        p99_us: percentile("99.000000"),
    }
}

fn fio(socket: &Path, options: &[&str]) -> Value {
    let output = Command::new("taskset")
        .args(["-c", &CLIENT_CORE.to_string(), "fio", "--name=reads"])
        .args(["--ioengine=nbd", "--output-format=json"])
        .arg(format!("--uri=nbd+unix:///?socket={}", socket.display()))
        .arg(format!("--size={AREA_BYTES}"))
        .args(options)
        .output()
        .expect("taskset runs fio");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "fio: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Notes precede the object.
    let object = &text[text.find('{').expect("fio writes JSON")..];
    serde_json::from_str(object).expect("fio writes JSON")
}
