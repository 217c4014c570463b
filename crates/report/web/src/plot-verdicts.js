// The front page's chart: from the average to the longest wait, a row for each drive.

// Room for the names of drives on the left, for labels of the longest waits on the right, and for one of an average.
const NAMES_PX = 200;
const RIGHT_PX = 132;
const AVERAGE_PX = 72;

/** The factor below the least average at which the axis begins, so that its label, which stands before it, has room. */
function roomForLabels(values, plotPx) {
  const positive = values.filter((value) => value > 0);
  const decades = Math.log10(Math.max(...positive) / Math.min(...positive)) + 2;
  return 10 ** (AVERAGE_PX / plotPx * decades);
}

const verdictsPlot = {
  choices: () => [],
  drives: () => report.verdicts.rows.map(([drive]) => drive).sort(ascending),
  log: () => true,
  title: () => 'Latency',
  key: () => 'A drive stands with the test in which it waits longest. Hollow: average. Filled: longest. Lower is better.',
  height: (_data, { shown }, width) => 48 + (width < NARROW_PX ? 46 : 34) * shown.size,

  option: (_data, { look, log, width, shown }) => {
    const { rows: all, hesitate_ms: hesitate, stutter_ms: stutter } = report.verdicts;
    const rows = all.filter(([drive]) => shown.has(drive));
    const narrow = width < NARROW_PX;
    const values = [stutter, ...rows.flatMap(([, mean, longest]) => [mean, longest])];
    const extent = logExtent(values, narrow ? 1 : roomForLabels(values, width - NAMES_PX - RIGHT_PX));
    const text = (value, position, distance) => ({ show: true, position, distance, color: look.ink, ...labelBox(look), formatter: latency(value) });
    const limit = (value, says, colour) => ({
      xAxis: value,
      lineStyle: { color: colour, type: 'dashed', width: 1.5 },
      label: { color: colour, formatter: says, position: 'start', distance: 8, align: narrow ? 'right' : 'left' },
    });
    const limits = [limit(stutter, narrow ? 'hangs' : `${latency(stutter)}: felt as a hang`, look.bad)];
    if (!narrow) limits.push({ ...limit(hesitate, `${latency(hesitate)}: noticed`, look.fair), label: { ...limit(hesitate, `${latency(hesitate)}: noticed`, look.fair).label, align: 'right' } });
    return {
      grid: { left: 8, right: narrow ? 64 : RIGHT_PX, top: 30, bottom: 4, containLabel: true },
      xAxis: valueAxis(look, { unit: 'ms', log, ...extent }),
      yAxis: categoryAxis(look, rows.map(([drive]) => keepUnits(driveName(drive))), {
        inverse: true,
        axisLine: { show: false },
        axisLabel: { interval: 0, color: look.ink, lineHeight: 14, width: narrow ? 120 : 280, overflow: narrow ? 'break' : 'truncate' },
      }),
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: look.line, opacity: 0.4 } },
        formatter: (items) => {
          const [drive, mean, longest, test] = rows[items[0].value[1]];
          return tip(driveName(drive), [['Average', latency(mean)], ['Longest', latency(longest)], ['In', test]]);
        },
      },
      series: rows.map(([drive, mean, longest], index) => {
        const colour = look.drive(drive);
        return {
          type: 'line',
          lineStyle: { color: colour, width: 5, opacity: 0.45, cap: 'round' },
          data: [
            { value: [mean, index], symbol: 'circle', symbolSize: 11, itemStyle: { color: look.raised, borderColor: colour, borderWidth: 3 }, label: narrow ? undefined : text(mean, 'left', 8) },
            { value: [longest, index], symbol: 'circle', symbolSize: 13, itemStyle: { color: colour }, label: { ...text(longest, 'right', 9), fontWeight: 600 } },
          ],
          markLine: index > 0 ? undefined : { silent: true, z: 1, symbol: 'none', data: limits },
        };
      }),
    };
  },

  table: (_data, { shown }) => ({
    columns: ['Drive', 'Average (ms)', 'Longest (ms)', 'In'],
    rows: report.verdicts.rows.filter(([drive]) => shown.has(drive)).map(([drive, mean, longest, test]) => [driveName(drive), mean, longest, test]),
  }),
};
