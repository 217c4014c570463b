// Charts of what happened inside runs: latency distributions and IOPS over time, one step of a
// family at a time.

/** Zero has no place on a logarithmic scale; it is drawn at its foot, and the tooltip says zero. */
function onScale(value, log, foot) {
  return log && value <= 0 ? foot : value;
}

function pickedLines(spec, pick) {
  return spec.picks.find(({ label }) => label === pick)?.lines ?? [];
}

/** The extent of y, with a decade below the smallest value when there are zeros to show. */
function yExtent(lines) {
  const values = lines.flatMap((line) => line.points.map((point) => point[1]));
  const extent = logExtent(values);
  return values.some((value) => value <= 0) ? { ...extent, min: extent.min / 10 } : extent;
}

function lineSeries(line, points, { look, log, names }, foot, more) {
  const colour = look.drive(line.drive);
  return {
    name: withPart(names[line.drive], line.part),
    type: 'line',
    data: points.map(([x, y]) => [x, onScale(y, log, foot), y]),
    showSymbol: false,
    symbol: shapeOf(line.drive),
    lineStyle: { color: colour, width: 1.75, type: dashOf(line.drive, line.part === 'writes' ? 1 : 0) },
    itemStyle: { color: colour },
    emphasis: { focus: 'series' },
    ...more,
  };
}

function xyTooltip(title, unit) {
  return {
    trigger: 'axis',
    formatter: (items) =>
      tip(title(items[0].value[0]), items.map(({ seriesName, value, color }) => [seriesName, quantity(value[2], unit), color])),
  };
}

function pickTable(spec, names, x, y) {
  return {
    columns: ['Step', 'Drive', 'Part', x, y],
    rows: spec.picks.flatMap(({ label, lines }) =>
      lines.flatMap((line) => line.points.map((point) => [label, names[line.drive], line.part, ...point]))),
  };
}

/** The last bucket's right side. */
function closed(points) {
  return points.length ? [...points, [points.at(-1)[0], 0]] : points;
}

const histogramPlot = {
  key: () => 'How many of all I/Os took about so long; what lies to the right is what one waits for.',

  height: () => 340,

  option: (spec, context) => {
    const { look, log, names, pick } = context;
    const lines = pickedLines(spec, pick);
    const extent = yExtent(lines);
    const xs = lines.flatMap((line) => line.points.map((point) => point[0]));
    return {
      grid: { left: 4, right: 20, top: 34, bottom: 40, containLabel: true },
      xAxis: { ...valueAxis(look, { unit: 'ms', log: true, ...logExtent(xs) }), axisLine: { show: true, onZero: false, lineStyle: { color: look.strong } } },
      yAxis: { ...valueAxis(look, { name: spec.axis, unit: '', log, ...extent }), nameTextStyle: { color: look.soft, align: 'left' }, axisLabel: { color: look.soft, formatter: (value) => `${tick(value, '')} %` } },
      legend: legendOf(look, lines.map((line) => withPart(names[line.drive], line.part))),
      tooltip: xyTooltip((x) => `up to ${latency(x)}`, spec.unit),
      series: lines.map((line) => lineSeries(line, closed(line.points), context, extent.min, { step: 'start', areaStyle: { color: look.drive(line.drive), opacity: 0.1, origin: 'start' } })),
    };
  },

  table: (spec, names) => pickTable(spec, names, 'Latency up to (ms)', 'Share of I/Os (%)'),
};

const timelinePlot = {
  key: (spec) =>
    spec.picks.some(({ lines }) => lines.some((line) => line.points.some((point) => point[1] === 0)))
      ? 'Long runs are thinned to their lowest and highest intervals. A stop (0 IOPS) stands at the foot of the log scale.'
      : 'Long runs are thinned to their lowest and highest intervals.',

  height: () => 380,

  option: (spec, context) => {
    const { look, log, names, pick } = context;
    const lines = pickedLines(spec, pick);
    const extent = yExtent(lines);
    const last = Math.max(0, ...lines.map((line) => line.points.at(-1)[0]));
    return {
      grid: { left: 4, right: 20, top: 34, bottom: 84, containLabel: true },
      xAxis: { ...valueAxis(look, { unit: '', log: false }), max: last, axisLabel: { color: look.soft, hideOverlap: true, formatter: (value) => `${number(value)} s` }, splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: look.strong } } },
      yAxis: { ...valueAxis(look, { name: spec.axis, unit: '', log, ...extent }), nameTextStyle: { color: look.soft, align: 'left' } },
      legend: legendOf(look, lines.map((line) => withPart(names[line.drive], line.part))),
      dataZoom: [
        { type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, filterMode: 'none' },
        { type: 'slider', bottom: 32, height: 20, filterMode: 'none', showDataShadow: false, brushSelect: false, moveHandleSize: 0, borderColor: look.line, fillerColor: 'rgba(128,128,128,0.12)', handleSize: '90%', handleStyle: { color: look.raised, borderColor: look.strong }, textStyle: { color: look.soft }, labelFormatter: (value) => `${number(value)} s` },
      ],
      tooltip: xyTooltip((x) => `at ${number(x)} s`, 'IOPS'),
      series: lines.map((line) => lineSeries(line, line.points, context, extent.min, {})),
    };
  },

  table: (spec, names) => pickTable(spec, names, 'Time (s)', 'IOPS'),
};
