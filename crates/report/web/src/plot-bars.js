// Bars: a run each, the published figure beside it. Each plot knows what can be chosen, its height,
// its picture, its data as a table, and a line that says how to read it.

const BAR_ROW_PX = 26;
const PAIR_ROW_PX = 36;
const NARROW_ROW_PX = 42;
const NARROW_PX = 560;
/** From the middle of a pair of bars to that of the first. */
const PAIRED_SHIFT_PX = -5.3;

/** Braces would begin a style of the chart library. */
const plain = (text) => text.replace(/[{}|]/g, ' ');

const markTexts = (marks) => marks.map((mark) => mark.text).join(', ');

function measureChoice(data) {
  return data.measures.length > 1
    ? [{ name: 'measure', label: 'Measure', options: data.measures.map(({ words }, index) => [index, words]) }]
    : [];
}

function marksOf(data, run, measure) {
  return data.published.filter((mark) => mark.run === run && mark.measure === measure);
}

/** How to read what repeats add. */
const WHISKERS_KEY = 'Whiskers and ±: the 95 % confidence interval of the mean.';

/** The value's column of a table, and the next where there were repeats. */
function valueColumns({ words, unit }, repeated) {
  const named = (what) => `${what} (${words}${unit ? `, ${unit}` : ''})`;
  return repeated ? [named('Simulated'), `± 95 %${unit ? ` (${unit})` : ''}`] : [named('Simulated')];
}

/** Above this ratio of largest to smallest, small values vanish on a linear axis. */
const LOG_ABOVE_RATIO = 30;

function wantsLog(data, { measure = 0, shown }) {
  const values = runsShown(data, shown).map((run) => data.measures[measure].values[run]).filter((value) => value > 0);
  return Math.max(...values) > LOG_ABOVE_RATIO * Math.min(...values);
}

/** Rows by step; within a step drive by drive, the best drive first, its conditions together. */
function barRows(data, shown, measure) {
  const { values, better } = data.measures[measure];
  const sign = better.startsWith('Higher') ? -1 : 1;
  return data.steps.flatMap((label, step) => {
    const runs = runsShown(data, shown, step).filter((run) => values[run] !== null);
    const best = new Map();
    for (const run of runs) {
      const drive = data.runs.drive[run];
      best.set(drive, Math.min(best.get(drive) ?? Infinity, sign * values[run]));
    }
    const rank = (run) => [best.get(data.runs.drive[run]), data.runs.drive[run], data.runs.condition[run]];
    runs.sort((a, b) => {
      const [left, right] = [rank(a), rank(b)];
      const at = left.findIndex((part, index) => part !== right[index]);
      return at < 0 ? 0 : left[at] - right[at];
    });
    return runs.map((run) => ({ run, label, drive: data.runs.drive[run], value: values[run], halfWidth: halfWidthOf(data, measure, run), marks: marksOf(data, run, measure) }));
  });
}

/** Rows with a heading before each step, when there is more than one. */
function withHeadings(rows) {
  if (new Set(rows.map((row) => row.label)).size < 2) return rows.map((row) => ({ row }));
  return rows.flatMap((row, index) => (row.label === rows[index - 1]?.label ? [{ row }] : [{ heading: row.label }, { row }]));
}

