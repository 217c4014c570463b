// The plots of SNIA's specification: convergence to the steady state, the measurement window, the matrix of
// sizes and mixes – each of one run – and courses over what was written.

/** One run at a time: the reader chooses which. */
function ptsRunChoice(data, has) {
  const runs = data.pts.filter(has);
  // A menu cuts long lines, so their differences come first.
  const drives = ptsDrives(data);
  const label = ({ run }) => [data.steps[data.runs.step[run]], drives.length > 1 && driveName(data.runs.drive[run])].filter(Boolean).join(', ');
  return runs.length > 1 ? [{ name: 'run', label: 'Run', options: runs.map((pts) => [pts.run, label(pts)]) }] : [];
}

const ptsRun = (data, { run }, has) => data.pts.find((pts) => has(pts) && (run === undefined || pts.run === run)) ?? data.pts.find(has);

const ptsDrives = (data) => [...new Set(data.pts.map(({ run }) => data.runs.drive[run]))].sort(ascending);

const hasRounds = ({ rounds }) => rounds.length > 0;
const hasTracking = ({ tracking }) => tracking.length > 0;
const hasMatrix = ({ matrices }) => matrices.length > 0;
const hasCourses = ({ courses }) => courses.length > 0;

const axisName = (words, unit) => (unit && unit !== words && unit !== 'ms' ? `${words}, ${unit}` : words);

const paletteOf = (look, index) => look.palette[index % look.palette.length];

/** A y axis and a grid with room for a legend below. The axis begins at zero, or what hardly changes would look
    as if it did; `near` the values, where it is they that matter. */
function ptsFrame(look, { words, unit, log, values, near = false }) {
  return {
    grid: { left: 4, right: 20, top: 34, bottom: 40, containLabel: true },
    yAxis: { ...valueAxis(look, { name: axisName(words, unit), unit, log, ...logExtent(values) }), scale: near && !log, nameTextStyle: { color: look.soft, align: 'left' } },
  };
}

function ptsTooltip(title, unit) {
  return {
    trigger: 'axis',
    formatter: (items) => tip(title(items[0]), items.filter(({ value }) => value !== null && value !== undefined).map(({ seriesName, value, color }) => [seriesName, quantity(Array.isArray(value) ? value[1] : value, unit), color])),
  };
}

const windowWords = (pts) => {
  const [first, reached] = pts.window;
  const last = pts.rounds[0].values.length;
  return `${reached ? `Steady at round ${last}` : `NOT steady by round ${last}`}; measurement window: rounds ${first} to ${last}.`;
};

const ptsRoundsPlot = {
  single: true,
  choices: (data) => ptsRunChoice(data, hasRounds),
  drives: ptsDrives,
  log: (data, context) => {
    const values = ptsRun(data, context, hasRounds).rounds.flatMap((line) => line.values).filter((value) => value > 0);
    return Math.max(...values) > LOG_ABOVE_RATIO * Math.min(...values);
  },
  title: (data, context) => ptsRun(data, context, hasRounds).words,
  key: (data, context) => windowWords(ptsRun(data, context, hasRounds)),
  height: () => 380,

  option: (data, context) => {
    const { look, log } = context;
    const pts = ptsRun(data, context, hasRounds);
    const last = pts.rounds[0].values.length;
    const label = { show: false };
    return {
      ...ptsFrame(look, { ...pts, log, values: pts.rounds.flatMap((line) => line.values) }),
      xAxis: categoryAxis(look, Array.from({ length: last }, (_, index) => String(index + 1)), { axisLabel: { color: look.ink, hideOverlap: true } }),
      legend: legendOf(look, pts.rounds.map((line) => line.name)),
      tooltip: ptsTooltip(({ name }) => `round ${name}`, pts.unit),
      series: pts.rounds.map((line, index) => ({
        name: line.name,
        type: 'line',
        data: line.values.map((value) => (log && value <= 0 ? null : value)),
        symbol: shapeOf(index),
        symbolSize: 6,
        lineStyle: { color: paletteOf(look, index), width: 2 },
        itemStyle: { color: paletteOf(look, index) },
        emphasis: { focus: 'series' },
        markLine: index > 0 ? undefined : {
          silent: true,
          symbol: 'none',
          lineStyle: { color: look.strong, type: 'dashed' },
          data: [{ xAxis: pts.window[0] - 1, label }, { xAxis: last - 1, label }],
        },
      })),
    };
  },

  table: (data, context) => {
    const pts = ptsRun(data, context, hasRounds);
    return {
      columns: ['Access', 'Round', axisName(pts.words, pts.unit)],
      rows: pts.rounds.flatMap((line) => line.values.map((value, index) => [line.name, index + 1, value])),
    };
  },
};

