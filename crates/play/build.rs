//! Embeds jobs, scripts, scenarios and traces.

include!("embed.rs");

fn main() {
    embed(&[
        ("JOB_FILES", "jobs", "fio"),
        ("SCRIPT_FILES", "scripts", "toml"),
        ("TRACE_FILES", "traces", "toml"),
    ]);
}