const barsPlot = {
  choices: measureChoice,
  drives: drivesOf,
  log: wantsLog,
  title: (data, { measure }) => data.measures[measure ?? 0].words,

  key: (data, { measure = 0, shown }) => {
    const marks = barRows(data, shown, measure).flatMap((row) => row.marks);
    const published = [marks.some((mark) => mark.exact) && 'grey: published', marks.some((mark) => !mark.exact) && 'tick: a published bound'].filter(Boolean);
    return [published.length ? `Coloured: simulated; ${published.join('; ')}.` : '', wasRepeated(data, measure) ? WHISKERS_KEY : '', data.measures[measure].better].filter(Boolean).join(' ');
  },

  height: (data, { measure = 0, shown }, width) => {
    const rows = barRows(data, shown, measure);
    const pairs = data.conditions.length > 1 || rows.some((row) => row.marks.length);
    const rowPx = width < NARROW_PX ? NARROW_ROW_PX : pairs ? PAIR_ROW_PX : BAR_ROW_PX;
    return withHeadings(rows).length * rowPx + 34;
  },

  option: (data, { look, log, width, measure = 0, shown }) => {
    const { unit } = data.measures[measure];
    const rows = barRows(data, shown, measure);
    const lines = withHeadings(rows);
    const narrow = width < NARROW_PX;
    const extent = logExtent(rows.flatMap((row) => [row.value, ...intervalOf(row.value, row.halfWidth), ...row.marks.map((mark) => mark.value)]), 2);
    const drawable = (value) => (log && value <= 0 ? null : value);
    const paired = rows.some((row) => row.marks.some((mark) => mark.exact));
    const exact = (row) => row?.marks.find((mark) => mark.exact);
    const reach = (row) => Math.max(row.value + row.halfWidth, ...row.marks.filter((mark) => mark !== exact(row)).map((mark) => mark.value));
    const text = (colour, weight) => ({ show: true, position: 'right', distance: 6, color: colour, fontWeight: weight, ...labelBox(look) });
    return {
      grid: { left: 8, right: narrow ? 78 : wasRepeated(data, measure) ? 170 : 130, top: 4, bottom: 4, containLabel: true },
      xAxis: { ...valueAxis(look, { unit, log, ...extent }), axisLabel: { color: look.soft, hideOverlap: true, formatter: (value) => tickInUnit(value, unit) } },
      yAxis: categoryAxis(look, lines.map((_, index) => index), {
        inverse: true,
        axisLine: { show: false },
        axisLabel: {
          interval: 0,
          color: look.ink,
          lineHeight: 14,
          width: narrow ? 112 : 280,
          overflow: narrow ? 'break' : 'truncate',
          formatter: (index) => {
            const { row, heading } = lines[index];
            if (!row) return `{heading|${plain(heading)}}`;
            const condition = conditionOf(data, row.run);
            return `${plain(keepUnits(driveName(row.drive)))}${condition ? `\n{condition|${plain(condition)}}` : ''}`;
          },
          rich: {
            heading: { fontWeight: 700, color: look.soft, fontSize: 12 },
            condition: { color: look.soft, fontSize: 11, lineHeight: 13 },
          },
        },
      }),
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: look.line, opacity: 0.4 } },
        formatter: (items) => {
          const { row } = lines[items[0].dataIndex] ?? {};
          if (!row) return '';
          return tip(withPart(runName(data, row.run), row.label), [
            ['Simulated', inUnit(row.value, unit, row.halfWidth), look.drive(row.drive)],
            ...row.marks.map((mark) => ['Published', mark.text, look.soft]),
          ]);
        },
      },
      series: [
        {
          name: 'Simulated',
          type: 'bar',
          barWidth: paired ? 13 : 15,
          barGap: '12%',
          data: lines.map(({ row }) => row && {
            value: drawable(row.value),
            itemStyle: { color: look.drive(row.drive), opacity: 1 - 0.3 * Math.min(2, data.runs.condition[row.run]), borderRadius: [0, 3, 3, 0] },
          }),
        },
        paired && {
          name: 'Published',
          type: 'bar',
          barWidth: 9,
          itemStyle: { color: look.published, borderRadius: [0, 2, 2, 0] },
          label: { show: true, position: 'right', distance: 6, color: look.soft, formatter: ({ dataIndex }) => exact(lines[dataIndex].row)?.text ?? '' },
          data: lines.map(({ row }) => (exact(row) ? drawable(exact(row).value) : null)),
        },
        {
          name: 'Bound',
          type: 'scatter',
          symbol: 'rect',
          symbolSize: [3, 24],
          itemStyle: { color: look.ink, borderColor: look.raised, borderWidth: 1 },
          z: 5,
          silent: true,
          data: lines.flatMap(({ row }, index) =>
            (row?.marks ?? []).filter((mark) => mark !== exact(row) && drawable(mark.value) !== null).map((mark) => [mark.value, index])),
        },
        whiskers(look, lines.flatMap(({ row }, index) => {
          const [low, high] = row ? intervalOf(row.value, row.halfWidth) : [];
          return low === undefined || drawable(high) === null ? [] : [[index, low, high]];
        }), { lying: true, shift: paired ? PAIRED_SHIFT_PX : 0, least: log ? extent.min : -Infinity }),
        {
          // Carries the labels, past whichever of bar and tick reaches further.
          name: 'Label',
          type: 'scatter',
          symbolSize: 1,
          itemStyle: { color: 'transparent' },
          silent: true,
          data: lines.flatMap(({ row }, index) => {
            if (!row || reach(row) <= 0) return [];
            return [{ value: [reach(row), index], label: { offset: [0, paired ? -6 : 0] } }];
          }),
          label: {
            ...text(look.ink, 600),
            formatter: ({ value }) => {
              const { row } = lines[value[1]];
              const bounds = row.marks.filter((mark) => mark !== exact(row));
              const own = `{value|${inUnit(row.value, unit, narrow ? null : row.halfWidth)}}`;
              return narrow || !bounds.length ? own : `${own}  {soft|published ${markTexts(bounds)}}`;
            },
            rich: { value: { fontWeight: 600, color: look.ink, lineHeight: LABEL_LINE_PX }, soft: { color: look.soft, lineHeight: LABEL_LINE_PX } },
          },
        },
      ].filter(Boolean),
    };
  },

  table: (data, { measure = 0, shown }) => ({
    columns: ['Step', 'Drive', 'Condition', ...valueColumns(data.measures[measure], wasRepeated(data, measure)), 'Published'],
    rows: barRows(data, shown, measure).map((row) =>
      [row.label, driveName(row.drive), conditionOf(data, row.run), row.value, ...(wasRepeated(data, measure) ? [row.halfWidth] : []), markTexts(row.marks)]),
  }),
};
