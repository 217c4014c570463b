// The temperature of drives beside their speed: two panels for each drive, with the temperatures at which they slow down.

const runsWarmed = (data) => new Set(data.series.filter(({ celsius }) => celsius?.values.length > 1).map(({ run }) => run));

/** Where a drive is slowed down: (from, to) in seconds, and how many steps hold. */
function throttledSpans({ every, throttle }) {
  const points = throttle ? coursePoints({ every, throttle }, 'throttle') : [];
  // A value is that of the end of an interval, and holds until the next one in the data.
  const spans = points.map(([x, steps], index) => [x, points[index + 1]?.[0] ?? x + every, steps]);
  return spans.filter(([, , steps]) => steps > 0);
}

const within = (spans, x) => spans.find(([from, to]) => x >= from && x < to)?.[2] ?? 0;

/** The temperatures from which on a drive slows down, by its file. */
const limitsOf = (data, drive) => (data.limits ?? []).filter((limit) => limit.drive === drive);

function warmthRuns(data, { shown, step }) {
  const warmed = runsWarmed(data);
  const runs = new Set(runsShown(data, shown, step ?? firstStep(data, (run) => warmed.has(run))));
  return data.series.filter(({ run }) => runs.has(run) && warmed.has(run)).map((series) => {
    const drive = data.runs.drive[series.run];
    const line = { drive, variant: data.runs.condition[series.run], label: conditionOf(data, series.run), name: runName(data, series.run), every: series.every };
    return { ...line, speed: coursePoints(series, 'megabytes'), celsius: coursePoints(series, 'celsius'), spans: throttledSpans(series), thinned: series.celsius.thinned === true };
  });
}

/** Speed and temperature of each drive, one beside the other. */
function warmthPanels(data, context) {
  return panelsOf(warmthRuns(data, context)).flatMap(({ drive, lines }) => [
    { drive, name: `${driveName(drive)}, MB/s`, lines: lines.map((line) => ({ ...line, points: line.speed, unit: 'MB/s' })) },
    { drive, name: `${driveName(drive)}, °C`, lines: lines.map((line) => ({ ...line, points: line.celsius, unit: '°C' })), limits: limitsOf(data, drive) },
  ]);
}

const STEP_WIDTHS = { 1: 3, 2: 5 };

/** The parts of a line while `steps` of slowing down hold, parted by points without a value. */
function partsOf({ points, spans }, steps) {
  return points.flatMap(([x, y], index) => {
    if (within(spans, x) !== steps) return [];
    const last = within(spans, points[index + 1]?.[0]) !== steps;
    return last ? [[x, y, y], [x, null, null]] : [[x, y, y]];
  });
}

const warmthPlot = {
  panels: true,
  choices: (data) => stepChoice(data, (run) => runsWarmed(data).has(run)),
  drives: (data) => [...new Set([...runsWarmed(data)].map((run) => data.runs.drive[run]))].sort(ascending),
  log: () => false,
  title: () => 'Temperature',
  key: (data, context) => {
    const lines = warmthRuns(data, context);
    const steps = new Set(lines.flatMap(({ spans }) => spans.map((span) => span[2])));
    return [
      'Left the speed, right the temperature of the same run.',
      steps.has(1) && 'Thick: the drive slows down for its temperature.',
      steps.has(2) && 'Very thick: it does so heavily.',
      data.limits?.length > 0 && 'Dashed: where the drive file says it begins to.',
      dashKey(lines),
    ].filter(Boolean).join(' ');
  },
  height: (data, context, width) => panelsHeight(warmthPanels(data, context).length, width, 2),

  option: (data, context) => {
    const { look, log } = context;
    const panels = warmthPanels(data, context);
    const axes = (panel) => {
      const limits = (panel.limits ?? []).map(({ celsius }) => celsius);
      const values = panel.lines.flatMap((line) => line.points.map((point) => point[1]));
      const highest = Math.max(...values, 0);
      // A limit far above the drive's highest temperature would press its line to the foot.
      const near = limits.filter((celsius) => celsius < highest + 15);
      const foot = panel.limits ? 10 * Math.floor(Math.min(...values) / 10) : 0;
      return {
        x: timeAxis(look, lastOf(panel.lines)),
        y: { ...valueAxis(look, { unit: '', log, ...yExtent(panel.lines) }), ...(log ? {} : { min: foot, max: panel.limits ? 5 * Math.ceil((Math.max(highest, ...near) + 1) / 5) : null }) },
      };
    };
    const series = (line) => {
      const colour = look.drive(line.drive);
      if (!line.steps) {
        const limits = line.unit === '°C' ? limitsOf(data, line.drive) : [];
        return lineSeries(line, line.points, context, yExtent([line]).min, {
          markLine: {
            silent: true,
            symbol: 'none',
            lineStyle: { color: look.strong, type: 'dashed' },
            data: limits.map(({ celsius, words }) => ({ yAxis: celsius, label: { show: true, position: 'insideStartTop', formatter: `${words}, ${number(celsius)} °C`, color: look.soft } })),
          },
        });
      }
      return {
        name: line.name,
        type: 'line',
        silent: true,
        showSymbol: true,
        symbolSize: 0.1,
        z: 5,
        lineStyle: { color: colour, width: STEP_WIDTHS[line.steps] },
        itemStyle: { color: colour },
        data: partsOf(line, line.steps),
        tooltip: { show: false },
      };
    };
    const drawn = panels.map((panel) => ({
      ...panel,
      lines: panel.lines.flatMap((line) => [line, ...[1, 2].map((steps) => ({ ...line, steps }))]),
    }));
    // The thick line is explained once.
    const told = (items) => items.filter(({ seriesIndex }) => seriesIndex % 3 === 0);
    const unitOf = (index) => drawn.flatMap(({ lines }) => lines)[index].unit;
    return {
      ...panelsOption(drawn, context, { axes, series, columnsMax: 2 }),
      tooltip: {
        trigger: 'axis',
        formatter: (items) => tip(`at ${number(items[0].value[0])} s`, told(items).map(({ seriesName, seriesIndex, value, color }) => [seriesName, quantity(value[2], unitOf(seriesIndex)), color])),
      },
    };
  },

  table: (data, context) => {
    const lines = warmthRuns(data, context);
    return {
      columns: ['Run', 'Time (s)', 'Temperature (°C)', 'Steps of throttling'],
      rows: lines.flatMap((line) => everyInterval({ ...line, points: line.celsius }).map(([x, y]) => [line.name, x, y, within(line.spans, x)])),
      note: lines.some((line) => line.thinned)
        ? 'of long runs the lowest and highest interval of each stretch'
        : 'every interval',
    };
  },
};
