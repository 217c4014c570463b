// A row for each run, with the published figure beside it: bars, or dots where the axis is logarithmic, as there is no zero
// for bars to start from. Each plot knows what can be chosen, its height, its picture, its data as a table, and a
// line that says how to read it.

const BAR_ROW_PX = 26;
const PAIR_ROW_PX = 36;
const NARROW_ROW_PX = 42;
const NARROW_PX = 560;
/** From the middle of a pair of bars to that of the first. */
const PAIRED_SHIFT_PX = -5.3;

/** Braces would begin a style of the chart library. */
const plain = (text) => text.replace(/[{}|]/g, ' ');

/** The published figures; the drive that another one was measured on is named once. */
function markTexts(marks) {
  const owners = [...new Set(marks.map((mark) => mark.of ?? ''))];
  const texts = (of) => marks.filter((mark) => (mark.of ?? '') === of).map((mark) => mark.text).join(', ');
  return owners.map((of) => (of ? `${texts(of)} (${of})` : texts(of))).join(', ');
}

function measureChoice(data) {
  return data.measures.length > 1
    ? [{ name: 'measure', label: 'Measure', options: data.measures.map(({ words }, index) => [index, words]) }]
    : [];
}

function marksOf(data, run, measure) {
  return data.published.filter((mark) => mark.run === run && mark.measure === measure);
}

/** A sentence on binary units, for charts that use them. */
const binaryKey = (data, measure) => (data.measures[measure].unit === 'MiB/s' ? 'MiB/s: 2^20 bytes a second, which its source calls MB/s.' : '');

/** How to read the intervals of repeats. */
const WHISKERS_KEY = 'Whiskers and ±: the 95 % confidence interval of the mean.';

/** The value's column of a table, and the next where there were repeats. */
function valueColumns({ words, unit }, repeated) {
  const named = (what) => `${what} (${words}${unit ? `, ${unit}` : ''})`;
  return repeated ? [named(report.value), `± 95 %${unit ? ` (${unit})` : ''}`] : [named(report.value)];
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
    return runs.map((run) => ({ run, label, drive: data.runs.drive[run], value: values[run], mark: markOf(data, run), halfWidth: halfWidthOf(data, measure, run), marks: marksOf(data, run, measure) }));
  });
}

/** Rows with a heading before each step, when there is more than one. */
function withHeadings(rows) {
  if (new Set(rows.map((row) => row.label)).size < 2) return rows.map((row) => ({ row }));
  return rows.flatMap((row, index) => (row.label === rows[index - 1]?.label ? [{ row }] : [{ heading: row.label }, { row }]));
}

/** How much the end of a row says of published figures, by the room there is: drive and value, the value alone, nothing. */
const SAYS = ['whose', 'value', 'nothing'];

/** The end of a row: the run's value, and published figures without a bar of their own. */
function rowEnd(row, unit, { narrow, log, says }) {
  const bounds = row.marks.filter((mark) => log || mark !== exactMark(row));
  const texts = says === 'whose' ? markTexts(bounds) : bounds.map(({ text }) => text).join(', ');
  const said = says === 'nothing' || !bounds.length ? '' : `published ${texts}`;
  return [inUnit(row.value, unit, narrow ? null : row.halfWidth) + row.mark, said];
}

const exactMark = (row) => row?.marks.find((mark) => mark.exact);

/** The right end of a row, without the bar of a published figure. */
const rowReach = (row, log) => Math.max(row.value + row.halfWidth, ...row.marks.filter((mark) => log || mark !== exactMark(row)).map((mark) => mark.value));

/** The width of a tick with its unit, and the space to the next. */
const TICK_ROOM_PX = 110;
const END_LABEL_GAP_PX = 14;
const DRIVE_LABEL_MAX_PX = 280;
const AXIS_SHARE_MIN = 0.3;
/** The width of names on a phone, which are broken into lines. */
const NARROW_LABEL_PX = 112;
const LABEL_NAME_PX = 14;
const LABEL_CONDITION_PX = 13;

/** A row's name and condition, in lines. */
function rowLabel(data, row, look, narrow) {
  const name = keepUnits(driveName(row.drive));
  const condition = conditionOf(data, row.run);
  const lines = (text) => (narrow ? wrapped(text, look, NARROW_LABEL_PX) : [text]);
  return { name: lines(name), condition: condition ? lines(condition) : [] };
}

