// Lines of the events inside runs: how long single I/Os took, and the course of a rate or of power, a
// step of the family at a time; and the wear of blocks.

/** Zero has no place on a logarithmic scale; it is drawn at its foot, and the tooltip says zero. */
function onScale(value, log, foot) {
  return log && value <= 0 ? foot : value;
}

/** The extent of y, with a decade below the smallest value when there are zeros to show. */
function yExtent(lines) {
  const values = lines.flatMap((line) => line.points.map((point) => point[1]));
  const extent = logExtent(values);
  return values.some((value) => value <= 0) ? { ...extent, min: extent.min / 10 } : extent;
}

function lineSeries(line, points, { look, log }, foot, more) {
  const colour = look.drive(line.drive);
  return {
    name: line.name,
    type: 'line',
    data: points.map(([x, y]) => [x, onScale(y, log, foot), y]),
    showSymbol: false,
    symbol: shapeOf(line.drive),
    lineStyle: { color: colour, width: 1.75, type: dashOf(line.variant) },
    itemStyle: { color: colour },
    emphasis: { focus: 'series' },
    ...more,
  };
}

function xyTooltip(title, unit) {
  return {
    trigger: 'axis',
    formatter: (items) => tip(title(items[0].value[0]), items.map(({ seriesName, value, color }) => [seriesName, quantity(value[2], unit), color])),
  };
}

/** A tick as it is: rounded, two neighbours could look the same. */
const exactTick = (value) => Number(value.toPrecision(12)).toLocaleString('en-US', { maximumFractionDigits: 6 });

/** The axis of time ends with the longest line. No tick names that end: its label would overlap the last one. */
const timeAxis = (look, last) => ({
  ...valueAxis(look, { unit: '', log: false }),
  max: last,
  axisLabel: { color: look.soft, hideOverlap: true, showMaxLabel: false, formatter: (value) => `${exactTick(value)} s` },
  splitLine: { show: false },
  axisLine: { show: true, onZero: false, lineStyle: { color: look.strong } },
});

const withShares = (data) => new Set(data.traffic.flatMap((row) => (row.shares.length ? [row.run] : [])));

function latencyLines(data, { shown, step }) {
  const runs = new Set(runsShown(data, shown, step ?? firstStep(data, (run) => withShares(data).has(run))));
  return data.traffic.filter((row) => runs.has(row.run) && row.shares.length).map((row) => {
    const alone = data.traffic.filter((other) => other.run === row.run).length === 1;
    return {
      drive: data.runs.drive[row.run],
      variant: 2 * data.runs.condition[row.run] + (row.part === 'writes' && !alone ? 1 : 0),
      label: withPart(conditionOf(data, row.run), row.part),
      name: runName(data, row.run, alone ? '' : row.part),
      mark: markOf(data, row.run),
      points: row.shares,
      percentiles: row.percentiles ?? [],
    };
  });
}

/** The last bucket's right side. */
const closed = (points) => (points.length ? [...points, [points.at(-1)[0], 0]] : points);

const COURSES = {
  rate: { words: 'IOPS', unit: 'IOPS' },
  megabytes: { words: 'Data rate', unit: 'MB/s' },
  amplification: { words: 'Write amplification', unit: '×' },
  watts: { words: 'Power', unit: 'W' },
  celsius: { words: 'Temperature', unit: '°C' },
  ...Object.fromEntries(['reads', 'writes', 'flushes'].flatMap((part) =>
    ['p50', 'p99', 'p99.9'].map((percentile) =>
      [`${part}_${percentile.replace('.', '_')}`, { words: `Latency of ${part}, ${percentile}`, unit: 'ms' }]))),
};

// Drives without a thermal model have no temperature.
const hasCourse = (data, course) => (run) => data.series.some((series) => series.run === run && (series[course]?.values.length ?? 0) > 1);

/** (seconds, value). The page leaves out all points between two of the same value. */
function coursePoints(series, course) {
  const { values, at, every = series.every } = series[course];
  return values.map((value, index) => [Number(((at?.[index] ?? index) * every).toPrecision(6)), value]);
}

function courseLines(data, { shown, step, course = 'rate' }) {
  const runs = new Set(runsShown(data, shown, step ?? firstStep(data, hasCourse(data, course))));
  return data.series.filter((series) => runs.has(series.run) && (series[course]?.values.length ?? 0) > 1).map((series) => ({
    drive: data.runs.drive[series.run],
    variant: data.runs.condition[series.run],
    label: conditionOf(data, series.run),
    name: runName(data, series.run),
    mark: markOf(data, series.run),
    points: coursePoints(series, course),
    every: series[course].every ?? series.every,
    thinned: series[course].thinned === true,
  }));
}

