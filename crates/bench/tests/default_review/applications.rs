//! The application tests: fitted on one drive, they must set the others in order.

use super::{CORE, DRIVES, MOMENTUS, SLC, VELOCIRAPTOR, X25M, figure};
use ftlab_result::Verdict;

fn metric(drive: &str, test: &str, name: &str) -> f64 {
    super::metric(&format!("{drive}/{test}/restored"), name)
}

fn two_archives(drive: &str, name: &str) -> f64 {
    metric(drive, "archive-create-200mb-while-extract-5gb", name)
}

#[test]
fn the_drive_the_scripts_are_fitted_on_agrees_and_others_follow() {
    let passing = [
        ("F0293", "X25-M create"),
        ("F0294", "X25-M extract"),
        ("F0288", "Core extract"),
        ("F0290", "SLC create"),
        ("F0291", "SLC extract"),
        ("F0297", "Momentus extract"),
        ("F0299", "VelociRaptor create"),
        ("F0315", "VelociRaptor PowerPoint"),
        ("F0316", "VelociRaptor Photoshop"),
        ("F0313", "Momentus PowerPoint"),
        ("F0314", "Momentus Photoshop"),
        ("F0307", "Core PowerPoint"),
        ("F0308", "Core Photoshop"),
        ("F0277", "SLC create, before the Core"),
        ("F0278", "X25-M create, before the Core"),
        ("F0319", "web page on another drive of the Core's make"),
    ];
    for (id, what) in passing {
        let figure = figure(id);
        let (published, simulated) = (&figure.published, figure.simulated);
        assert_eq!(
            figure.verdict,
            Verdict::Pass,
            "{id} {what}: {simulated:?} for {published}"
        );
    }
}

#[test]
fn only_the_jmf602_pauses() {
    for drive in DRIVES {
        let pauses = two_archives(drive, "pauses");
        let expected = if drive == CORE {
            15.0..=25.0
        } else {
            0.0..=0.0
        };
        assert!(expected.contains(&pauses), "{drive}: {pauses}");
    }
    let longest = two_archives(CORE, "longest_pause_s");
    assert!(
        (0.5..=2.0).contains(&longest),
        "stops that one notices, of up to two seconds: {longest}"
    );
}

#[test]
fn extraction_sets_the_drives_in_their_order() {
    let of = |drive| two_archives(drive, "extract_seconds");
    assert!(of(SLC) < of(X25M));
    assert!(of(X25M) * 1.8 < of(CORE).min(of(MOMENTUS)));
    assert!(of(VELOCIRAPTOR) < of(MOMENTUS));
}

#[test]
fn a_second_archive_is_made_sooner_on_drives_that_do_not_merge() {
    for test in [
        "archive-create-200mb-while-extract-5gb",
        "archive-create-200mb-while-extract",
    ] {
        let of = |drive| metric(drive, test, "create_seconds");
        assert!(of(X25M) * 1.1 < of(CORE), "{test}");
        assert!(of(SLC) * 1.1 < of(CORE), "{test}");
    }
}

#[test]
fn launches_during_an_extraction_fall_into_leagues() {
    for program in ["powerpoint2007", "photoshop-cs3"] {
        let of = |drive| {
            metric(
                drive,
                &format!("launch-{program}-while-extract-5gb"),
                "seconds",
            )
        };
        let (good, core, vr) = (of(X25M).max(of(SLC)), of(CORE), of(VELOCIRAPTOR));
        // Published are 2.2 and 2.3 times; PowerPoint on the Core is a fifth short.
        assert!(
            1.8 * good < core.min(vr),
            "{program}: {good} s, {core} s, {vr} s"
        );
        assert!(
            (0.6..1.6).contains(&(core / vr)),
            "the Core is like a VelociRaptor"
        );
        assert!(1.5 * core < of(MOMENTUS));
    }
}

#[test]
fn a_page_takes_ten_seconds_behind_the_merges_of_an_extraction() {
    let of = |drive| metric(drive, "webpage-load-while-extract-5gb", "seconds");
    assert!(of(CORE) > 10.0);
    assert!(of(X25M) < 2.0);
}