/** The variable that is shown, and the lines that the rule draws around it. */
function windowLines(data, context) {
  const pts = ptsRun(data, context, hasTracking);
  const variable = pts.tracking[context.variable ?? 0] ?? pts.tracking[0];
  const { values, mean, line: [from, to] } = variable;
  const each = (of) => values.map((_, index) => of(index / Math.max(1, values.length - 1)));
  return {
    pts,
    variable,
    lines: [
      { name: variable.name, values, type: 'solid', symbol: 'circle' },
      { name: 'average', values: each(() => mean), type: 'solid' },
      { name: '110 % of the average', values: each(() => 1.1 * mean), type: 'dashed' },
      { name: '90 % of the average', values: each(() => 0.9 * mean), type: 'dashed' },
      { name: 'least squares', values: each((share) => from + share * (to - from)), type: 'dotted' },
    ],
  };
}

const ptsWindowPlot = {
  single: true,
  choices: (data) => {
    const most = Math.max(...data.pts.map(({ tracking }) => tracking.length));
    const names = data.pts.find(({ tracking }) => tracking.length === most).tracking.map(({ name }) => name);
    // The choice of a run names the sizes of steps.
    const short = (name) => (data.steps.length > 1 ? name.split(', ')[1] : name);
    return [
      ...ptsRunChoice(data, hasTracking),
      ...(most > 1 ? [{ name: 'variable', label: 'Tracking variable', options: names.map((name, index) => [index, short(name)]) }] : []),
    ];
  },
  drives: ptsDrives,
  log: () => false,
  title: (data, context) => windowLines(data, context).variable.name,
  key: (data, context) => windowWords(windowLines(data, context).pts),
  height: () => 340,

  option: (data, context) => {
    const { look, log } = context;
    const { pts, variable, lines } = windowLines(data, context);
    const [first] = pts.window;
    return {
      ...ptsFrame(look, { words: pts.words, unit: variable.unit, log, near: true, values: lines.flatMap((line) => line.values) }),
      xAxis: categoryAxis(look, variable.values.map((_, index) => String(first + index))),
      legend: legendOf(look, lines.map((line) => line.name)),
      tooltip: ptsTooltip(({ name }) => `round ${name}`, variable.unit),
      series: lines.map((line, index) => ({
        name: line.name,
        type: 'line',
        data: line.values,
        symbol: line.symbol ?? 'none',
        symbolSize: 8,
        lineStyle: { color: paletteOf(look, index === 3 ? 2 : index), width: 2, type: line.type },
        itemStyle: { color: paletteOf(look, index === 3 ? 2 : index) },
      })),
    };
  },

  table: (data, context) => {
    const { pts, variable, lines } = windowLines(data, context);
    return {
      columns: ['Round', ...lines.map((line) => `${line.name} (${variable.unit})`)],
      rows: variable.values.map((_, index) => [pts.window[0] + index, ...lines.map((line) => line.values[index])]),
    };
  },
};

/** Few bars do not take all of the width. */
const BAR_WIDTH_MAX_PX = 72;

function matrixOf(data, context) {
  const pts = ptsRun(data, context, hasMatrix);
  return pts.matrices[context.measure ?? 0] ?? pts.matrices[0];
}

