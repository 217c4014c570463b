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

function panelsPlot({ key, series, states }) {
  const drawn = (data, context) => {
    const lines = courseLines(data, context);
    return [...new Set(lines.map((line) => line.drive))].map((drive) => ({ drive, lines: lines.filter((line) => line.drive === drive) }));
  };
  return {
    choices: (data) => stepChoice(data, hasCourse(data, 'rate')),
    drives: courseDrives,
    log: () => !states,
    title: () => 'IOPS',
    key: (data, context) => [key(data), courseKey(data, context)].filter(Boolean).join(' '),
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
      const last = Math.max(0, ...panels.flatMap((panel) => panel.lines.map((line) => line.points.at(-1)[0])));
      const share = width / columns;
      const place = (index) => ({
        left: (index % columns) * share + 46,
        width: share - 66,
        top: Math.floor(index / columns) * (PANEL_PX + PANEL_GAP_PX) + 30,
        height: PANEL_PX - 16,
      });
      return {
        grid: panels.map((_, index) => place(index)),
        xAxis: panels.map((_, index) => ({ ...timeAxis(look, last), gridIndex: index })),
        yAxis: panels.map(({ drive }, index) => ({
          ...valueAxis(look, { name: driveName(drive), unit: '', log, ...extent }),
          ...(log ? {} : { min: 0, max: roundUp(high) }),
          gridIndex: index,
          nameTextStyle: { color: look.ink, align: 'left', fontWeight: 600, padding: [0, 0, 0, -38], width: share - 24, overflow: 'truncate' },
        })),
        tooltip: states ? xyTooltip((x) => `at ${number(x)} s`, 'IOPS') : { trigger: 'item', formatter: ({ value, seriesName, color }) => tip(`at ${number(value[0])} s`, [[seriesName, quantity(value[2], 'IOPS'), color]]) },
        series: panels.flatMap(({ lines }, index) =>
          lines.map((line) => ({ ...series(line, context, extent.min), xAxisIndex: index, yAxisIndex: index }))),
      };
    },

    table: courseTable,
  };
}

const statesPlot = panelsPlot({
  key: (data) => data.conditions.map((condition, index) => `${['Solid', 'Dashed', 'Dotted'][index % 3]}: ${condition}.`).join(' '),
  states: true,
  series: (line, context, foot) => lineSeries(line, line.points, context, foot, {}),
});

/** A point an interval, also within stretches of one value, of which the page has the ends. */
function everyInterval({ points, every }) {
  return points.flatMap(([x, y], index) => {
    const [next, same] = points[index + 1] ?? [x, null];
    const count = same === y ? Math.max(1, Math.round((next - x) / every)) : 1;
    return Array.from({ length: count }, (_, step) => [Number((x + step * every).toPrecision(6)), y]);
  });
}

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
