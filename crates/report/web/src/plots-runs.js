// Charts whose points are whole runs: bars, lines over steps, ranges. Each plot knows its height,
// its picture, its data as a table, and a line that says how to read it.

const ROW_PX = 27;
/** On a narrow screen names take two lines. */
const NARROW_ROW_PX = 36;
const NARROW_PX = 560;
const END_LABEL_PX = 15;

function markTexts(marks) {
  return marks.map((mark) => mark.text).join(', ');
}

/** Bars with a heading before each step, when there is more than one. */
function barLines(spec) {
  const steps = new Set(spec.rows.map((row) => row.step));
  if (steps.size < 2) return spec.rows.map((row) => ({ row }));
  const lines = [];
  let step = null;
  for (const row of spec.rows) {
    if (row.step !== step) lines.push({ heading: row.step });
    step = row.step;
    lines.push({ row });
  }
  return lines;
}

const barsPlot = {
  key: (spec) => (spec.rows.some((row) => row.published.length) ? 'Bar: simulated. Tick: published.' : ''),

  height: (spec, width) => barLines(spec).length * (width < NARROW_PX ? NARROW_ROW_PX : ROW_PX) + 36,

  option: (spec, { look, log, width, names }) => {
    const lines = barLines(spec);
    const narrow = width < NARROW_PX;
    const states = [...new Set(spec.rows.map((row) => row.state))];
    const label = (line) => (line.heading === undefined ? withPart(names[line.row.drive], line.row.state) : line.heading);
    const reach = (row) => Math.max(row.value ?? 0, ...row.published.map((mark) => mark.value));
    const all = spec.rows.flatMap((row) => [row.value ?? 0, ...row.published.map((mark) => mark.value)]);
    const extent = logExtent(all, 2);
    const drawable = (value) => (value === null || (log && value <= 0) ? null : value);
    return {
      grid: { left: 8, right: narrow ? 64 : 190, top: 4, bottom: 4, containLabel: true },
      xAxis: { ...valueAxis(look, { unit: spec.unit, log, ...extent }), axisLabel: { color: look.soft, hideOverlap: true, formatter: (value) => tickInUnit(value, spec.unit) } },
      yAxis: categoryAxis(look, lines.map((_, index) => index), {
        inverse: true,
        axisLine: { show: false },
        axisLabel: {
          interval: 0,
          color: look.ink,
          lineHeight: 14,
          width: narrow ? 104 : 240,
          overflow: narrow ? 'break' : 'truncate',
          formatter: (index) => (lines[index].heading === undefined ? keepUnits(label(lines[index])) : `{heading|${label(lines[index])}}`),
          rich: { heading: { fontWeight: 700, color: look.soft, fontSize: 12 } },
        },
      }),
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: look.line, opacity: 0.4 } },
        formatter: (items) => {
          const { row } = lines[items[0].dataIndex] ?? {};
          if (!row) return '';
          const shown = [['Simulated', inUnit(row.value, spec.unit), look.drive(row.drive)]];
          for (const mark of row.published) shown.push(['Published', mark.text, look.ink]);
          return tip(`${withPart(names[row.drive], row.state)}${row.step ? ` · ${row.step}` : ''}`, shown);
        },
      },
      series: [
        {
          name: 'Simulated',
          type: 'bar',
          barWidth: narrow ? 17 : '62%',
          data: lines.map(({ row }) => row && {
            value: drawable(row.value),
            itemStyle: {
              color: look.drive(row.drive),
              opacity: 1 - 0.35 * Math.max(0, states.indexOf(row.state)),
              borderRadius: [0, 3, 3, 0],
            },
          }),
        },
        {
          name: 'Published',
          type: 'scatter',
          symbol: 'rect',
          symbolSize: [4, 21],
          itemStyle: { color: look.ink, borderColor: look.raised, borderWidth: 1 },
          z: 5,
          silent: true,
          data: lines.flatMap(({ row }, index) =>
            (row?.published ?? []).filter((mark) => drawable(mark.value) !== null).map((mark) => [mark.value, index])),
        },
        {
          // Carries the labels, past whichever of bar and tick reaches further.
          name: 'Label',
          type: 'scatter',
          symbolSize: 1,
          itemStyle: { color: 'transparent' },
          silent: true,
          data: lines.flatMap(({ row }, index) => (row && reach(row) > 0 ? [[reach(row), index]] : [])),
          label: {
            show: true,
            position: 'right',
            distance: 7,
            color: look.ink,
            ...labelBox(look),
            formatter: ({ value }) => {
              const { row } = lines[value[1]];
              const simulated = `{value|${inUnit(row.value, spec.unit)}}`;
              return narrow || !row.published.length ? simulated : `${simulated}  {soft|published ${markTexts(row.published)}}`;
            },
            rich: { value: { fontWeight: 600, color: look.ink, lineHeight: LABEL_LINE_PX }, soft: { color: look.soft, lineHeight: LABEL_LINE_PX } },
          },
        },
      ],
    };
  },

  table: (spec, names) => ({
    columns: ['Step', 'Drive', 'State', `Simulated (${spec.unit})`, 'Published'],
    rows: spec.rows.map((row) => [row.step, names[row.drive], row.state, row.value, markTexts(row.published)]),
  }),
};

