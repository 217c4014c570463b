//! `ftlab top`: what a drive at work does, second by second.

use super::{Target, nobody_serves, report};
use clap::Args;
use ftlab_attach::control::{Report, Requests};
use ftlab_base::Nanos;
use ftlab_base::amount::decimal;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::screen;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Cell, Paragraph, Row, Sparkline, Table};
use ratatui::{DefaultTerminal, Frame};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Seconds that are drawn.
const HISTORY: usize = 300;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab top x25m.img              watch it; Ctrl-C ends
  ftlab top x25m.img --once       measure for one second and print that")]
pub struct TopOptions {
    /// The control socket of a drive at work, or its image
    target: PathBuf,
    /// Print one look, of a second, and end
    #[arg(long)]
    once: bool,
}

/// Two looks at a drive.
struct View {
    before: Report,
    now: Report,
    seconds: f64,
    /// Requests a second of the looks so far.
    rates: VecDeque<u64>,
}

pub fn command(options: &TopOptions) -> Outcome {
    let Target::AtWork(control) = Target::find(&options.target)? else {
        return Err(nobody_serves(&options.target));
    };
    if !options.once && !std::io::stdout().is_terminal() {
        return Err(Failure::Input(
            "standard output is no terminal: give --once".into(),
        ));
    }
    let mut view = View::new(report(&control)?);
    let mut looked_at = Instant::now();
    if options.once {
        std::thread::sleep(Duration::from_secs(1));
        view.look(report(&control)?, looked_at.elapsed());
        return screen::print(&view.text());
    }
    let mut terminal = ratatui::init();
    // An error must not leave the terminal in raw mode, so it ends the loop and not the function.
    let outcome = loop {
        if let Err(error) = draw(&mut terminal, &view) {
            break Err(Failure::printing(&error));
        }
        match is_over(Duration::from_secs(1)) {
            Ok(true) => break Ok(()),
            Ok(false) => {}
            Err(error) => break Err(Failure::Running(format!("the terminal: {error}"))),
        }
        match report(&control) {
            Ok(report) => view.look(report, looked_at.elapsed()),
            Err(error) => break Err(error),
        }
        looked_at = Instant::now();
    };
    ratatui::restore();
    outcome
}

fn draw(terminal: &mut DefaultTerminal, view: &View) -> std::io::Result<()> {
    terminal.draw(|frame| view.draw(frame)).map(drop)
}

/// Waits for so long, or until somebody wants to leave.
fn is_over(wait: Duration) -> std::io::Result<bool> {
    let until = Instant::now() + wait;
    loop {
        if !event::poll(until.saturating_duration_since(Instant::now()))? {
            return Ok(false);
        }
        if let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
        {
            let interrupts =
                key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL;
            if interrupts || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc) {
                return Ok(true);
            }
        }
    }
}

impl View {
    fn new(report: Report) -> View {
        View {
            before: report.clone(),
            now: report,
            seconds: 0.0,
            rates: VecDeque::new(),
        }
    }

    fn look(&mut self, report: Report, after: Duration) {
        self.before = std::mem::replace(&mut self.now, report);
        self.seconds = after.as_secs_f64();
        let rate: f64 = self
            .kinds()
            .iter()
            .map(|kind| self.rate(kind, |r| r.requests))
            .sum();
        self.rates.push_front(rate as u64);
        self.rates.truncate(HISTORY);
    }