/** The height that the longest label of a phone needs. */
function narrowRow(data, rows, look) {
  const heights = rows.map((row) => {
    const { name, condition } = rowLabel(data, row, look, true);
    return LABEL_NAME_PX * name.length + LABEL_CONDITION_PX * condition.length + 6;
  });
  return Math.max(NARROW_ROW_PX, ...heights);
}

/** The room that labels behind the bars need to the right of the axis, and how much they say in it. */
function endRoom(rows, how) {
  const { width, narrow, labelPx } = how;
  const most = Math.max(24, width - labelPx - AXIS_SHARE_MIN * width);
  const says = narrow ? 'nothing' : SAYS.find((says) => roomFor(rows, { ...how, says }) <= most) ?? 'nothing';
  return { says, right: Math.min(most, roomFor(rows, { ...how, says })) };
}

function roomFor(rows, { look, width, unit, log, extent, narrow, labelPx, says }) {
  const least = log ? extent.min : 0;
  const most = log ? extent.max : Math.max(...rows.flatMap((row) => [rowReach(row, log), exactMark(row)?.value ?? 0]), 0);
  const share = (value) => (log ? Math.log(value / least) / Math.log(most / least) : value / most) || 0;
  const ends = rows.flatMap((row) => {
    const [own, bounds] = rowEnd(row, unit, { narrow, log, says });
    const exact = log ? undefined : exactMark(row);
    return [
      [share(rowReach(row, log)), textPx(own, look, 600) + (bounds ? textPx(`  ${bounds}`, look, 600) : 0)],
      ...(exact && !narrow ? [[share(exact.value), textPx(markTexts([exact]), look)]] : []),
    ];
  });
  // The more room, the shorter the axis: a few rounds settle it.
  let room = 24;
  for (let round = 0; round < 4; round += 1) {
    const axisPx = Math.max(0, width - labelPx - room);
    room = Math.max(24, ...ends.map(([at, px]) => px + END_LABEL_GAP_PX - (1 - Math.min(1, Math.max(0, at))) * axisPx));
  }
  return room;
}