const linesPlot = {
  key: (spec) =>
    spec.lines.some((line) => line.published.some((marks) => marks.length)) ? 'Line: simulated. Large hollow mark: published.' : '',

  height: (_spec, width) => (width < NARROW_PX ? 360 : 420),

  option: (spec, { look, log, width, names }) => {
    const states = [...new Set(spec.lines.map((line) => line.state))];
    const named = (line) => withPart(names[line.drive], line.state);
    const direct = width >= 720 && spec.lines.length <= 8;
    const marks = (line) => line.published.flatMap((at, step) => at.map((mark) => [step, mark.value]));
    const all = spec.lines.flatMap((line) => [...line.values, ...marks(line).map((mark) => mark[1])]);
    const series = spec.lines.flatMap((line) => {
      const colour = look.drive(line.drive);
      const shape = shapeOf(line.drive);
      return [
        {
          name: named(line),
          type: 'line',
          data: line.values.map((value) => (log && value <= 0 ? null : value)),
          connectNulls: true,
          symbol: shape,
          symbolSize: 7,
          lineStyle: { color: colour, width: 2.5, type: dashOf(line.drive, Math.max(0, states.indexOf(line.state))) },
          itemStyle: { color: colour },
          emphasis: { focus: 'series' },
          endLabel: { show: direct, formatter: named(line), color: look.ink, distance: 10, padding: [3, 0], width: 190, overflow: 'truncate' },
        },
        {
          name: named(line),
          type: 'scatter',
          data: marks(line),
          symbol: shape,
          symbolSize: 16,
          silent: true,
          z: 6,
          itemStyle: { color: 'transparent', borderColor: colour, borderWidth: 2 },
        },
      ];
    });
    return {
      grid: { left: 4, right: direct ? 200 : 16, top: 34, bottom: direct ? 8 : 36, containLabel: true },
      xAxis: categoryAxis(look, spec.steps, { boundaryGap: true, axisLabel: { color: look.ink, hideOverlap: true } }),
      yAxis: { ...valueAxis(look, { name: spec.axis, unit: spec.unit, log, ...logExtent(all) }), nameTextStyle: { color: look.soft, align: 'left' } },
      legend: direct ? undefined : legendOf(look, spec.lines.map(named)),
      tooltip: {
        trigger: 'axis',
        formatter: (items) => {
          const step = items[0].dataIndex;
          const shown = spec.lines
            .filter((line) => line.values[step] !== null)
            .map((line) => {
              const published = markTexts(line.published[step]);
              const value = quantity(line.values[step], spec.unit);
              return [named(line), published ? `${value} (published ${published})` : value, look.drive(line.drive)];
            });
          return tip(spec.steps[step], shown);
        },
      },
      series,
    };
  },

  // Names at the ends of lines that run close together are moved apart.
  settle: (picture, spec) => {
    const ends = spec.lines.map((line, index) => {
      const last = line.values.findLast((value) => value !== null);
      const y = last === undefined ? NaN : picture.convertToPixel({ yAxisIndex: 0 }, last);
      return { index, y };
    });
    let below = -Infinity;
    const offsets = new Map();
    for (const { index, y } of ends.filter((end) => Number.isFinite(end.y)).sort((a, b) => a.y - b.y)) {
      below = Math.max(y, below + END_LABEL_PX);
      offsets.set(index, below - y);
    }
    const moved = spec.lines.flatMap((_, index) => [{ endLabel: { offset: [0, offsets.get(index) ?? 0] } }, {}]);
    picture.setOption({ series: moved });
  },

  table: (spec, names) => ({
    columns: ['Drive', 'State', 'Step', `Simulated (${spec.unit})`, 'Published'],
    rows: spec.lines.flatMap((line) =>
      spec.steps.map((step, index) => [names[line.drive], line.state, step, line.values[index], markTexts(line.published[index])])),
  }),
};