function courseKey(data, context) {
  const lines = courseLines(data, context);
  return [
    lines.some((line) => line.thinned) && 'Long runs are thinned to the lowest and highest interval of each stretch.',
    lines.some((line) => line.points.some((point) => point[1] === 0)) && 'A stop (0 IOPS) stands at the foot of the log scale.',
  ].filter(Boolean).join(' ');
}

/** A point an interval, also within stretches of one value, of which the page has the ends; of a course that
    is thinned the points that are left, as what lay between them is not known. */
function everyInterval({ points, every, thinned }) {
  if (thinned) return points;
  return points.flatMap(([x, y], index) => {
    const [next, same] = points[index + 1] ?? [x, null];
    const count = same === y ? Math.max(1, Math.round((next - x) / every)) : 1;
    return Array.from({ length: count }, (_, step) => [Number((x + step * every).toPrecision(6)), y]);
  });
}

function courseTable(data, context) {
  const lines = courseLines(data, context);
  const { words, unit } = COURSES[context.course ?? 'rate'];
  return {
    columns: ['Run', 'Time (s)', `${words} (${unit})`],
    rows: lines.flatMap((line) => everyInterval(line).map((point) => [line.name, ...point])),
    note: lines.some((line) => line.thinned)
      ? 'of long runs the lowest and highest interval of each stretch'
      : 'every interval',
  };
}

const courseDrives = (data) => [...new Set(data.series.map((series) => data.runs.drive[series.run]))].sort(ascending);

/** The courses that the runs of a family have, where there are several. */
function courseChoice(data) {
  const options = Object.entries(COURSES).filter(([name]) => data.series.some((series) => (series[name]?.values.length ?? 0) > 1));
  return options.length > 1 ? [{ name: 'course', label: 'Measure', options: options.map(([name, { words }]) => [name, words]) }] : [];
}

const wearRuns = (data) => new Set(data.wear.map(({ run }) => run));

/** One line a drive, also where several tests of the family looked at the same wear. */
function wearLines(data, { shown }) {
  const first = firstStep(data, (run) => wearRuns(data).has(run));
  const runs = new Set(runsShown(data, shown, first));
  return data.wear.filter(({ run }) => runs.has(run)).map(({ run, blocks }) => ({
    drive: data.runs.drive[run],
    variant: 0,
    name: driveName(data.runs.drive[run]),
    points: blocks,
  }));
}

/** The outline of a histogram whose bars stand at their middles; between bars that do not touch it is down. */
function outline(points) {
  const gaps = points.slice(1).map(([x], index) => x - points[index][0]);
  const half = gaps.length ? Math.min(...gaps) / 2 : 0.5;
  return points.flatMap(([x, y], index) => {
    const [from, to] = [Math.max(0, x - half), x + half];
    const touches = index > 0 && x - points[index - 1][0] < 2.5 * half;
    const ends = !(points[index + 1]?.[0] - x < 2.5 * half);
    return [...(touches ? [] : [[from, 0]]), [from, y], [to, y], ...(ends ? [[to, 0]] : [])];
  });
}

const wearPlot = {
  choices: () => [],
  drives: (data) => [...new Set([...wearRuns(data)].map((run) => data.runs.drive[run]))].sort(ascending),
  log: () => false,
  title: () => 'Share of blocks',
  key: () => 'How far blocks are worn, against the cycles they are rated for: a narrow peak is even wear, a tail wears out first.',
  height: () => 340,

  option: (data, context) => {
    const { look, log } = context;
    const lines = wearLines(data, context);
    const extent = yExtent(lines);
    return {
      grid: { left: 4, right: 24, top: 34, bottom: 60, containLabel: true },
      xAxis: { ...valueAxis(look, { unit: '', log: false }), ...nameBelow(look, 'P/E cycles, in percent of the rated ones'), splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: look.strong } }, min: 0, max: 'dataMax', axisLabel: { color: look.soft, hideOverlap: true, showMaxLabel: false, formatter: (value) => `${exactTick(value)} %` } },
      yAxis: { ...shareAxis(look, { name: 'Share of blocks', log, ...extent }), nameTextStyle: { color: look.soft, align: 'left' } },
      legend: legendOf(look, lines.map((line) => line.name)),
      tooltip: xyTooltip((x) => `${number(x)} % of the rated cycles`, '%'),
      series: lines.map((line) => lineSeries(line, outline(line.points), context, extent.min, { areaStyle: { color: look.drive(line.drive), opacity: 0.12, origin: 'start' } })),
    };
  },

  table: (data, context) => ({
    columns: ['Drive', 'P/E cycles (% of rated)', 'Share of blocks (%)'],
    rows: wearLines(data, context).flatMap((line) => line.points.map((point) => [line.name, ...point])),
  }),
};
