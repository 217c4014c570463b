//! Prints the page of fio's words: `cargo run -p ftlab-workload --example words > docs/fio.md`.

fn main() {
    print!("{}", ftlab_workload::words_page());
}
