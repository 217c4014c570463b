//! The page of documentation about fio's words, made of the tables that read them.

use super::differences::{DIFFERENCES, OF_EVERY_JOB};
use super::engines;
use super::keys::{self, Table};
use super::program::{self, Becomes, ProgramOption};
use super::words;
use std::fmt::Write;

const HEAD: &str = "\
# fio's words

This page is made of the tables that read job files. A word that stands in none of its lists is an error with the
nearest word that does. `ftlab run JOB.fio --engine-report` tells the same of each option of a file, at its line.

The command line of fio is the job file of the same words: `ftlab run --drive D -- --name=a --rw=randwrite …`, or
`ftlab fio --drive D --name=a --rw=randwrite …`. `ftlab run JOB.fio --showcmd` prints a file as such a line, `ftlab run
--showjob -- --name=a …` a line as such a file. As in fio, one dash is as good as two, and a name may be cut to what no other
begins with. Options of fio's program (`--output`, `--output-format=json+`, `--minimal`, `--section`, `--readonly`, …) stand
among those of jobs; the last lists say what becomes of them. `ftlab fio --cmdhelp=WORD` says of one word what this page says.

Values are fio's. `${NAME}` is a variable of the environment, and an error where it is not set; `$ncpus`, `$pagesize` and
`$mb_memory` are those of the machine that runs ftlab; sums in brackets are done: `size=(4k*1000)`. `#` and `;` begin a
comment wherever they stand.

Paths under `/dev` are devices, and several of them need a drive each (`--drive nvme0=DRIVE`). Other names are files. One file
is the drive as a whole. Several lie end to end on the drive, in the order in which jobs name them, each at a multiple of 4 KiB,
as long as fio makes it: `filesize`, or its part of `size` behind `offset`. With `directory` and no `filename` each clone of a
job has files of its own, `directory/JOB.CLONE.FILE`; with `filename` clones share them. A job that names neither has the
whole drive. `ftlab run JOB.fio --lay-out` prints the map.

";

/// The page, as Markdown.
#[must_use]
pub fn words_page() -> String {
    let mut page = HEAD.to_owned();
    for (title, words) in words::WORDS {
        let _ = write!(page, "## {title}\n\n| word | what it does |\n|---|---|\n");
        for word in *words {
            row(&mut page, word.names, word.does);
        }
        page += "\n";
    }
    // Tables of keys have the reason first: one reason is shared by many words.
    let others: [(&str, &str, Table); 3] = [
        (
            "Without effect",
            "They are accepted and listed, since nothing that a drive is asked depends on them.",
            keys::IGNORED,
        ),
        (
            "Refused",
            "A run without them would measure something else.",
            keys::UNSUPPORTED,
        ),
        (
            "Engines that are refused",
            "They do no I/O on a block device.",
            engines::OTHERS,
        ),
    ];
    for (title, words, table) in others {
        let _ = write!(
            page,
            "## {title}\n\n{words}\n\n| words | why |\n|---|---|\n"
        );
        for (why, names) in table {
            row(&mut page, names, why);
        }
        page += "\n";
    }
    let _ = writeln!(
        page,
        "All other engines run alike, but that synchronous ones have one request outstanding: `{}`.",
        engines::BLOCK.join("`, `")
    );
    program_options(&mut page);
    differences(&mut page);
    page
}

/// Options of fio's program, by what becomes of them.
fn program_options(page: &mut String) {
    let what = |option: &ProgramOption| match option.becomes {
        Becomes::Done => "done; `ftlab run --help` tells of it".to_owned(),
        Becomes::Nothing(why) => format!("without effect, and listed: {why}"),
        Becomes::Refused(why) => format!("refused: {why}"),
    };
    page.push_str(
        "\n## Options of fio's program\n\n| options | what becomes of them |\n|---|---|\n",
    );
    for alike in program::OPTIONS.chunk_by(|one, next| one.becomes == next.becomes) {
        let names: Vec<&str> = alike.iter().map(|option| option.name).collect();
        row(page, &names, &what(&alike[0]));
    }
}

fn differences(page: &mut String) {
    page.push_str("\n## Where fio does otherwise\n\nIn every job:\n\n");
    for what in OF_EVERY_JOB {
        let _ = writeln!(page, "- {what}");
    }
    page.push_str("\nIn these jobs:\n\n| jobs | what fio does |\n|---|---|\n");
    for difference in DIFFERENCES {
        let _ = writeln!(page, "| {} | {} |", difference.jobs, difference.fio);
    }
}

fn row(page: &mut String, names: &[&str], what: &str) {
    let _ = writeln!(page, "| `{}` | {what} |", names.join("`, `"));
}
