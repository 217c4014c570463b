//! The page of fio's words is that of the tables.

#[test]
fn the_page_of_the_docs_is_that_of_the_tables() {
    let page = include_str!("../../../docs/fio.md");
    assert!(
        page == ftlab_workload::words_page(),
        "cargo run -p ftlab-workload --example words > docs/fio.md"
    );
}
