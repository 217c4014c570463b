//! The page about accuracy, as a reader of its text sees it.

mod sample;

use ftlab_report::accuracy::render;
use ftlab_result::Verdict;

#[test]
fn misses_stand_with_their_reasons_and_what_has_none_is_called_so() {
    let mut set = sample::sample();
    for figure in &mut set.figures[1..3] {
        figure.verdict = Verdict::Fail;
        figure.why = "an invented | reason".to_owned();
    }
    let page = render(&set);
    assert_eq!(page.matches("an invented \\| reason").count(), 2);
    assert!(page.contains("of 2 misses 0 are unexplained"), "{page}");
    set.figures[2].why.clear();
    let page = render(&set);
    assert!(page.contains("of 2 misses 1 are unexplained"));
    assert_eq!(page.matches("**unexplained**").count(), 1);
}

#[test]
fn every_table_has_as_many_cells_in_each_row() {
    let mut set = sample::sample();
    // Misses have a table where there are any.
    set.figures[1].verdict = Verdict::Fail;
    let page = render(&set);
    let mut cells = 0;
    let mut tables = 0;
    for line in page.lines() {
        let here = line.replace("\\|", "").matches('|').count();
        if cells == 0 && here > 0 {
            tables += 1;
        }
        assert!(cells == 0 || here == 0 || here == cells, "{line}");
        cells = here;
    }
    assert_eq!(tables, 4);
}
