// How latencies spread: percentiles over the steps of a family, a panel for each drive, and the share of I/Os that took longer than
// a given time; and all percentiles of a run, of a real drive and its model.

/** The kinds of requests, by their word in the names of measures. */
const KINDS_OF_LATENCY = { read: 'Reads', write: 'Writes', flush: 'Flushes' };

/** `write_lat_p999_us`: the kind, and the digits of the percentile. */
const LATENCY_NAME = /^(read|write|flush)_lat_p(\d+)_us$/;

/** More lines of a drive cannot be told apart by their dashes: those between the third and the last are in the table alone. */
const PERCENTILES_DRAWN = 4;

/** The percentiles that a family has of a kind, ascending: their names and places among the measures. */
function percentilesOf(data, kind) {
  const found = data.measures.flatMap(({ name }, measure) => {
    const [, of, digits] = LATENCY_NAME.exec(name) ?? [];
    return of === kind ? [{ measure, percent: Number(`0.${digits}`), label: `p${digits.slice(0, 2)}${digits.length > 2 ? `.${digits.slice(2)}` : ''}` }] : [];
  });
  return found.sort((a, b) => a.percent - b.percent);
}

const kindsOf = (data) => Object.keys(KINDS_OF_LATENCY).filter((kind) => percentilesOf(data, kind).length);

/** At first the kind of the family's own measure. */
const kindShown = (data, { kind }) => kind ?? LATENCY_NAME.exec(data.measures[0].name)?.[1] ?? kindsOf(data)[0];

function drawnPercentiles(data, context) {
  const all = percentilesOf(data, kindShown(data, context));
  return all.length > PERCENTILES_DRAWN ? [...all.slice(0, PERCENTILES_DRAWN - 1), all.at(-1)] : all;
}

/** A line a percentile, drive and condition: values and published ones by step. */
function percentileLines(data, context, percentiles) {
  return percentiles.flatMap(({ measure, label }, variant) =>
    stepLines(data, context.shown, measure).map((line) => ({ ...line, name: withPart(line.name, label), label, variant })));
}

const microseconds = (value) => latency(value / 1e3);

const percentilesPlot = {
  panels: true,
  choices: (data) => {
    const kinds = kindsOf(data);
    const first = kindShown(data, {});
    const order = [first, ...kinds.filter((kind) => kind !== first)];
    return kinds.length > 1 ? [{ name: 'kind', label: 'Requests', options: order.map((kind) => [kind, KINDS_OF_LATENCY[kind]]) }] : [];
  },
  drives: drivesOf,
  log: () => true,
  title: (data, context) => `Latency of ${KINDS_OF_LATENCY[kindShown(data, context)].toLowerCase()}`,
  key: (data, context) => {
    const lines = percentileLines(data, context, drawnPercentiles(data, context));
    const marked = lines.some((line) => line.marks.some((marks) => marks.length));
    return [dashKey(lines), marked && 'Hollow mark: published.', SAME_AXES, 'Lower is better.'].filter(Boolean).join(' ');
  },
  height: (data, context, width) => panelsHeight(panelsOf(percentileLines(data, context, drawnPercentiles(data, context))).length, width),

  option: (data, context) => {
    const { look, log } = context;
    const lines = percentileLines(data, context, drawnPercentiles(data, context));
    const published = (line) => line.marks.flatMap((marks, step) => marks.map((mark) => [step, mark.value]));
    const extent = logExtent(lines.flatMap((line) => [...line.values, ...published(line).map(([, value]) => value)]));
    const axes = () => ({
      x: categoryAxis(look, data.steps, { axisLabel: { color: look.ink, hideOverlap: true, interval: 'auto' } }),
      y: { ...valueAxis(look, { unit: '', log, ...extent }), axisLabel: { color: look.soft, hideOverlap: true, formatter: microseconds } },
    });
    const withMarks = panelsOf(lines).map((panel) => ({
      ...panel,
      lines: panel.lines.flatMap((line) => [line, { ...line, published: published(line) }]),
    }));
    const series = (line) => {
      const colour = look.drive(line.drive);
      if (line.published) {
        return { name: line.name, type: 'scatter', data: line.published, symbol: shapeOf(line.variant), symbolSize: 9, silent: true, z: 6, itemStyle: { color: 'transparent', borderColor: look.published, borderWidth: 1.5 } };
      }
      return {
        name: line.name,
        type: 'line',
        data: line.values.map((value) => (log && value <= 0 ? null : value)),
        connectNulls: true,
        symbol: shapeOf(line.variant),
        symbolSize: 5,
        lineStyle: { color: colour, width: 2, type: dashOf(line.variant) },
        itemStyle: { color: colour },
        emphasis: { focus: 'series' },
      };
    };
    return {
      ...panelsOption(withMarks, context, { axes, series, labelsPx: SHARES_PX }),
      tooltip: {
        trigger: 'axis',
        formatter: (items) => {
          const drawn = items.filter((item) => item.seriesType === 'line' && typeof item.value === 'number');
          return drawn.length ? tip(drawn[0].axisValueLabel, drawn.map(({ seriesName, value, color }) => [seriesName, microseconds(value), color])) : '';
        },
      },
    };
  },

  table: (data, context) => ({
    columns: ['Drive', 'Condition', 'Step', 'Percentile', `${report.value} (µs)`, 'Published'],
    rows: percentileLines(data, context, percentilesOf(data, kindShown(data, context))).flatMap((line) =>
      data.steps.flatMap((step, index) => (line.values[index] === null ? [] : [
        [driveName(line.drive) + line.mark, data.conditions[line.condition], step, line.label, line.values[index], markTexts(line.marks[index])],
      ]))),
  }),
};

