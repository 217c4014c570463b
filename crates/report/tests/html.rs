//! The page: whole, safe against any string, and complete.

use crate::sample;
use std::path::Path;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use ftlab_report::comparison::Comparison;
use ftlab_report::html;
use ftlab_report::pair::Pair;
use ftlab_result::{ResultSet, Way};
use serde_json::Value;

/// The promise of a report that mails and opens well.
const PAGE_BYTES_MAX: usize = 6_000_000;

/// The large report, which several tests look at: drawing it takes longer than looking.
static FULL: LazyLock<String> = LazyLock::new(|| html::render(&sample::full()));

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

/// What stands in the page's element of that name.
fn element<'a>(page: &'a str, id: &str) -> &'a str {
    let start = page
        .find(&format!("<script id=\"{id}\""))
        .expect("the data are there");
    let text = &page[start..];
    let text = &text[text.find('>').expect("the element begins") + 1..];
    &text[..text.find("</script>").expect("the element ends")]
}

/// The data of that name in the page.
fn embedded(page: &str, id: &str) -> Value {
    serde_json::from_str(element(page, id)).expect("it is JSON")
}

/// The packed data of that name in the page.
fn packed(page: &str, id: &str) -> Value {
    let deflated = STANDARD.decode(element(page, id)).expect("it is base64");
    serde_json::from_reader(DeflateDecoder::new(deflated.as_slice())).expect("it is JSON")
}

/// The data of every family in the page.
fn families(page: &str) -> Vec<Value> {
    let ids = page.split("<script id=\"test/").skip(1);
    ids.map(|rest| {
        let name = rest.split('"').next().unwrap_or_default();
        packed(page, &format!("test/{name}"))
    })
    .collect()
}

