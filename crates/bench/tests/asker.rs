//! A command's asker, whole: which of these drives answers reads under writes soonest. CONTRIBUTING.md shows it.

use ftlab_base::RootSeed;
use ftlab_bench::ask::{self, Asker, Ends};
use ftlab_bench::sheets::sheet_of;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_lab::{Begin, Cell, Lab, Length, Playing, Subject, Work};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What, mark_of_texts};
use ftlab_result::{ResultSet, quantity};
use ftlab_states::State;
use std::collections::BTreeMap;
use std::sync::Arc;

const LOAD: &str = "[mix]\nrw=randrw\nbs=4k\nioengine=libaio\niodepth=4\nnumber_ios=4000\n";

// The asker begins here:
struct Soonest(Vec<Cell>);

impl Soonest {
    fn of(drives: Vec<DriveFile>) -> Soonest {
        let what = What::job(LOAD, "mix.fio").expect("it is a job");
        let load = Load::of_text("mix.fio", LOAD, mark_of_texts(LOAD, &BTreeMap::new()), what);
        let cell = |file: DriveFile| {
            let subject = Subject::from(file);
            let machine = Testbed::load(subject.usual_testbed()).expect("it comes with ftlab");
            Cell {
                work: Work::Load(Playing {
                    load: load.clone(),
                    begin: Begin::of(State::Filled),
                    clock: Clock::Timed,
                    port: None,
                    length: Length::Full,
                }),
                machine: Arc::new(machine),
                subject: Arc::new(subject),
                seed: RootSeed(1),
            }
        };
        Soonest(drives.into_iter().map(cell).collect())
    }

    /// The drives with their 99th percentiles of reads, the soonest first.
    fn answer(&self, ends: &Ends) -> Vec<(String, f64)> {
        let ended = (0..self.0.len()).filter_map(|n| {
            let [outcome] = ends.outcomes(n)? else {
                return None;
            };
            let ns = quantity::value(&outcome.run, "read.p99", None)?;
            Some((self.0[n].subject.id(), ns))
        });
        let mut ended: Vec<(String, f64)> = ended.collect();
        ended.sort_by(|a, b| a.1.total_cmp(&b.1));
        ended
    }
}

impl Asker for Soonest {
    fn cells(&self) -> &[Cell] {
        &self.0
    }

    fn set(&self, ends: &Ends, why: &str) -> ResultSet {
        let machines = self.0.iter().map(|cell| cell.machine.slug.as_str());
        let origin = ask::origin(1, ask::listed(machines), false);
        let mut set = ask::set_of(self, ends, why, origin);
        set.runs = ask::runs(self, ends);
        set
    }
}
// And it ends here.

#[test]
fn an_asker_asks_and_answers_in_sixty_lines() {
    let drives = ["seagate-momentus-7200.2", "generic-mlc-8"];
    let load = |slug| Catalog::default().load(slug, &[]).expect("it loads");
    let asker = Soonest::of(drives.map(load).to_vec());
    let lab = Lab::new(2, 1 << 30).expect("there are threads");
    let ends = ask::run(&asker, &lab, &|_, _| Ok(())).expect("nobody ends it");
    let answer = asker.answer(&ends);
    let order: Vec<&str> = answer.iter().map(|(drive, _)| drive.as_str()).collect();
    assert_eq!(order, ["generic-mlc-8", "seagate-momentus-7200.2"]);
    assert!(answer[0].1 < answer[1].1 / 2.0, "{answer:?}");
    let set = asker.set(&ends, "");
    let sheets: Vec<_> = asker.0.iter().map(|cell| sheet_of(&cell.subject)).collect();
    assert_eq!((set.runs.len(), set.drives), (2, sheets));
    let lines = include_str!("asker.rs").lines();
    let asker = lines.skip_while(|line| !line.starts_with("// The asker"));
    let lines = asker
        .take_while(|line| !line.starts_with("// And it"))
        .count()
        - 1;
    assert!(lines <= 60, "{lines} lines");
}
