//! The page about accuracy, as a reader of its text sees it.

#[path = "../../../../crates/report/tests/sample/mod.rs"]
mod sample;

use super::*;

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
    // Misses have a table where there are any, and so have figures that nobody had seen.
    set.figures[1].verdict = Verdict::Fail;
    set.figures[2].unseen = true;
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
    assert_eq!(tables, 6);
}

#[test]
fn figures_that_no_number_was_fitted_to_are_kept_apart() {
    let mut set = sample::sample();
    let before = render(&set);
    assert!(!before.contains("no number was fitted to"));
    let figure = &mut set.figures[0];
    figure.unseen = true;
    figure.note = "of one sample".to_owned();
    figure.error = Some(0.2);
    figure.verdict = Verdict::Fail;
    let (id, judged) = (figure.id.clone(), set.figures.len());
    let page = render(&set);
    assert!(page.contains("## Figures that no number was fitted to"));
    assert!(
        page.contains(
            "1 are scored: the median error is 22 %, 0 % are within 15 % and 100 % within 30 %"
        ),
        "{page}"
    );
    assert!(
        page.contains(&format!(": {} figures of", judged - 1)),
        "{page}"
    );
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with(&format!("| {id} |")))
        .collect();
    assert_eq!(
        rows.len(),
        2,
        "in its own table and among the misses: {rows:?}"
    );
    assert!(rows[0].ends_with("| of one sample |"), "{rows:?}");
    let model = set.figures[0].model.clone();
    let table = standing(&set);
    let row = table.lines().find(|line| line.starts_with(&model)).unwrap();
    assert!(row.ends_with(",1,0.200"), "{table}");
}

#[test]
fn a_page_tells_seen_figures_from_those_whose_test_was_left_out_and_from_unseen_ones() {
    let mut set = sample::sample();
    for figure in &mut set.figures {
        (figure.error, figure.left_out_error, figure.unseen) = (None, None, false);
    }
    let [seen, other, unseen] = &mut set.figures[..3] else {
        panic!("the sample has figures");
    };
    (seen.error, seen.left_out_error) = (Some(0.01), Some(0.1));
    other.error = Some(0.03);
    (unseen.error, unseen.unseen) = (Some(0.2), true);
    let id = seen.id.clone();
    let page = render(&set);
    for row in [
        "| seen | 2 | 2.0 % | 100 % | 100 % |",
        "| seen, their test left out | 1 | 11 % | 100 % | 100 % |",
        "| unseen | 1 | 22 % | 0 % | 100 % |",
    ] {
        assert!(page.contains(row), "{row}\n{page}");
    }
    let of_figure = page
        .lines()
        .find(|line| line.starts_with(&format!("| {id} |")));
    assert!(of_figure.unwrap().contains("| 11 % |"), "{of_figure:?}");
    let told = in_short(&set);
    assert!(page.contains(&told), "{told}");
    assert!(
        told.starts_with("Of 1 figures that nobody looked at"),
        "{told}"
    );
    assert!(told.contains("Of 1 that were there, half are off by no more than 11 %"));
    set.figures[0].left_out_error = None;
    assert!(!in_short(&set).contains("left out"));
}

#[test]
fn the_pages_that_quote_say_where() {
    for page in [
        include_str!("../../../../README.md"),
        include_str!("../../../../docs/how-accurate.md"),
    ] {
        assert!(quoting(page, "").is_some());
    }
}

#[test]
fn a_quote_takes_the_place_of_the_last_one_and_nothing_else_changes() {
    let page = "# A\n<!-- accuracy -->\nold\n<!-- /accuracy -->\nb\n";
    let once = quoting(page, "new").unwrap();
    assert_eq!(once, page.replace("old", "new"));
    assert_eq!(quoting(&once, "new").unwrap(), once);
    for without in [
        "",
        "<!-- accuracy -->",
        "<!-- /accuracy --><!-- accuracy -->",
    ] {
        assert!(quoting(without, "").is_none(), "{without}");
    }
    assert!(quoting(&format!("{page}{page}"), "").is_none());
}