    fn kinds(&self) -> [(&'static str, &Requests, &Requests); 4] {
        let (before, now) = (&self.before, &self.now);
        [
            ("reads", &before.reads, &now.reads),
            ("writes", &before.writes, &now.writes),
            ("trims", &before.trims, &now.trims),
            ("flushes", &before.flushes, &now.flushes),
        ]
    }

    fn rate(&self, kind: &(&str, &Requests, &Requests), of: fn(&Requests) -> u64) -> f64 {
        match self.seconds > 0.0 {
            true => of(kind.2).saturating_sub(of(kind.1)) as f64 / self.seconds,
            false => 0.0,
        }
    }

    /// A row a kind of request: since the last look, and latencies since the beginning.
    fn rows(&self) -> Vec<[String; 7]> {
        let row = |kind: &(&str, &Requests, &Requests)| {
            let times = &kind.2.latency_ns;
            let ns = |ns: u64| match times.count {
                0 => "–".to_owned(),
                _ => Nanos(ns).to_string(),
            };
            [
                kind.0.to_owned(),
                format!("{:.0}", self.rate(kind, |r| r.requests)),
                decimal(self.rate(kind, |r| r.bytes), "B/s"),
                ns(times.p50),
                ns(times.p99),
                ns(times.max),
                kind.2.failed.to_string(),
            ]
        };
        self.kinds().iter().map(row).collect()
    }

    /// Lines about flash: what was programmed and why, and how worn it is.
    fn flash(&self) -> Vec<String> {
        let drive = &self.now.drive;
        let since = drive.counters.since(&self.before.drive.counters);
        let share = |part: u64| match since.nand_programs {
            0 => "–".to_owned(),
            all => format!("{:.0} %", 100.0 * part as f64 / all as f64),
        };
        let mut lines = vec![
            format!(
                "WA {} now, {} since it was made",
                crate::ratio(since.write_amplification_if_written()),
                crate::ratio(drive.write_amplification)
            ),
            format!(
                "programs {} ({} moved, {} map), erases {}, writes that waited for the buffer {}",
                since.nand_programs,
                share(since.moved_programs),
                share(since.map_programs),
                since.nand_erases,
                since.buffer_stalls
            ),
        ];
        if let Some(wear) = &drive.wear {
            let rated = wear.rated_cycles.map_or(String::new(), |cycles| {
                format!(
                    " of {cycles} ({:.1} %)",
                    100.0 * wear.erases_mean / f64::from(cycles)
                )
            });
            lines.push(format!(
                "erases of a block {}–{}, mean {:.1}{rated}; grown bad blocks {}, spare superblocks {}",
                wear.erases_min,
                wear.erases_max,
                wear.erases_mean,
                wear.grown_bad_blocks,
                wear.spare_superblocks
            ));
        }
        // A drive without time answers nothing late.
        let late = &self.now.lateness_ns;
        if late.count > 0 {
            lines.push(format!(
                "answers late by {} (p50), {} (p99)",
                Nanos(late.p50),
                Nanos(late.p99)
            ));
        }
        lines.extend(
            drive
                .fault
                .iter()
                .map(|fault| format!("takes no more writes: {fault}")),
        );
        let faults = self.now.faults.iter().filter(|fault| !fault.is_over);
        lines.extend(faults.map(|fault| {
            let (number, hits) = (fault.number, fault.hits);
            format!("fault {number}: {}, {hits} requests so far", fault.fault)
        }));
        let storage = drive.storage_failure.iter();
        lines.extend(storage.map(|why| format!("the storage under the image fails: {why}")));
        lines
    }

    fn title(&self) -> String {
        let drive = &self.now.drive;
        format!(
            "{} ({})",
            drive.name,
            screen::capacity(drive.capacity_bytes)
        )
    }

    fn text(&self) -> String {
        let mut table = screen::table(&HEADER);
        for row in self.rows() {
            table.add_row(row);
        }
        format!(
            "{}\n\n{}\n{}\n",
            self.title(),
            screen::lines(table),
            self.flash().join("\n")
        )
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        // A fault adds a line, so the lines come first: the height of their block follows from them.
        let flash = self.flash();
        let [head, requests, rates, inside, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(7),
            Constraint::Min(4),
            Constraint::Length(flash.len() as u16 + 2),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        frame.render_widget(Line::from(self.title()).bold(), head);
        let rows = self
            .rows()
            .into_iter()
            .map(|row| Row::new(row.map(Cell::from)));
        let widths = [Constraint::Fill(1); 7];
        let header = Row::new(HEADER).style(Style::new().bold());
        let table = Table::new(rows, widths)
            .header(header)
            .block(Block::bordered());
        frame.render_widget(table, requests);
        let rates_shown = Sparkline::default()
            .data(self.rates.iter().copied())
            .direction(ratatui::widgets::RenderDirection::RightToLeft)
            .block(Block::bordered().title("requests a second"));
        frame.render_widget(rates_shown, rates);
        let lines: Vec<Line<'_>> = flash.into_iter().map(Line::from).collect();
        frame.render_widget(
            Paragraph::new(lines).block(Block::bordered().title("flash")),
            inside,
        );
        frame.render_widget(Line::from("q leaves").dim(), foot);
    }
}

const HEADER: [&str; 7] = ["", "a second", "rate", "p50", "p99", "max", "failed"];

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_attach::{Engine, Timing};
    use ftlab_drive::Catalog;
    use ftlab_host::Testbed;
    use ftlab_image::DataDrive;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn view() -> View {
        let file = Catalog::default().load("generic-mlc-8", &[]).unwrap();
        let testbed = Testbed::load("attached").unwrap();
        let drive = DataDrive::in_memory(&file, &testbed, 1).unwrap();
        let engine = Engine::start(drive, Timing::Off).unwrap();
        let before = Report::of(&engine).unwrap().0;
        let mut after = before.clone();
        after.writes.requests += 3_000;
        after.writes.bytes += 12_288_000;
        after.drive.counters.nand_programs += 6_000;
        after.drive.counters.moved_programs += 3_000;
        after.drive.counters.nand_bytes_programmed += 24_576_000;
        after.drive.counters.host_bytes_written += 12_288_000;
        let mut view = View::new(before);
        view.look(after, Duration::from_secs(2));
        view
    }

    #[test]
    fn rates_are_those_since_the_last_look() {
        let text = view().text();
        assert!(text.contains("1500"), "{text}");
        assert!(text.contains("6.1"), "{text}");
        assert!(text.contains("WA 2.00 now"), "{text}");
        assert!(text.contains("programs 6000 (50 % moved"), "{text}");
    }

    #[test]
    fn the_screen_has_it_all_however_small_it_is() {
        for (columns, lines) in [(100, 30), (20, 6), (1, 1)] {
            let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
            let view = view();
            terminal.draw(|frame| view.draw(frame)).unwrap();
            let text = terminal.backend().to_string();
            if columns == 100 {
                for part in [
                    "Generic MLC",
                    "1500",
                    "WA 2.00 now",
                    "requests a second",
                    "q leaves",
                ] {
                    assert!(text.contains(part), "no {part} in\n{text}");
                }
            }
        }
    }
}