/** From the share in each range to that of all that took longer: it falls from 100 % to nothing. */
function longer(points) {
  let left = 100;
  const above = points.map(([x, share]) => {
    left -= share;
    // The remainder of rounding is no share of any I/O.
    return [x, left > 1e-4 ? Number(left.toPrecision(4)) : 0];
  });
  const end = above.findIndex(([, share]) => share === 0);
  return end < 0 ? above : above.slice(0, end + 1);
}

const longerLines = (data, context) => latencyLines({ ...data, traffic: data.latencies }, context).map((line) => ({ ...line, points: longer(line.points) }));

const longerPlot = {
  ...latencyPlot,
  choices: (data) => stepChoice(data, (run) => data.latencies.some((row) => row.run === run)),
  drives: (data) => [...new Set(data.latencies.map(({ run }) => data.runs.drive[run]))].sort(ascending),
  title: () => 'Share of I/Os that took longer',
  key: (data, context) => ['What share of I/Os took longer: 1 % is the 99th percentile, 0.1 % the 99.9th.', SAME_AXES, dashKey(longerLines(data, context))].filter(Boolean).join(' '),
  height: (data, context, width) => panelsHeight(panelsOf(longerLines(data, context)).length, width),

  option: (data, context) => {
    const { look, log } = context;
    const lines = longerLines(data, context);
    const extent = yExtent(lines);
    const across = logExtent(lines.flatMap((line) => line.points.map((point) => point[0])));
    const axes = () => ({
      x: { ...valueAxis(look, { unit: 'ms', log: true, ...across }), splitNumber: 3, axisLine: { show: true, onZero: false, lineStyle: { color: look.strong } } },
      y: shareAxis(look, { log, ...extent }),
    });
    const series = (line) => lineSeries(line, line.points, context, extent.min, {});
    return { ...panelsOption(panelsOf(lines), context, { axes, series, labelsPx: SHARES_PX }), tooltip: xyTooltip((x) => `longer than ${latency(x)}`, '%') };
  },

  table: (data, context) => ({
    columns: ['Run', 'Latency above (ms)', 'Share of I/Os (%)'],
    rows: longerLines(data, context).flatMap((line) => line.points.map((point) => [line.name, ...point])),
  }),
};

const withPercentiles = (data) => new Set(data.traffic.flatMap((row) => (row.percentiles?.length ? [row.run] : [])));

/** Lines of (percent, milliseconds), one a kind of request. */
const percentilePoints = (data, context) => latencyLines(data, context).filter((line) => line.percentiles.length).map((line) => ({ ...line, points: line.percentiles }));

/** Percentiles of latency on one axis, from the median's side to the far tail. */
const tailPlot = {
  choices: (data) => stepChoice(data, (run) => withPercentiles(data).has(run)),
  drives: (data) => [...new Set([...withPercentiles(data)].map((run) => data.runs.drive[run]))].sort(ascending),
  log: () => true,
  title: () => 'Percentiles of latency',
  key: (data, context) => [dashKey(percentilePoints(data, context)), 'A percentile is there if enough requests took longer. Lower is better.'].filter(Boolean).join(' '),
  height: () => TOGETHER_PX,

  option: (data, context) => {
    const { look, log } = context;
    const lines = percentilePoints(data, context);
    const percents = [...new Set(lines.flatMap((line) => line.points.map(([percent]) => percent)))].sort(ascending);
    const values = lines.flatMap((line) => line.points.map(([, value]) => value));
    return {
      grid: { left: 4, right: 24, top: 34, bottom: 44, containLabel: true },
      xAxis: categoryAxis(look, percents.map((percent) => `p${percent}`), { axisLabel: { color: look.ink, hideOverlap: true, interval: 'auto' } }),
      yAxis: { ...valueAxis(look, { unit: '', log, ...logExtent(values) }), axisLabel: { color: look.soft, hideOverlap: true, formatter: latency } },
      legend: legendOf(look, lines.map((line) => line.name)),
      tooltip: {
        trigger: 'axis',
        formatter: (items) => {
          const drawn = items.filter(({ value }) => typeof value === 'number');
          return drawn.length ? tip(drawn[0].axisValueLabel, drawn.map(({ seriesName, value, color }) => [seriesName, latency(value), color])) : '';
        },
      },
      series: lines.map((line) => ({
        name: line.name,
        type: 'line',
        data: percents.map((percent) => line.points.find(([of]) => of === percent)?.[1] ?? null),
        symbol: shapeOf(line.drive),
        symbolSize: 6,
        lineStyle: { color: look.drive(line.drive), width: 2, type: dashOf(line.variant) },
        itemStyle: { color: look.drive(line.drive) },
        emphasis: { focus: 'series' },
      })),
    };
  },

  table: (data, context) => ({
    columns: ['Run', 'Percentile', 'Latency (ms)'],
    rows: percentilePoints(data, context).flatMap((line) => line.points.map((point) => [line.name, ...point])),
  }),
};
