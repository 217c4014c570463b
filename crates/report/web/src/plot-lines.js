// Lines over the steps of a family, one a drive and condition, with marks where something was
// published.

const END_LABEL_PX = 15;
const END_GAP_PX = 20;
const AXIS_ROOM_PX = 60;
/** Names that would take more than this share of a chart are put below it. */
const END_SHARE_MAX = 0.36;
/** More lines than this are named below the chart, not at their ends. */
const DIRECT_LINES_MAX = 10;

function stepLines(data, shown, measure) {
  const { values } = data.measures[measure];
  const lines = new Map();
  for (const run of runsShown(data, shown)) {
    if (values[run] === null) continue;
    const [drive, condition] = [data.runs.drive[run], data.runs.condition[run]];
    const key = `${drive}/${condition}`;
    if (!lines.has(key)) {
      const empty = () => Array.from(data.steps, () => null);
      lines.set(key, { drive, condition, name: runName(data, run), mark: '', values: empty(), halfWidths: empty(), marks: Array.from(data.steps, () => []) });
    }
    const line = lines.get(key);
    if (isUnsettled(data, run)) [line.name, line.mark] = [runName(data, run), markOf(data, run)];
    line.values[data.runs.step[run]] = values[run];
    line.halfWidths[data.runs.step[run]] = halfWidthOf(data, measure, run);
    line.marks[data.runs.step[run]] = marksOf(data, run, measure);
  }
  return [...lines.values()];
}

/** Lines beside the family's own measure, such as those of theory; none for other measures. */
const besideLines = (data, { shown, measure = 0 }) => (data.beside === null || measure !== 0 ? [] : stepLines(data, shown, data.beside));

