// Tables of runs, made when they are unfolded: rates, latencies to the far tail, work inside.

const RUN_COLUMNS = ['Drive', 'Test', 'State', 'I/O', 'IOPS', 'MB/s', 'Average', 'p50', 'p90', 'p99', 'p99.9', 'p99.99', 'Longest', 'WA', 'Copies', 'Waits for buffer', 'Erases', 'Map writes'];
const LATENCIES_FROM = 6;
const LATENCIES_COUNT = 7;
const COPIES = 14;

/** A row for each direction a run moved data in; one without any has its measures elsewhere. */
function runRows(data, wanted) {
  return data.traffic.filter((row) => wanted(row.run)).map((row) => {
    const { run } = row;
    return [
      driveName(data.runs.drive[run]) + markOf(data, run),
      withPart(data.title, data.steps[data.runs.step[run]]),
      withPart(data.runs.state[run], conditionOf(data, run) === data.runs.state[run] ? '' : conditionOf(data, run)),
      row.part, row.iops, row.mb_s, ...row.latency_ms,
      ...(data.runs.inside[run] ?? [null, null, null, null, null]),
    ];
  });
}

/** A row as it is shown, with latencies in the unit that fits. */
function asRead(row) {
  return row.map((value, index) => {
    if (typeof value !== 'number') return value;
    if (index >= LATENCIES_FROM && index < LATENCIES_FROM + LATENCIES_COUNT) return latency(value);
    return index === COPIES ? `${number(100 * value)} %` : value;
  });
}

function fillRuns(box, rows, name) {
  const csvColumns = RUN_COLUMNS.map((column, index) => (index >= LATENCIES_FROM && index < LATENCIES_FROM + LATENCIES_COUNT ? `${column} (ms)` : column));
  const search = document.createElement('input');
  search.type = 'search';
  search.className = 'filter';
  search.placeholder = 'Filter rows';
  search.setAttribute('aria-label', 'Filter the rows by drive, test or state');
  const found = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) => words.every((word) => row.slice(0, 4).join(' ').toLowerCase().includes(word)));
  };
  const place = document.createElement('div');
  const fill = () => {
    const table = dataTable({ columns: RUN_COLUMNS, rows: found().map(asRead) }, `${found().length} rows: rates, latency percentiles, work inside`);
    for (const cell of table.querySelectorAll('tr > :nth-child(n + 5)')) cell.className = 'num';
    place.replaceChildren(table);
  };
  search.addEventListener('input', fill);
  box.replaceChildren(search, place, button('Download CSV', () => saveCsv({ columns: csvColumns, rows: found() }, name)));
  fill();
}

function startRuns() {
  for (const details of document.querySelectorAll('details.runs')) {
    const { runsOfFamily: family, runsOfDrive: drive } = details.dataset;
    const box = details.querySelector('.runs-table');
    details.addEventListener('toggle', () => {
      if (!details.open || box.hasChildNodes()) return;
      const rows = family !== undefined
        ? runRows(familyData(family), () => true)
        : familyIds().flatMap((id) => {
          const data = familyData(id);
          return runRows(data, (run) => data.runs.drive[run] === Number(drive));
        });
      fillRuns(box, rows, family !== undefined ? `${family}-runs` : `runs-of-${driveName(Number(drive))}`);
    });
  }
}
