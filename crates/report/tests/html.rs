//! The page: whole, safe against any string, and complete.

mod sample;

use std::path::Path;

use ftlab_report::html;

/// The promise of a report that mails and opens well.
const PAGE_BYTES_MAX: usize = 6_000_000;

fn count(text: &str, needle: &str) -> usize {
    text.matches(needle).count()
}

/// The page without its scripts and styles.
fn markup(page: &str) -> String {
    let mut rest = page;
    let mut markup = String::new();
    for (open, close) in [("<style>", "</style>"), ("<script", "</script>")] {
        while let Some(start) = rest.find(open) {
            markup.push_str(&rest[..start]);
            let end = rest[start..].find(close).expect("every element is closed");
            rest = &rest[start + end + close.len()..];
        }
    }
    markup + rest
}

#[test]
fn a_page_is_one_whole_document_that_asks_for_nothing() {
    let page = html::render(&sample::sample());
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.trim_end().ends_with("</html>"));
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    let markup = markup(&page);
    assert_eq!(count(&markup, "<h1"), 1);
    for element in [
        "table", "section", "figure", "div", "details", "button", "main", "dl", "ul",
    ] {
        let opened =
            count(&markup, &format!("<{element}>")) + count(&markup, &format!("<{element} "));
        assert_eq!(
            opened,
            count(&markup, &format!("</{element}>")),
            "{element}"
        );
    }
    for outside in ["src=", "http://", "https://", "@import", "url("] {
        assert!(!markup.contains(outside), "{outside}");
    }
}

#[test]
fn a_review_of_many_drives_and_tests_stays_within_the_size() {
    let set = sample::large();
    assert!(set.runs.len() > 800);
    let page = html::render(&set);
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
}

#[test]
fn strings_cannot_leave_their_place() {
    let clean = html::render(&sample::sample());
    let page = html::render(&sample::hostile());
    assert_eq!(count(&page, "</script>"), count(&clean, "</script>"));
    assert_eq!(count(&page, "<script"), count(&clean, "<script"));
    assert_eq!(count(&page, "<!--"), 0);
    assert!(!page.contains("<img") && !page.contains("</script><b>"));
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;"));
}

#[test]
fn every_figure_run_and_drive_has_its_row() {
    let set = sample::sample();
    let markup = markup(&html::render(&set));
    for figure in &set.figures {
        assert_eq!(
            count(&markup, &format!("<tr id=\"{}\"", figure.id)),
            1,
            "{}",
            figure.id
        );
    }
    for drive in &set.drives {
        assert!(markup.contains(&drive.name), "{}", drive.name);
        for parameter in &drive.parameters {
            assert!(markup.contains(&parameter.key), "{}", parameter.key);
        }
    }
    let run_tables: usize = markup
        .split("-runs\">")
        .skip(1)
        .map(|t| {
            let body = t.split("</table>").next().unwrap_or_default();
            count(body, "<tr>")
        })
        .sum();
    // Each of the five families has a table, and each table a head.
    assert!(
        run_tables >= set.runs.len(),
        "{run_tables} rows for {} runs",
        set.runs.len()
    );
}

#[test]
fn the_front_page_says_who_stutters_and_why() {
    let markup = markup(&html::render(&sample::sample()));
    assert!(markup.contains(
        "1 of 5 drives stutters on small random writes: Spinfree Core 64\u{a0}GB, with pauses of up to 988\u{a0}ms."
    ));
    assert!(markup.contains("128× the data written goes to flash, 99\u{a0}% of it copies"));
}

#[test]
fn an_empty_result_set_still_makes_a_page() {
    let mut set = sample::sample();
    set.drives.clear();
    set.tests.clear();
    set.figures.clear();
    set.runs.clear();
    let page = html::render(&set);
    assert!(page.contains("No drive ran a small random write"));
}

/// Leaves the pages the browser test opens in the target directory.
#[test]
fn pages_for_the_browser_are_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let pages = [
        ("report-sample.html", sample::sample()),
        ("report-hostile.html", sample::hostile()),
        ("report-large.html", sample::large()),
    ];
    for (name, set) in pages {
        std::fs::write(folder.join(name), html::render(&set))
            .expect("the target directory is writable");
    }
}