const rangePlot = {
  key: () => 'Hollow: average. Filled: longest.',

  height: (spec) => 60 + 44 * spec.rows.length,

  option: (spec, { look, log, width, names }) => {
    const narrow = width < NARROW_PX;
    const extent = logExtent([spec.threshold, ...spec.rows.flatMap((row) => [row.low, row.high])]);
    const text = (value, position, distance) => ({ show: true, position, distance, color: look.ink, ...labelBox(look), formatter: latency(value) });
    return {
      grid: { left: 8, right: narrow ? 60 : 84, top: 30, bottom: 4, containLabel: true },
      xAxis: valueAxis(look, { unit: spec.unit, log, ...extent }),
      yAxis: categoryAxis(look, spec.rows.map((row) => keepUnits(names[row.drive])), {
        inverse: true,
        axisLine: { show: false },
        axisLabel: { interval: 0, color: look.ink, lineHeight: 14, width: narrow ? 96 : 240, overflow: narrow ? 'break' : 'truncate' },
      }),
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: look.line, opacity: 0.4 } },
        formatter: (items) => {
          const row = spec.rows[items[0].value[1]];
          return tip(names[row.drive], [['Average', latency(row.low)], ['Longest', latency(row.high)]]);
        },
      },
      series: spec.rows.map((row, index) => {
        const colour = look.drive(row.drive);
        return {
          type: 'line',
          lineStyle: { color: colour, width: 5, opacity: 0.45, cap: 'round' },
          data: [
            {
              value: [row.low, index],
              symbol: 'circle',
              symbolSize: 12,
              itemStyle: { color: look.raised, borderColor: colour, borderWidth: 3 },
              label: narrow ? undefined : text(row.low, 'top', 3),
            },
            {
              value: [row.high, index],
              symbol: 'circle',
              symbolSize: 14,
              itemStyle: { color: colour },
              label: { ...text(row.high, 'right', 9), fontWeight: 600 },
            },
          ],
          markLine: index > 0 ? undefined : {
            silent: true,
            z: 1,
            symbol: 'none',
            lineStyle: { color: look.bad, type: 'dashed', width: 1.5 },
            label: { color: look.bad, formatter: `${latency(spec.threshold)}: ${spec.threshold_text}`, position: 'start', distance: 8, align: narrow ? 'right' : 'center' },
            data: [{ xAxis: spec.threshold }],
          },
        };
      }),
    };
  },

  table: (spec, names) => ({
    columns: ['Drive', `Average (${spec.unit})`, `Longest (${spec.unit})`],
    rows: spec.rows.map((row) => [names[row.drive], row.low, row.high]),
  }),
};
