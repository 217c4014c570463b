// A panel for each drive, with the same axes, or one for a real drive and its model together: how long single I/Os took, the course of a rate or of power, the
// consistency of rates as points, and the states of a drive.

const PANEL_PX = 210;
const PANEL_GAP_PX = 56;

/** As many columns as leave no panel alone in the last row. */
function panelColumns(width, panels, columnsMax = 3) {
  const most = Math.max(1, Math.min(panels, columnsMax, width >= 860 ? 3 : width >= NARROW_PX ? 2 : 1));
  return most > 2 && panels % most === 1 ? most - 1 : most;
}

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

/** The length of the longest run of each drive that is shown at first. */
function lengths(data) {
  const lines = courseLines(data, { shown: new Set(data.shown) });
  return [...new Set(lines.map((line) => line.drive))].map((drive) => lastOf(lines.filter((line) => line.drive === drive)));
}

/** The time axes to choose from, the better one first; nothing where runs are of one length. */
function spanChoice(data) {
  if (report.together) return [];
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

/** The part of each run that is shown. */
function linesInView(data, context) {
  const lines = courseLines(data, context);
  if ((context.view ?? 'whole') === 'whole') return lines;
  const settled = (line) => everyInterval(line).filter(([x]) => x >= SETTLED_FROM_S);
  return lines.map((line) => ({ ...line, points: settled(line) })).filter((line) => line.points.length > 0);
}

/** Lines by drive, in order; of a real drive and its model all in one. */
function panelsOf(lines) {
  if (report.together) return lines.length ? [{ drive: lines[0].drive, name: '', lines }] : [];
  return [...new Set(lines.map((line) => line.drive))].map((drive) => ({ drive, lines: lines.filter((line) => line.drive === drive) }));
}

/** A sentence for the keys of charts that have several panels. */
const SAME_AXES = report.together ? '' : 'All panels have the same axes.';

/** The height of a picture with a panel and a legend. */
const TOGETHER_PX = 360;

const panelsHeight = (count, width, columnsMax) => (report.together ? TOGETHER_PX : Math.ceil(count / panelColumns(width, count, columnsMax)) * (PANEL_PX + PANEL_GAP_PX));

/** The room for the labels of an axis, to the left of a panel. */
const LABELS_PX = 46;

/** The picture of panels: their axes, and a series a line. `axes` gives those of a panel, which is called as its drive
    unless it has a name. */
function panelsOption(panels, { look, width }, { axes, series, labelsPx = LABELS_PX, columnsMax }) {
  if (report.together) return togetherOption(panels, look, { axes, series });
  const columns = panelColumns(width, panels.length, columnsMax);
  const share = width / columns;
  const place = (index) => ({
    left: (index % columns) * share + labelsPx,
    width: share - labelsPx - 20,
    top: Math.floor(index / columns) * (PANEL_PX + PANEL_GAP_PX) + 30,
    height: PANEL_PX - 16,
  });
  const both = panels.map((panel) => axes(panel));
  return {
    grid: panels.map((_, index) => place(index)),
    xAxis: both.map(({ x }, index) => ({ ...x, gridIndex: index })),
    yAxis: both.map(({ y }, index) => ({
      ...y,
      name: panels[index].name ?? driveName(panels[index].drive) + (panels[index].lines.find(({ mark }) => mark)?.mark ?? ''),
      gridIndex: index,
      nameTextStyle: { color: look.ink, align: 'left', fontWeight: 600, padding: [0, 0, 0, 8 - labelsPx], width: share - 24, overflow: 'truncate' },
    })),
    series: panels.flatMap(({ lines }, index) => lines.map((line) => ({ ...series(line), xAxisIndex: index, yAxisIndex: index }))),
  };
}

/** The picture of a panel that has all lines, with their names below it. */
function togetherOption([panel], look, { axes, series }) {
  const { x, y } = axes(panel);
  return {
    grid: { left: 4, right: 24, top: 34, bottom: 44, containLabel: true },
    xAxis: x,
    yAxis: y,
    legend: legendOf(look, [...new Set(panel.lines.map((line) => line.name))]),
    series: panel.lines.map(series),
  };
}

/** Wide enough for `0.00001 %`, the least of shares. */
const SHARES_PX = 68;

const latencyPlot = {
  panels: true,
  choices: (data) => stepChoice(data, (run) => withShares(data).has(run)),
  drives: (data) => [...new Set([...withShares(data)].map((run) => data.runs.drive[run]))].sort(ascending),
  log: () => true,
  title: () => 'Share of I/Os',
  key: (data, context) => ['What share of all I/Os took about how long.', SAME_AXES, dashKey(latencyLines(data, context))].filter(Boolean).join(' '),
  height: (data, context, width) => panelsHeight(panelsOf(latencyLines(data, context)).length, width),

  option: (data, context) => {
    const { look, log } = context;
    const lines = latencyLines(data, context);
    const extent = yExtent(lines);
    const across = logExtent(lines.flatMap((line) => line.points.map((point) => point[0])));
    const axes = () => ({
      x: { ...valueAxis(look, { unit: 'ms', log: true, ...across }), splitNumber: 3, axisLine: { show: true, onZero: false, lineStyle: { color: look.strong } } },
      y: shareAxis(look, { log, ...extent }),
    });
    const series = (line) => lineSeries(line, closed(line.points), context, extent.min, { step: 'start', areaStyle: { color: look.drive(line.drive), opacity: 0.12, origin: 'start' } });
    return { ...panelsOption(panelsOf(lines), context, { axes, series, labelsPx: SHARES_PX }), tooltip: xyTooltip((x) => `up to ${latency(x)}`, '%') };
  },

  table: (data, context) => ({
    columns: ['Run', 'Latency up to (ms)', 'Share of I/Os (%)'],
    rows: latencyLines(data, context).flatMap((line) => line.points.map((point) => [line.name, ...point])),
  }),
};

/** The slider below the panels, which sets the time that all of them show. */
const ZOOM_PX = 40;

function zoomOf(panels, own, look) {
  const all = { xAxisIndex: panels.map((_, index) => index), filterMode: 'none' };
  return [
    { ...all, type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false },
    { ...all, type: 'slider', left: LABELS_PX, right: 20, bottom: 4, height: 20, showDataShadow: false, brushSelect: false, moveHandleSize: 0, borderColor: look.line, fillerColor: 'rgba(128,128,128,0.12)', handleSize: '90%', handleStyle: { color: look.raised, borderColor: look.strong }, textStyle: { color: look.soft }, labelFormatter: (value) => (own ? '' : `${number(value)} s`) },
  ];
}

/** The slider, and the room for it above the names of lines where the picture has them. */
function zoomed({ grid, legend }, panels, own, look) {
  const dataZoom = zoomOf(panels, own, look);
  if (!legend) return { dataZoom };
  const slider = dataZoom.at(-1);
  return { dataZoom: [...dataZoom.slice(0, -1), { ...slider, bottom: slider.bottom + LEGEND_ROW_PX }], grid: { ...grid, bottom: grid.bottom + ZOOM_PX } };
}

/** Courses over time, a panel a drive. `choices` are those beside step and time axis. */
function coursesPlot({ key = () => '', choices = () => [], isLog, zooms = false, series, tooltip }) {
  const drawn = (data, context) => panelsOf(linesInView(data, context));
  const course = ({ course: name = 'rate' }) => COURSES[name];
  const part = ({ view = 'whole' }) => (view === 'whole' ? '' : ' from 1,400 s on');
  return {
    panels: true,
    choices: (data) => [...stepChoice(data, hasCourse(data, 'rate')), ...choices(data), ...spanChoice(data)],
    drives: courseDrives,
    log: (_data, context) => isLog(context),
    title: (_data, context) => course(context).words + part(context),
    key: (data, context) => [key(data), dashKey(courseLines(data, context)), spanKey(data, context), courseKey(data, context)].filter(Boolean).join(' '),
    height: (data, context, width) => panelsHeight(drawn(data, context).length, width) + (zooms ? ZOOM_PX : 0),

    option: (data, context) => {
      const { look, log } = context;
      const { unit } = course(context);
      const panels = drawn(data, context);
      const lines = panels.flatMap((panel) => panel.lines);
      const extent = yExtent(lines);
      const top = roundUp(Math.max(0, ...lines.flatMap((line) => line.points.map((point) => point[1]))));
      const own = spanOf(data, context) === 'own';
      const from = (context.view ?? 'whole') === 'whole' ? 0 : SETTLED_FROM_S;
      const axes = (panel) => ({
        x: { ...timeAxis(look, lastOf(own ? panel.lines : lines)), min: from },
        // Ticks that end where the axis does.
        y: { ...valueAxis(look, { unit: unit === 'IOPS' ? '' : unit, log, ...extent }), ...(log ? {} : { min: 0, max: top, interval: top / (top.toPrecision(1).startsWith('2') ? 4 : 5) }) },
      });
      const picture = panelsOption(panels, context, { axes, series: (line) => series(line, context, extent.min) });
      return {
        ...picture,
        ...(zooms && panels.length ? zoomed(picture, panels, own && panels.length > 1, look) : {}),
        tooltip: tooltip(unit),
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
  const { words } = COURSES[context.course ?? 'rate'];
  if (spanOf(data, context) === 'shared') return SAME_AXES;
  const lasting = lengths(data);
  return `Each panel has a time axis of its own, as the runs last from ${number(Math.min(...lasting))} to ${number(Math.max(...lasting))} s; the axis of ${words === 'IOPS' ? words : words.toLowerCase()} is the same.`;
}

const courseSeries = (line, context, foot) => lineSeries(line, line.points, context, foot, {});
const courseTooltip = (unit) => xyTooltip((x) => `at ${number(x)} s`, unit);

const timePlot = coursesPlot({
  choices: courseChoice,
  isLog: ({ course }) => !['watts', 'celsius'].includes(course),
  zooms: true,
  series: courseSeries,
  tooltip: courseTooltip,
});

const statesPlot = coursesPlot({ isLog: () => false, series: courseSeries, tooltip: courseTooltip });

/** Points, on canvas: thousands of them would be as many elements. */
const scatterPlot = {
  ...coursesPlot({
    key: () => 'A point an interval: a band is even speed, a cloud is not. Higher is better.',
    choices: viewChoice,
    isLog: ({ view }) => view !== 'settled-linear',
    series: (line, { look, log }, foot) => ({
      name: line.name,
      type: 'scatter',
      symbolSize: 3.5,
      itemStyle: { color: look.drive(line.drive), opacity: 0.75 },
      data: everyInterval(line).map(([x, y]) => [x, onScale(y, log, foot), y]),
    }),
    tooltip: (unit) => ({ trigger: 'item', formatter: ({ value, seriesName, color }) => tip(`at ${number(value[0])} s`, [[seriesName, quantity(value[2], unit), color]]) }),
  }),
  renderer: 'canvas',
};