const barsPlot = {
  choices: measureChoice,
  drives: drivesOf,
  log: wantsLog,
  title: (data, { measure }) => data.measures[measure ?? 0].words,

  key: (data, { measure = 0, shown, log }) => {
    const marks = barRows(data, shown, measure).flatMap((row) => row.marks);
    const units = [...new Set(marks.map((mark) => mark.converted_from).filter(Boolean))];
    const converted = units.length ? `Published in ${units.join(' and ')}, here converted to ${data.measures[measure].unit}.` : '';
    const order = marks.some((mark) => mark.order_only) ? 'Order only: the score of a closed program, where only the order of the drives is checked.' : '';
    const others = marks.some((mark) => mark.of) ? 'A figure that was published of another drive or a class says whose it is.' : '';
    const published = [marks.some((mark) => mark.exact) && (log ? 'hollow: published' : 'grey: published'), marks.some((mark) => !mark.exact) && 'tick: a published bound'].filter(Boolean);
    return [published.length ? `Coloured: simulated; ${published.join('; ')}.` : '', converted, binaryKey(data, measure), order, others, wasRepeated(data, measure) ? WHISKERS_KEY : '', data.measures[measure].better].filter(Boolean).join(' ');
  },

  height: (data, { measure = 0, shown, look, log }, width) => {
    const rows = barRows(data, shown, measure);
    const pairs = data.conditions.length > 1 || (!log && rows.some((row) => row.marks.length));
    const rowPx = width < NARROW_PX ? narrowRow(data, rows, look) : pairs ? PAIR_ROW_PX : BAR_ROW_PX;
    return withHeadings(rows).length * rowPx + 34;
  },

  option: (data, { look, log, width, measure = 0, shown }) => {
    const { unit } = data.measures[measure];
    const rows = barRows(data, shown, measure);
    const lines = withHeadings(rows);
    const narrow = width < NARROW_PX;
    const extent = logExtent(rows.flatMap((row) => [row.value, ...intervalOf(row.value, row.halfWidth), ...row.marks.map((mark) => mark.value)]), 2);
    const drawable = (value) => (log && value <= 0 ? null : value);
    const paired = !log && rows.some((row) => row.marks.some((mark) => mark.exact));
    const [exact, reach] = [exactMark, (row) => rowReach(row, log)];
    const faded = (row) => 1 - 0.3 * Math.min(2, data.runs.condition[row.run]);
    const names = lines.map(({ row, heading }) => (row ? driveName(row.drive) : heading));
    const labelPx = 16 + (narrow ? NARROW_LABEL_PX : Math.min(DRIVE_LABEL_MAX_PX, Math.max(...names.map((name) => textPx(name, look, 700)))));
    const { right, says } = endRoom(rows, { look, width, unit, log, extent, narrow, labelPx });
    const text = (colour, weight) => ({ show: true, position: 'right', distance: log ? 13 : 6, color: colour, fontWeight: weight, ...labelBox(look) });
    return {
      grid: { left: 8, right, top: 4, bottom: 4, containLabel: true },
      xAxis: { ...valueAxis(look, { unit, log, ...extent }), splitNumber: Math.max(2, Math.min(4, Math.floor((width - labelPx - right) / TICK_ROOM_PX))), axisLabel: { color: look.soft, hideOverlap: true, formatter: (value) => tickInUnit(value, unit) } },
      yAxis: categoryAxis(look, lines.map((_, index) => index), {
        inverse: true,
        axisLine: { show: false },
        splitLine: { show: log, lineStyle: { color: look.line, type: 'dotted' } },
        axisLabel: {
          interval: 0,
          color: look.ink,
          lineHeight: LABEL_NAME_PX,
          ...(narrow ? {} : { width: DRIVE_LABEL_MAX_PX, overflow: 'truncate' }),
          formatter: (index) => {
            const { row, heading } = lines[index];
            if (!row) return (narrow ? wrapped(heading, look, NARROW_LABEL_PX) : [heading]).map((line) => `{heading|${plain(line)}}`).join('\n');
            const { name, condition } = rowLabel(data, row, look, narrow);
            return [...name.map(plain), ...condition.map((line) => `{condition|${plain(line)}}`)].join('\n');
          },
          rich: {
            heading: { fontWeight: 700, color: look.soft, fontSize: 12 },
            condition: { color: look.soft, fontSize: 11, lineHeight: LABEL_CONDITION_PX },
          },
        },
      }),
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: look.line, opacity: 0.4 } },
        formatter: (items) => {
          const { row } = lines[log ? items[0].value[1] : items[0].dataIndex] ?? {};
          if (!row) return '';
          return tip(withPart(runName(data, row.run), row.label), [
            [report.value, inUnit(row.value, unit, row.halfWidth), look.drive(row.drive)],
            ...row.marks.map((mark) => ['Published', markTexts([mark]), look.soft]),
          ]);
        },
      },
      series: [
        ...(log ? [
          {
            name: 'Simulated',
            type: 'scatter',
            symbolSize: 12,
            z: 4,
            data: lines.flatMap(({ row }, index) => (row && drawable(row.value) !== null
              ? [{ value: [row.value, index], itemStyle: { color: look.drive(row.drive), opacity: faded(row) } }]
              : [])),
          },
          {
            name: 'Published',
            type: 'scatter',
            symbolSize: 16,
            z: 5,
            silent: true,
            itemStyle: { color: 'transparent', borderColor: look.soft, borderWidth: 2 },
            data: lines.flatMap(({ row }, index) => (exact(row) && drawable(exact(row).value) !== null ? [[exact(row).value, index]] : [])),
          },
        ] : [
          {
            name: 'Simulated',
            type: 'bar',
            barWidth: paired ? 13 : 15,
            barGap: '12%',
            data: lines.map(({ row }) => row && {
              value: row.value,
              itemStyle: { color: look.drive(row.drive), opacity: faded(row), borderRadius: [0, 3, 3, 0] },
            }),
          },
          paired && {
            name: 'Published',
            type: 'bar',
            barWidth: 9,
            itemStyle: { color: look.published, borderRadius: [0, 2, 2, 0] },
            label: { show: true, position: 'right', distance: 6, color: look.soft, formatter: ({ dataIndex }) => (narrow || !exact(lines[dataIndex].row) ? '' : markTexts([exact(lines[dataIndex].row)])) },
            data: lines.map(({ row }) => exact(row)?.value ?? null),
          },
        ]),
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
              const [own, bounds] = rowEnd(row, unit, { narrow, log, says });
              return bounds ? `{value|${own}}  {soft|${plain(bounds)}}` : `{value|${own}}`;
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
      [row.label, driveName(row.drive) + row.mark, conditionOf(data, row.run), row.value, ...(wasRepeated(data, measure) ? [row.halfWidth] : []), markTexts(row.marks)]),
  }),
};
