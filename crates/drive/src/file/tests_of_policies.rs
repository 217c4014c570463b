//! Policies of a reader's own: who knows them, and what they may be called.

use super::tests::{operations, parse, small};
use super::*;
use ftlab_base::rng::Stream;
use ftlab_ftl::page::{DChoices, Fifo, Greedy, POLICIES, PacingPolicy, PacingView, VictimPolicy};
use ftlab_sheet::SheetError;
use std::num::NonZeroU32;

/// A catalogue whose drives know a victim policy of this name.
fn knowing(
    name: &str,
    make: impl Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync + 'static,
) -> Catalog {
    let mut own = OwnPolicies::default();
    own.add_victim(name, make).unwrap();
    Catalog::with(own)
}

/// The small drive of a catalogue, whose file names a policy.
fn of_file(catalog: &Catalog, policy: &str) -> Result<DriveFile, SheetError> {
    let names = small(&[])
        .text()
        .replace("\"greedy\"", &format!("\"{policy}\""));
    assert!(names.contains(policy), "the file names no policy");
    catalog.parse("test", &names, &[])
}

#[test]
fn files_and_settings_name_policies_of_their_catalogue() {
    let four = |stream| -> Box<dyn VictimPolicy> {
        Box::new(DChoices::new(NonZeroU32::new(4).unwrap(), stream))
    };
    let catalog = knowing("four", four);
    let set = catalog.load("generic-mlc-8", &["gc.policy=four".into()]);
    assert_eq!(
        set.unwrap()
            .catalog()
            .policies()
            .victim_names()
            .last()
            .unwrap(),
        "four"
    );
    let own = of_file(&catalog, "four").unwrap();
    let d_choices = |choices: &str| small(&["gc.policy=d-choices", choices]);
    let [three, four] = ["gc.choices=3", "gc.choices=4"].map(d_choices);
    assert_eq!(operations(&own, 1), operations(&four, 1));
    assert_ne!(operations(&own, 1), operations(&three, 1));
    assert_ne!(own.hash(), four.hash());
    let rows = own.parameters().into_iter();
    let gc = rows
        .filter(|row| row.key.starts_with("gc."))
        .map(|row| row.value);
    assert_eq!(gc.collect::<Vec<_>>(), ["four", "2"]);
}

#[test]
fn catalogues_of_one_process_do_not_know_each_others_policies() {
    let fifo = knowing("mine", |_| Box::new(Fifo));
    let greedy = knowing("mine", |_| Box::new(Greedy));
    let [by_age, by_valid] = [&fifo, &greedy].map(|of| of_file(of, "mine").unwrap());
    assert_eq!(by_age.text(), by_valid.text());
    assert_eq!(
        operations(&by_age, 1),
        operations(&small(&["gc.policy=fifo"]), 1)
    );
    assert_eq!(operations(&by_valid, 1), operations(&small(&[]), 1));
    assert_ne!(operations(&by_age, 1), operations(&by_valid, 1));
    // What is made of a drive knows what that knew.
    let again = by_age.with(&["spare.op=0.5".into()]).unwrap();
    assert_eq!(operations(&again, 1), operations(&by_age, 1));

    let along: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    let why = |catalog: &Catalog, policy: &str| of_file(catalog, policy).unwrap_err().to_string();
    let message = why(&Catalog::default(), "mine");
    let names = format!("policy `mine` is none of: {}", along.join(", "));
    assert!(message.ends_with(&names), "{message}");
    let message = why(&fifo, "yours");
    assert!(
        message.ends_with(&format!("{}, mine", along.join(", "))),
        "{message}"
    );
}

#[test]
fn a_policy_of_ones_own_has_a_name_of_its_own() {
    let mut own = OwnPolicies::default();
    let mut add = |name: &str| own.add_victim(name, |_| Box::new(Greedy));
    assert_eq!(add("python:<lambda>"), Ok(()));
    for taken in ["python:<lambda>", "greedy", "windowed-greedy"] {
        assert_eq!(add(taken), Err(PolicyNameError::Taken(taken.to_owned())));
    }
    for none in ["", "two words", " greedy", "a,b", "$(a)", "bell\u{7}"] {
        assert_eq!(add(none), Err(PolicyNameError::Name(none.to_owned())));
    }
    let mut add = |name: &str| own.add_pacing(name, || Box::new(AtOnce));
    assert_eq!(add("at-once"), Ok(()));
    for taken in ["in-step", "at-once"] {
        assert_eq!(add(taken), Err(PolicyNameError::Taken(taken.to_owned())));
    }
    let table = ["last", "fifo"].map(|name| OwnVictim::new(name, |_| Box::new(Fifo)));
    assert_eq!(
        OwnPolicies::of(&table[..1])
            .unwrap()
            .victim_names()
            .last()
            .unwrap(),
        "last"
    );
    let taken = OwnPolicies::of(&table).unwrap_err();
    assert_eq!(taken, PolicyNameError::Taken("fifo".to_owned()));
}

#[derive(Debug)]
struct AtOnce;

impl PacingPolicy for AtOnce {
    fn copies(&mut self, _view: &PacingView) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn PacingPolicy> {
        Box::new(AtOnce)
    }
}

#[test]
fn policies_that_a_caller_brings_for_a_drive_are_known_to_that_alone() {
    let greedy = small(&[]);
    let mut own = OwnPolicies::default();
    own.add_victim("my:emptiest", |_| Box::new(Greedy)).unwrap();
    own.add_pacing("my:at-once", || Box::new(AtOnce)).unwrap();
    let with = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        greedy.knowing(own.clone()).with(&settings)
    };
    let emptiest = with(&["gc.policy=my:emptiest"]).unwrap();
    assert_eq!(operations(&emptiest, 1), operations(&greedy, 1));
    assert_ne!(emptiest.hash(), greedy.hash());
    let at_once = with(&["gc.pacing=my:at-once"]).unwrap();
    assert_ne!(operations(&at_once, 1), operations(&greedy, 1));
    assert_eq!(
        operations(&emptiest.with(&["gc.policy=greedy".into()]).unwrap(), 1),
        operations(&greedy, 1)
    );
    for (settings, why) in [
        (
            &["gc.policy=my:emptiest", "gc.choices=2"][..],
            "policy `my:emptiest` does not use `choices`",
        ),
        (
            &["gc.pacing=my:at-once", "gc.batch=1"],
            "`batch`, `turn` and `pacing` but one",
        ),
        (
            &["gc.pacing=slow"],
            "there is no policy `slow` here; give in-step or my:at-once, or leave it out",
        ),
    ] {
        let message = with(settings).unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    }
    // Elsewhere nobody knows what the text of such a drive means.
    for (drive, why) in [
        (&emptiest, "policy `my:emptiest` is none of"),
        (&at_once, "there is no policy `my:at-once` here"),
    ] {
        let message = parse(&drive.text()).unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    }
}
