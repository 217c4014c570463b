// A panel a drive over the same axes: the consistency of rates as points, and the states of a
// drive as lines.

const PANEL_PX = 210;
const PANEL_GAP_PX = 56;

const panelColumns = (width, panels) => Math.max(1, Math.min(panels, width >= 860 ? 3 : width >= NARROW_PX ? 2 : 1));

/** The next of 1, 2, 5, 10, … */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return power * [1, 2, 5, 10].find((step) => step * power >= value);
}

/** Where the review of the test begins a second view of a run of 2,000 s: what is left once it has settled. */
const SETTLED_FROM_S = 1400;
const VIEWS = [['whole', 'Whole run'], ['settled', 'From 1,400 s'], ['settled-linear', 'From 1,400 s, linear']];

/** A run that is so much shorter than another is a sliver on their common axis of time. */
const SLIVER_RATIO = 10;
const SPANS = { shared: 'One time axis for all', own: 'A time axis each' };

const lastOf = (lines) => Math.max(0, ...lines.map((line) => line.points.at(-1)?.[0] ?? 0));

/** Of each drive that is shown at first, how long its longest run is. */
function lengths(data) {
  const lines = courseLines(data, { shown: new Set(data.shown) });
  return [...new Set(lines.map((line) => line.drive))].map((drive) => lastOf(lines.filter((line) => line.drive === drive)));
}

/** The time axes to choose from, the better one first; nothing where runs are of one length. */
function spanChoice(data) {
  const [short, long] = [Math.min(...lengths(data)), Math.max(...lengths(data))];
  if (!(long > 1.5 * short)) return [];
  const order = long > SLIVER_RATIO * short ? ['own', 'shared'] : ['shared', 'own'];
  return [{ name: 'span', label: 'Time axis', options: order.map((span) => [span, SPANS[span]]) }];
}

const spanOf = (data, { span }) => span ?? spanChoice(data)[0]?.options[0][0] ?? 'shared';

function viewChoice(data) {
  const lasts = data.series.some(({ every, rate }) => ((rate.at ?? rate.values.map((_, index) => index)).at(-1) ?? 0) * every > SETTLED_FROM_S);
  return lasts ? [{ name: 'view', label: 'Part', options: VIEWS }] : [];
}

/** The part of each run that is looked at. */
function linesInView(data, context) {
  const lines = courseLines(data, context);
  if ((context.view ?? 'whole') === 'whole') return lines;
  const settled = (line) => everyInterval(line).filter(([x]) => x >= SETTLED_FROM_S);
  return lines.map((line) => ({ ...line, points: settled(line) })).filter((line) => line.points.length > 0);
}

function panelsPlot({ key, series, states }) {
  const drawn = (data, context) => {
    const lines = linesInView(data, context);
    return [...new Set(lines.map((line) => line.drive))].map((drive) => ({ drive, lines: lines.filter((line) => line.drive === drive) }));
  };
  return {
    choices: (data) => [...stepChoice(data, hasCourse(data, 'rate')), ...(states ? [] : viewChoice(data)), ...spanChoice(data)],
    drives: courseDrives,
    log: (_data, { view }) => !states && view !== 'settled-linear',
    title: (_data, { view = 'whole' }) => (view === 'whole' ? 'IOPS' : 'IOPS from 1,400 s on'),
    key: (data, context) => [key(data), spanKey(data, context), courseKey(data, context)].filter(Boolean).join(' '),
    height: (data, context, width) => {
      const panels = drawn(data, context).length;
      return Math.ceil(panels / panelColumns(width, panels)) * (PANEL_PX + PANEL_GAP_PX);
    },

    option: (data, context) => {
      const { look, log, width } = context;
      const panels = drawn(data, context);
      const columns = panelColumns(width, panels.length);
      const extent = yExtent(panels.flatMap((panel) => panel.lines));
      const high = Math.max(0, ...panels.flatMap((panel) => panel.lines.flatMap((line) => line.points.map((point) => point[1]))));
      const own = spanOf(data, context) === 'own';
      const last = lastOf(panels.flatMap((panel) => panel.lines));
      const from = (context.view ?? 'whole') === 'whole' ? 0 : SETTLED_FROM_S;
      const top = roundUp(high);
      const share = width / columns;
      const place = (index) => ({
        left: (index % columns) * share + 46,
        width: share - 66,
        top: Math.floor(index / columns) * (PANEL_PX + PANEL_GAP_PX) + 30,
        height: PANEL_PX - 16,
      });
      return {
        grid: panels.map((_, index) => place(index)),
        xAxis: panels.map(({ lines }, index) => ({ ...timeAxis(look, own ? lastOf(lines) : last), min: from, gridIndex: index })),
        yAxis: panels.map(({ drive }, index) => ({
          ...valueAxis(look, { name: driveName(drive), unit: '', log, ...extent }),
          // Ticks that end where the axis does.
          ...(log ? {} : { min: 0, max: top, interval: top / (top.toPrecision(1).startsWith('2') ? 4 : 5) }),
          gridIndex: index,
          nameTextStyle: { color: look.ink, align: 'left', fontWeight: 600, padding: [0, 0, 0, -38], width: share - 24, overflow: 'truncate' },
        })),
        tooltip: states ? xyTooltip((x) => `at ${number(x)} s`, 'IOPS') : { trigger: 'item', formatter: ({ value, seriesName, color }) => tip(`at ${number(value[0])} s`, [[seriesName, quantity(value[2], 'IOPS'), color]]) },
        series: panels.flatMap(({ lines }, index) =>
          lines.map((line) => ({ ...series(line, context, extent.min), xAxisIndex: index, yAxisIndex: index }))),
      };
    },

    table: (data, context) => {
      const { columns, rows, note } = courseTable(data, context);
      if ((context.view ?? 'whole') === 'whole') return { columns, rows, note };
      return { columns, rows: rows.filter(([, at]) => at >= SETTLED_FROM_S), note };
    },
  };
}

/** Whether panels can be compared along their axes of time. */
function spanKey(data, context) {
  if (spanOf(data, context) === 'shared') return 'All panels have the same axes.';
  const lasting = lengths(data);
  return `Each panel has a time axis of its own, as the runs last from ${number(Math.min(...lasting))} to ${number(Math.max(...lasting))} s; that of IOPS is the same.`;
}

const statesPlot = panelsPlot({
  key: (data) => data.conditions.map((condition, index) => `${['Solid', 'Dashed', 'Dotted'][index % 3]}: ${condition}.`).join(' '),
  states: true,
  series: (line, context, foot) => lineSeries(line, line.points, context, foot, {}),
});

/** Points, on canvas: thousands of them would be as many elements. */
const scatterPlot = {
  ...panelsPlot({
    key: () => 'A point an interval: a band is even speed, a cloud is not. Higher is better.',
    states: false,
    series: (line, { look, log }, foot) => ({
      name: line.name,
      type: 'scatter',
      symbolSize: 3.5,
      itemStyle: { color: look.drive(line.drive), opacity: 0.75 },
      data: everyInterval(line).map(([x, y]) => [x, onScale(y, log, foot), y]),
    }),
  }),
  renderer: 'canvas',
};