fn len(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn a_review_of_many_drives_and_tests_stays_within_the_size() {
    let set = sample::full();
    assert_eq!(set.drives.len(), 45);
    assert!(set.runs.len() > 5200, "{}", set.runs.len());
    assert!(FULL.len() < PAGE_BYTES_MAX, "{} bytes", FULL.len());
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
    let families = families(&html::render(&set));
    let runs: usize = families
        .iter()
        .map(|family| len(&family["runs"]["drive"]))
        .sum();
    assert_eq!(runs, set.runs.len());
    let rows: usize = families.iter().map(|family| len(&family["traffic"])).sum();
    assert_eq!(
        rows,
        set.runs.len(),
        "each run of the sample writes and does nothing else"
    );
}

#[test]
fn the_front_page_says_who_stutters_and_why() {
    let markup = markup(&html::render(&sample::sample()));
    assert!(markup.contains(
        "2 of 4 drives stutter on small random writes: Spinfree Core 64\u{a0}GB and Hanok SLC 64\u{a0}GB, with waits of up to \
         16.4\u{a0}s. One more ran them, whose model is unverified."
    ));
    assert!(markup.contains(
        "For each write of 4\u{a0}KiB the drive writes 524\u{a0}KB to flash, 128× as much, 99\u{a0}% of it copies of older data."
    ));
}

#[test]
fn a_verdict_names_no_model_that_no_figure_of_the_kind_vouches_for() {
    let mut set = sample::sample();
    let of_core = |figure: &ftlab_result::Figure| figure.model == "spinfree-core-64";
    for figure in set.figures.iter_mut().filter(|figure| of_core(figure)) {
        figure.verdict = ftlab_result::Verdict::Shown;
    }
    let page = markup(&html::render(&set));
    assert!(page.contains(
        "1 of 3 drives stutters on small random writes: Hanok SLC 64\u{a0}GB, with waits"
    ));
    assert!(page.contains("more ran them, whose models are unverified."));
    assert!(page.contains("unverified model: no published figure of this kind"));
    let causes = page.split("class=\"cause\"").skip(1);
    let named = |card: &str| {
        card.split("</article>")
            .next()
            .unwrap()
            .contains("Spinfree Core")
    };
    assert!(!causes.into_iter().any(named), "no culprit");
    let winners = page.split("class=\"winner\"").skip(1);
    let named = |winner: &str| {
        winner
            .split("</p>")
            .next()
            .unwrap()
            .contains("Spinfree Core")
    };
    assert!(!winners.into_iter().any(named), "no winner");
    for figure in &mut set.figures {
        if figure.test.starts_with("randwrite-4k") {
            figure.verdict = ftlab_result::Verdict::Shown;
        }
    }
    let page = markup(&html::render(&set));
    assert!(page.contains("vouches for a model that ran them, so the report judges none."));
    assert!(!page.contains("class=\"cause\""));
    // Of models alone something can still be said, if that is said, too.
    set.figures.clear();
    let page = markup(&html::render(&set));
    assert!(page.contains("2 of 5 drives stutter on small random writes"));
    assert!(page.contains("These models are unverified: no published figure stands beside them."));
}

#[test]
fn tests_of_a_review_stand_in_the_order_of_their_numbers() {
    let mut set = sample::sample();
    for test in set.tests.iter_mut().filter(|test| test.method == "A2") {
        test.method = "A12".into();
    }
    let markup = markup(&html::render(&set));
    let methods = markup.split("<span class=\"method\">").skip(1);
    let methods: Vec<&str> = methods.filter_map(|rest| rest.split('<').next()).collect();
    assert_eq!(methods, ["A1", "A3", "A4", "A12", "B1"]);
}

#[test]
fn a_real_drive_is_not_called_a_model() {
    let mut set = sample::sample();
    set.drives.truncate(1);
    let slug = set.drives[0].drive.clone();
    set.runs.retain(|run| run.drive == slug);
    set.figures.clear();
    let page = |way| {
        let mut set = set.clone();
        set.origin.way = way;
        markup(&html::render(&set))
    };
    let [simulated, measured] = [Way::Simulated, Way::Measured].map(page);
    for words in [
        "Storage review, simulated",
        "The drive is a model.",
        "These models are unverified",
        "How accurate its model is",
        "give the same numbers",
    ] {
        assert!(simulated.contains(words), "{words}");
        assert!(!measured.contains(words), "{words}");
    }
    for words in [
        "Storage review, measured",
        "The drive is a real one, measured by fio.",
        "another run gives other numbers",
    ] {
        assert!(measured.contains(words), "{words}");
        assert!(!simulated.contains(words), "{words}");
    }
}

#[test]
fn verdicts_of_a_quick_review_say_so_where_they_stand() {
    let mut set = sample::sample();
    let verdicts = |set: &ResultSet| -> Vec<String> {
        let markup = markup(&html::render(set));
        let words = |class: &str| {
            let chip = format!("<span class=\"chip {class}\">");
            let chips = markup.split(&chip).skip(1);
            let words = chips.filter_map(|rest| rest.split("</span>").nth(1));
            words
                .map(|word| word.trim().to_owned())
                .filter(|word| word != "fitted")
                .collect::<Vec<_>>()
        };
        ["good", "fair", "bad"].map(words).concat()
    };
    let whole = verdicts(&set);
    assert!(
        whole.len() > 60 && whole.iter().all(|word| !word.contains("quick")),
        "{whole:?}"
    );
    set.origin.quick = true;
    let quick = verdicts(&set);
    assert_eq!(quick.len(), whole.len());
    assert!(
        quick.iter().all(|word| word.ends_with(", quick")),
        "{quick:?}"
    );
    let terminal = ftlab_report::terminal::render(&set, 120, false);
    assert!(terminal.contains("pass, quick"));
}

#[test]
fn variants_that_nobody_measured_are_told_apart_by_their_settings() {
    let mut set = sample::sample();
    let page = markup(&html::render(&set));
    assert!(page.contains("No published figure vouches for"));
    assert!(page.contains("id=\"accuracy\"") && !page.contains("What differs between the drives"));
    set.figures.clear();
    let mut other = set.drives[0].clone();
    other.drive = set.drives[1].drive.clone();
    other.name = "the same, changed".into();
    other.parameters[0].value = "4711".into();
    let key = other.parameters[0].key.clone();
    set.drives = vec![set.drives[0].clone(), other];
    set.runs
        .retain(|run| set.drives.iter().any(|drive| drive.drive == run.drive));
    let page = markup(&html::render(&set));
    assert!(page.contains("No published figure vouches for any of these models"));
    assert!(!page.contains("id=\"accuracy\"") && page.contains("What was measured"));
    let (_, differences) = page
        .split_once("What differs between the drives")
        .expect("a table");
    let (table, _) = differences.split_once("</table>").expect("its end");
    assert_eq!(count(table, "<tr>"), 2, "a heading and one number");
    assert!(table.contains(&key) && table.contains("4,711"), "{table}");
}

/// One drive's small random writes, cut to what a test of consistency alone would give.
fn consistency_alone() -> ResultSet {
    let mut set = sample::sample();
    set.tests.retain(|test| test.test == "randwrite-4k-qd1");
    set.runs.retain(|run| run.test == "randwrite-4k-qd1");
    set.figures.clear();
    set.tests[0].test = "consistency-randwrite-4k-qd32".into();
    for run in &mut set.runs {
        run.test = "consistency-randwrite-4k-qd32".into();
        // Even for most of it, so that the page leaves seconds out that equal their neighbours.
        run.series_interval_s = 1.0;
        run.series_ios = (0..2000).map(|s| 4_000 + u64::from(s % 100 == 0)).collect();
        run.seconds = 2000.0;
    }
    set.tests[0].chart = ftlab_result::Chart::Scatter;
    set.tests[0].chart_metric = "iops".into();
    set
}

/// In the open where a drive slows down, folded away where none does, and not there where nothing is known of heat.
#[test]
fn heat_stands_in_the_open_where_it_slows_a_drive_down() {
    let chart = "data-kind=\"warmth\"";
    let at = |page: &str| {
        let page = page.to_owned();
        page.find(chart).map(|at| {
            let before = &page[..at];
            before.rfind("<details") > before.rfind("</details>")
        })
    };
    let mut set = sample::today();
    assert_eq!(at(&html::render(&set)), Some(false));
    for run in &mut set.runs {
        run.at[0].series_throttle.clear();
    }
    assert_eq!(at(&html::render(&set)), Some(true));
    for run in &mut set.runs {
        run.at[0].series_celsius.clear();
    }
    assert_eq!(at(&html::render(&set)), None);
}

#[test]
fn a_report_of_drives_of_today_answers_what_is_asked_of_them() {
    let page = html::render(&sample::today());
    let families = families(&page);
    let of = |chart: &str| families.iter().find(|family| family["chart"] == chart);
    let fill = of("fill").expect("a fill");
    assert_eq!(len(&fill["fills"]), len(&fill["runs"]["drive"]));
    assert_eq!(len(&fill["fills"][0]["plateaus"]), 3);
    let spread = of("percentiles").expect("percentiles");
    assert!(len(&spread["latencies"]) >= len(&spread["runs"]["drive"]));
    let lines = of("lines").expect("lines");
    let beside = lines["beside"]
        .as_u64()
        .expect("a measure beside the first");
    assert_eq!(lines["measures"][beside as usize]["name"], "wa_closed_form");
    let markup = markup(&page);
    for question in ["How long the cache lasts", "What a commit costs"] {
        assert!(markup.contains(question), "{question}");
    }
    assert_eq!(count(&markup, "data-kind=\"longer\""), 1);
}

#[test]
fn a_test_of_consistency_alone_is_enough_for_a_verdict() {
    let markup = markup(&html::render(&consistency_alone()));
    assert!(markup.contains("1 of 5 drives stutters on small random writes"));
}

#[test]
fn the_verdict_is_of_the_test_with_the_longest_wait_and_names_it() {
    let mut set = sample::sample();
    let deep = |run: &&mut ftlab_result::Run| {
        run.drive == "spinfree-core-64" && run.test == "randwrite-4k-qd64"
    };
    for run in set.runs.iter_mut().filter(deep) {
        run.metrics.insert("lat_max_ms".into(), 34_000.0);
        run.metrics.insert("pauses".into(), 15.0);
        run.metrics.insert("longest_pause_s".into(), 2.5);
    }
    let page = markup(&html::render(&set));
    let (_, card) = page
        .split_once("<article class=\"cause\">")
        .expect("a card");
    let card = card.split("</article>").next().unwrap_or_default();
    assert!(
        card.contains("34\u{a0}s") && card.contains("QD 64"),
        "{card}"
    );
    assert!(
        card.contains("15 pauses in which nothing at all completed, the longest 2.50\u{a0}s"),
        "{card}"
    );
    // A long wait alone is none.
    for run in &mut set.runs {
        run.metrics.remove("pauses");
    }
    assert!(!markup(&html::render(&set)).contains("nothing at all completed, the longest"));
}

#[test]
fn what_was_published_of_another_drive_gives_way_to_the_drives_own() {
    let marks = |set: &ResultSet| packed(&html::render(set), "test/a1/data")["published"].clone();
    let mut set = sample::sample();
    let of_a1 = |set: &ResultSet| {
        let is_it =
            |f: &&ftlab_result::Figure| f.test == "randwrite-4k-qd1" && f.metric == "lat_avg_ms";
        set.figures.iter().find(is_it).cloned().expect("one")
    };
    let own = of_a1(&set);
    let mut others = own.clone();
    (others.id, others.drive) = ("F9999".into(), "spinfree-class".into());
    others.drive_name = "any Spinfree drive".into();
    set.figures.push(others);
    let of_run = |marks: &Value| -> Vec<Value> {
        let marks = marks.as_array().cloned().unwrap_or_default();
        let run = marks[0]["run"].clone();
        marks
            .into_iter()
            .filter(|mark| mark["run"] == run && mark["measure"] == 0)
            .collect()
    };
    let told = of_run(&marks(&set));
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["of"], Value::Null);
    set.figures.retain(|figure| figure.id != own.id);
    let alone = marks(&set).to_string();
    assert!(alone.contains(r#""of":"any Spinfree drive""#), "{alone}");
    let page = markup(&html::render(&set));
    assert!(page.contains("published for any Spinfree drive"));
}

#[test]
fn the_score_of_a_closed_program_says_that_only_the_order_is_checked() {
    let mut set = sample::sample();
    set.figures[0].qualifier = "order".into();
    let page = html::render(&set);
    assert!(markup(&page).contains("closed program: only the order of the drives is checked"));
    let told = packed(&page, "test/a1/data")["published"].to_string();
    assert!(told.contains("order only"), "{told}");
}

#[test]
fn a_review_without_figures_is_called_by_the_source_of_its_tests() {
    let mut set = sample::sample();
    set.figures.clear();
    for test in &mut set.tests {
        test.source = "AnandTech, \"Intel SSD 525 Review (240GB)\", 2013-01-30".into();
    }
    let page = markup(&html::render(&set));
    assert!(page.contains("AnandTech 2013") && !page.contains(">Tests A<"));
}

#[test]
fn what_a_drive_is_best_for_is_read_from_the_runs() {
    let mut set = sample::sample();
    let card = |set: &ResultSet| {
        let markup = markup(&html::render(set));
        let from = markup
            .find("Small random writes, after")
            .expect("the use is there");
        markup[from..][..600].to_owned()
    };
    assert!(
        card(&set).contains("Portland X25 80\u{a0}GB"),
        "{}",
        card(&set)
    );
    for run in &mut set.runs {
        if run.drive == "seascape-7200" && run.state == "used" {
            run.metrics.insert("mb_s".into(), 9_000.0);
        }
    }
    let (winner, _) = card(&set)
        .split_once("next")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .expect("others follow");
    assert!(
        winner.contains("Seascape") && winner.contains("9,000"),
        "{winner}"
    );
}

#[test]
fn a_quick_review_does_not_say_who_keeps_its_speed() {
    let mut set = sample::full();
    for run in &mut set.runs {
        run.series_ios = vec![100, 90, 110, 10];
    }
    for (quick, is_told) in [(false, true), (true, false)] {
        set.origin.quick = quick;
        let markup = markup(&html::render(&set));
        assert_eq!(markup.contains("Even speed under a load"), is_told);
    }
    let mut set = sample::sample();
    set.origin.quick = true;
    let markup = markup(&html::render(&set));
    assert!(markup.contains("than a quick review lasts"));
}

#[test]
fn charts_show_the_drives_that_were_published_first() {
    let page = FULL.as_str();
    let family = packed(page, "test/c2/data");
    let drives = embedded(page, "report-data")["drives"].clone();
    // The review C measured the third copy of the drives, all but one of its five.
    assert_eq!(family["shown"], serde_json::json!([10, 11, 12, 13]));
    let colours: std::collections::BTreeSet<u64> = [10, 11, 12, 13]
        .iter()
        .filter_map(|&drive: &usize| drives[drive]["colour"].as_u64())
        .collect();
    assert_eq!(colours.len(), 4, "drives drawn together differ in colour");
}

#[test]
fn states_of_a_drive_are_told_apart_and_links_where_they_differ() {
    let mut set = sample::sample();
    let again: Vec<_> = (set.runs.iter().filter(|run| run.test == "randwrite-4k-qd2"))
        .cloned()
        .map(|mut run| {
            run.link = "sata6g".into();
            run.id += "/sata6g";
            run
        })
        .collect();
    set.runs.extend(again);
    let page = html::render(&set);
    assert_eq!(
        packed(&page, "test/b1/data")["conditions"],
        serde_json::json!(["new", "used"])
    );
    assert_eq!(
        packed(&page, "test/a1/data")["conditions"],
        serde_json::json!([""])
    );
    assert_eq!(
        packed(&page, "test/a4/data")["conditions"],
        serde_json::json!(["", "SATA 6 Gbit/s"])
    );
}

#[test]
fn a_long_course_keeps_its_stall_and_its_burst() {
    let mut set = sample::full();
    // The third drive of the sample never stalls by itself.
    set.runs[2].series_ios[700] = 0;
    set.runs[2].series_ios[901] = 1_000_000;
    let family = packed(&html::render(&set), "test/a1/data");
    let rate = &family["series"][2]["rate"];
    assert!(
        len(&rate["values"]) < 200,
        "{} points",
        len(&rate["values"])
    );
    let at = |index: u64| {
        rate["at"]
            .as_array()
            .and_then(|at| at.iter().position(|i| *i == index))
    };
    let value = |index: u64| at(index).and_then(|place| rate["values"][place].as_f64());
    assert_eq!(value(700), Some(0.0));
    assert_eq!(value(901), Some(1e7));
}

#[test]
fn a_figure_of_several_drives_has_a_place_for_each() {
    let mut set = sample::sample();
    let mut second = set.figures[0].clone();
    second.model = set.drives[1].drive.clone();
    set.figures.push(second);
    let markup = markup(&html::render(&set));
    let id = &set.figures[0].id;
    assert_eq!(count(&markup, &format!("id=\"{id}\"")), 1);
    assert_eq!(count(&markup, &format!("id=\"{id}/hanok-slc-64\"")), 1);
}

#[test]
fn repeats_have_their_intervals_in_tables_and_in_the_data_of_charts() {
    let (once, repeated) = (sample::sample(), sample::repeated());
    let intervals = |set: &ResultSet| count(&markup(&html::render(set)), " ± ");
    assert_eq!(intervals(&once), 0);
    assert!(intervals(&repeated) >= repeated.figures.len() - 1);
    let of_chart = |set: &ResultSet| {
        let data = packed(&html::render(set), "test/a1/data");
        data["measures"][0].clone()
    };
    assert_eq!(of_chart(&once)["half_widths"], Value::Null);
    let measure = of_chart(&repeated);
    // The first drive is the one whose repeats are alike.
    assert_eq!(measure["half_widths"][0], 0.0);
    let value = |name: &str| measure[name][1].as_f64().expect("a number");
    assert!((value("half_widths") / value("values") - 0.2484).abs() < 1e-3);
    let front = markup(&html::render(&repeated));
    let metrics: usize = repeated.runs.iter().map(|run| run.metrics.len()).sum();
    let alike = (repeated.runs.iter())
        .filter(|run| run.drive == repeated.drives[0].drive)
        .map(|run| run.metrics.len());
    let alike: usize = alike.sum();
    let says = format!("The same for every seed are {alike} of {metrics} metrics");
    assert!(front.contains(&says), "{says}");
}

#[test]
fn every_drive_has_a_page_with_what_it_says_of_itself() {
    let markup = markup(&FULL);
    assert_eq!(
        count(&markup, "<section class=\"page drive\" id=\"drive/"),
        45
    );
    assert!(markup.contains("id=\"drive/portland-x25-80-3\""));
    assert_eq!(count(&markup, "Media Wearout Indicator"), 6);
}

#[test]
fn an_empty_result_set_still_makes_a_page() {
    let mut set = sample::sample();
    set.drives.clear();
    set.tests.clear();
    set.figures.clear();
    set.runs.clear();
    let page = html::render(&set);
    assert!(page.contains("No test ran"));
}

/// Leaves the pages the browser test opens in the target directory.
#[test]
fn pages_for_the_browser_are_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let pages = [
        ("report-sample.html", sample::sample()),
        ("report-hostile.html", sample::hostile()),
        ("report-repeated.html", sample::repeated()),
        ("report-consistency.html", consistency_alone()),
        ("report-today.html", sample::today()),
    ];
    let write = |name: &str, page: &str| {
        // A browser that has the page open, or opens it now, sees all of one page.
        let (whole, part) = (folder.join(name), folder.join(format!("{name}.part")));
        std::fs::write(&part, page).expect("the target directory is writable");
        std::fs::rename(part, whole).expect("the target directory is writable");
    };
    for (name, set) in pages {
        write(name, &html::render(&set));
    }
    write("report-full.html", &FULL);
    let (once, repeated) = (sample::sample(), sample::repeated());
    let sets = [("once", &once), ("three times", &repeated)];
    let comparison = html::comparison::render(&Comparison::of(&sets));
    write("comparison.html", &comparison);
    let (real, model) = (sample::measured(), sample::modelled());
    let pair = Pair::of(&[("real", &real), ("model", &model)]).expect("a pair");
    write("pair.html", &html::pair::render(&pair));
}

#[test]
fn a_report_of_the_specification_begins_with_what_was_measured() {
    let mut set = sample::sample();
    let before = markup(&html::render(&set));
    assert_eq!(count(&before, "id=\"contents\""), 0);
    set.figures.clear();
    for run in &mut set.runs {
        let pts = serde_json::json!({
            "settings": {
                "class": "client",
                "write_cache": true,
                "active_range_pct": 75,
                "threads": 2,
                "depth": 16,
            },
            "scale": { "divisor": 1.0, "minute_s": 60.0, "counted_s": 60.0, "words": [] },
        });
        run.pts = Some(serde_json::from_value(pts).expect("a test of the specification"));
    }
    let page = markup(&html::render(&set));
    let (_, list) = page.split_once("id=\"contents\"").expect("a list");
    let (list, _) = list.split_once("</section>").expect("its end");
    let links: Vec<&str> = list.split("href=\"#").skip(1).collect();
    assert!(!links.is_empty());
    for link in links {
        let (id, _) = link.split_once('"').expect("quoted");
        assert_eq!(count(&page, &format!("id=\"{id}\"")), 1, "{id}");
    }
}