const linesPlot = {
  choices: measureChoice,
  drives: drivesOf,
  log: wantsLog,
  title: (data, { measure }) => data.measures[measure ?? 0].words,

  key: (data, { measure = 0, shown }) => {
    const marked = stepLines(data, shown, measure).some((line) => line.marks.some((marks) => marks.length));
    const beside = besideLines(data, { shown, measure }).length > 0;
    return [marked ? 'Line: simulated. Large hollow mark: published.' : '', beside ? `Thin dashed line: ${data.measures[data.beside].words.toLowerCase()}.` : '', wasRepeated(data, measure) ? WHISKERS_KEY : '', data.measures[measure].better].filter(Boolean).join(' ');
  },

  height: (_data, _choice, width) => (width < NARROW_PX ? 360 : 420),

  option: (data, { look, log, width, measure = 0, shown }) => {
    const { unit, words } = data.measures[measure];
    const lines = stepLines(data, shown, measure);
    const namePx = END_GAP_PX + Math.max(0, ...lines.map((line) => textPx(line.name, look)));
    const direct = width >= 720 && lines.length <= DIRECT_LINES_MAX && namePx <= END_SHARE_MAX * width;
    // The last step has half of its band behind it, which the names take too.
    const halves = 2 * data.steps.length;
    const endPx = Math.max(24, (namePx * halves - (width - AXIS_ROOM_PX)) / (halves - 1));
    const marks = (line) => line.marks.flatMap((at, step) => at.map((mark) => [step, mark.value]));
    const intervals = lines.flatMap((line) => line.values.flatMap((value, step) => {
      const [low, high] = intervalOf(value, line.halfWidths[step]);
      return low === undefined || (log && high <= 0) ? [] : [[step, low, high]];
    }));
    const beside = besideLines(data, { shown, measure });
    const all = [...lines, ...beside].flatMap((line) => [...line.values, ...intervals.flatMap(([, low, high]) => [low, high]), ...marks(line).map((mark) => mark[1])]);
    return {
      grid: { left: 4, right: direct ? endPx : 16, top: 34, bottom: direct ? 8 : 36, containLabel: true },
      xAxis: categoryAxis(look, data.steps, { boundaryGap: true, axisLabel: { color: look.ink, hideOverlap: true } }),
      yAxis: { ...valueAxis(look, { name: unit && unit !== words && unit !== 'ms' ? `${words}, ${unit}` : words, unit, log, ...logExtent(all) }), nameTextStyle: { color: look.soft, align: 'left' } },
      legend: direct ? undefined : legendOf(look, lines.map((line) => line.name)),
      tooltip: {
        trigger: 'axis',
        formatter: (items) => {
          const step = items[0].dataIndex;
          const rows = lines.filter((line) => line.values[step] !== null).map((line) => {
            const value = quantity(line.values[step], unit, line.halfWidths[step]);
            const published = markTexts(line.marks[step]);
            const other = beside.find(({ drive, condition }) => drive === line.drive && condition === line.condition)?.values[step];
            const more = [published && `published ${published}`, other && `${data.measures[data.beside].words.toLowerCase()} ${quantity(other, unit)}`].filter(Boolean).join(', ');
            return [line.name, more ? `${value} (${more})` : value, look.drive(line.drive)];
          });
          return tip(data.steps[step], rows);
        },
      },
      series: [...lines.flatMap((line) => {
        const colour = look.drive(line.drive);
        const shape = shapeOf(line.drive);
        return [
          {
            name: line.name,
            type: 'line',
            data: line.values.map((value) => (log && value <= 0 ? null : value)),
            connectNulls: true,
            symbol: shape,
            symbolSize: 7,
            lineStyle: { color: colour, width: 2.5, type: dashOf(line.condition) },
            itemStyle: { color: colour },
            emphasis: { focus: 'series' },
            endLabel: { show: direct, formatter: line.name, color: look.ink, distance: 10, padding: [3, 0] },
          },
          {
            name: line.name,
            type: 'scatter',
            data: marks(line),
            symbol: shape,
            symbolSize: 16,
            silent: true,
            z: 6,
            itemStyle: { color: 'transparent', borderColor: colour, borderWidth: 2 },
          },
        ];
      }), ...beside.map((line) => ({
        type: 'line',
        data: line.values,
        connectNulls: true,
        symbol: 'none',
        silent: true,
        // Where both agree, it is seen on top.
        z: 7,
        lineStyle: { color: look.ink, width: 1.25, type: 'dashed' },
      })), whiskers(look, intervals, { least: log ? logExtent(all).min : -Infinity })],
    };
  },

  // Names at the ends of lines that run close together are moved apart.
  settle: (picture, data, { measure = 0, shown }) => {
    const lines = stepLines(data, shown, measure);
    const ends = lines.map((line, index) => {
      const last = line.values.findLast((value) => value !== null);
      return { index, y: last === undefined ? NaN : picture.convertToPixel({ yAxisIndex: 0 }, last) };
    });
    let below = -Infinity;
    const offsets = new Map();
    for (const { index, y } of ends.filter((end) => Number.isFinite(end.y)).sort((a, b) => a.y - b.y)) {
      below = Math.max(y, below + END_LABEL_PX);
      offsets.set(index, below - y);
    }
    picture.setOption({ series: lines.flatMap((_, index) => [{ endLabel: { offset: [0, offsets.get(index) ?? 0] } }, {}]) });
  },

  table: (data, { measure = 0, shown }) => {
    const beside = besideLines(data, { shown, measure });
    const other = (line, index) => (beside.length ? [beside.find(({ drive, condition }) => drive === line.drive && condition === line.condition)?.values[index] ?? null] : []);
    return {
      columns: ['Drive', 'Condition', 'Step', ...valueColumns(data.measures[measure], wasRepeated(data, measure)), ...(beside.length ? [data.measures[data.beside].words] : []), 'Published'],
      rows: stepLines(data, shown, measure).flatMap((line) =>
        data.steps.map((step, index) =>
          [driveName(line.drive) + line.mark, data.conditions[line.condition], step, line.values[index], ...(wasRepeated(data, measure) ? [line.halfWidths[index]] : []), ...other(line, index), markTexts(line.marks[index])])),
    };
  },
};
