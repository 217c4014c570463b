// The data of the page: drives at once, a family's when its first chart or table is looked at.

const report = JSON.parse(document.getElementById('report-data').textContent);
const families = new Map();

function familyData(id) {
  if (!families.has(id)) families.set(id, unpacked(document.getElementById(`${id}/data`).textContent));
  return families.get(id);
}

/** Unpacks data that the page holds deflated and in base64. */
function unpacked(text) {
  const deflated = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return JSON.parse(strFromU8(inflateSync(deflated)));
}

const familyIds = () => [...document.querySelectorAll('script[id^="test/"]')].map((script) => script.id.replace(/\/data$/, ''));

const driveName = (drive) => report.drives[drive].name;

function withPart(name, ...parts) {
  return [name, ...parts].filter(Boolean).join(', ');
}

const ascending = (a, b) => a - b;

/** The drives that have runs in a family, in the order of the report. */
function drivesOf(data) {
  return [...new Set(data.runs.drive)].sort(ascending);
}

const conditionOf = (data, run) => data.conditions[data.runs.condition[run]];

const isUnsettled = (data, run) => data.runs.unsettled?.includes(run) ?? false;

/** The mark behind a run that ended before garbage collection had settled, as in tables. */
const markOf = (data, run) => (isUnsettled(data, run) ? '*' : '');

/** The meaning of the mark, where a chart's data have it. */
const markKey = ({ rows }) => (rows.some((row) => row.some((cell) => /\*(,|$)/.test(cell)))
  ? '*: the run ended before garbage collection had settled; in the steady state the figure differs.'
  : '');

/** The name of a run in a chart where each step is alone. */
function runName(data, run, part) {
  return withPart(driveName(data.runs.drive[run]), conditionOf(data, run), part) + markOf(data, run);
}

/** Places of the runs of the shown drives, of one step where one is asked for. */
function runsShown(data, shown, step) {
  return data.runs.drive.flatMap((drive, run) =>
    (shown.has(drive) && (step === undefined || data.runs.step[run] === step) ? [run] : []));
}

/** The choice between steps, where there are several. */
function stepChoice(data, hasRun) {
  const steps = data.steps.flatMap((label, step) => (data.runs.step.some((of, run) => of === step && hasRun(run)) ? [[step, label]] : []));
  return steps.length > 1 ? [{ name: 'step', label: 'Step', options: steps }] : [];
}

const firstStep = (data, hasRun) => Math.min(...data.runs.step.filter((_, run) => hasRun(run)));