const ptsMatrixPlot = {
  single: true,
  choices: (data) => {
    const { matrices } = data.pts.find(hasMatrix);
    return [
      ...ptsRunChoice(data, hasMatrix),
      ...(matrices.length > 1 ? [{ name: 'measure', label: 'Measure', options: matrices.map(({ words }, index) => [index, words]) }] : []),
    ];
  },
  drives: ptsDrives,
  log: (data, context) => {
    const values = matrixOf(data, context).values.flat().filter((value) => value > 0);
    return Math.max(...values) > LOG_ABOVE_RATIO * Math.min(...values);
  },
  title: (data, context) => matrixOf(data, context).words,
  key: (_data, { log }) => `A ${log ? 'dot' : 'bar'} a mix of reads and writes (R/W, in percent).`,
  height: () => 400,

  option: (data, context) => {
    const { look, log } = context;
    const matrix = matrixOf(data, context);
    return {
      ...ptsFrame(look, { ...matrix, log, values: matrix.values.flat() }),
      xAxis: categoryAxis(look, matrix.blocks, { axisLabel: { color: look.ink, hideOverlap: true } }),
      legend: legendOf(look, matrix.mixes),
      tooltip: ptsTooltip(({ name }) => name, matrix.unit),
      series: matrix.mixes.map((name, index) => ({
        name,
        // A log axis has no zero for bars to start from.
        type: log ? 'scatter' : 'bar',
        symbolSize: 9,
        data: matrix.values[index],
        barGap: '5%',
        barMaxWidth: BAR_WIDTH_MAX_PX,
        itemStyle: { color: paletteOf(look, index) },
        emphasis: { focus: 'series' },
      })),
    };
  },

  table: (data, context) => {
    const matrix = matrixOf(data, context);
    return {
      columns: ['Block size', ...matrix.mixes.map((mix) => `${mix} (${matrix.unit})`)],
      rows: matrix.blocks.map((block, index) => [block, ...matrix.values.map((row) => row[index])]),
    };
  },
};

const COURSE_AXES = [{ words: 'Capacities written', unit: '' }, { words: 'Time', unit: 's' }];

function ptsCourseLines(data, { shown }) {
  const runs = data.pts.filter(({ run }) => shown.has(data.runs.drive[run]));
  const alone = new Set(runs.map(({ run }) => data.runs.drive[run])).size === 1;
  // The courses of a drive that is alone say enough.
  const name = (pts, course) => {
    const drive = driveName(data.runs.drive[pts.run]);
    if (pts.courses.length < 2) return drive;
    return alone ? course.name : withPart(drive, course.name);
  };
  return runs.flatMap((pts) => pts.courses.map((course, index) => ({
    drive: data.runs.drive[pts.run],
    variant: index,
    name: name(pts, course),
    points: course.points,
    pts,
  })));
}

/** Measures that begin in a steady state are drawn over time at first: the amount written differs from drive to drive. */
const axisOf = (data, { axis }) => axis ?? (data.pts.some(hasRounds) ? 1 : 0);

const ptsCoursePlot = {
  choices: (data) => {
    const first = axisOf(data, {});
    return [{ name: 'axis', label: 'Over', options: [first, 1 - first].map((index) => [index, COURSE_AXES[index].words]) }];
  },
  drives: (data) => ptsDrives({ ...data, pts: data.pts.filter(hasCourses) }),
  log: () => false,
  title: (data) => data.pts.find(hasCourses).words,
  key: () => 'A point a sample.',
  height: () => 400,

  option: (data, context) => {
    const { look, log } = context;
    const axis = axisOf(data, context);
    const { words, unit } = COURSE_AXES[axis];
    const lines = ptsCourseLines(data, context);
    const frame = data.pts.find(hasCourses);
    const last = Math.max(0, ...lines.map((line) => line.points.at(-1)?.[axis] ?? 0));
    const alone = new Set(lines.map((line) => line.drive)).size === 1;
    const { grid, yAxis } = ptsFrame(look, { ...frame, log, values: lines.flatMap((line) => line.points.map((point) => point[2])) });
    return {
      grid,
      yAxis,
      xAxis: { ...timeAxis(look, last), axisLabel: { color: look.soft, hideOverlap: true, formatter: (value) => (unit ? `${number(value)} ${unit}` : `${number(value)}×`) } },
      legend: legendOf(look, lines.map((line) => line.name)),
      tooltip: ptsTooltip(({ value }) => `${words}: ${number(value[0])} ${unit}`, frame.unit),
      series: lines.map((line) => {
        const colour = alone ? paletteOf(look, line.variant) : look.drive(line.drive);
        return {
          name: line.name,
          type: 'line',
          data: line.points.map((point) => [point[axis], log && point[2] <= 0 ? null : point[2]]),
          showSymbol: line.points.length < 60,
          symbol: shapeOf(line.drive),
          symbolSize: 5,
          lineStyle: { color: colour, width: 1.75, type: alone ? 'solid' : dashOf(line.variant) },
          itemStyle: { color: colour },
          emphasis: { focus: 'series' },
        };
      }),
    };
  },

  table: (data, context) => {
    const { words, unit } = data.pts.find(hasCourses);
    return {
      columns: ['Run', 'Capacities written', 'Time (s)', axisName(words, unit)],
      rows: ptsCourseLines(data, context).flatMap((line) => line.points.map((point) => [line.name, ...point])),
    };
  },
};
