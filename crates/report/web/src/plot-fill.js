// The speed of sequential writes over the amount written: a panel for each drive, with the parts over which the speed is
// even.

const runsFilled = (data) => new Set(data.fills.map(({ run }) => run));

function fillLines(data, { shown, step }) {
  const runs = new Set(runsShown(data, shown, step ?? firstStep(data, (run) => runsFilled(data).has(run))));
  return data.fills.filter(({ run }) => runs.has(run)).map((fill) => ({
    drive: data.runs.drive[fill.run],
    variant: data.runs.condition[fill.run],
    label: conditionOf(data, fill.run),
    name: runName(data, fill.run),
    points: fill.course,
    plateaus: fill.plateaus,
    rests: fill.rests,
  }));
}

/** Names of plateaus that are so short stand on top of those of their neighbours. */
const PLATEAU_NAMED_MIN = 0.03;

const fillPlot = {
  panels: true,
  choices: (data) => stepChoice(data, (run) => runsFilled(data).has(run)),
  drives: (data) => [...new Set([...runsFilled(data)].map((run) => data.runs.drive[run]))].sort(ascending),
  log: () => false,
  title: () => 'Speed over what was written',
  key: (data, context) => {
    const rests = fillLines(data, context).some((line) => line.rests.length);
    return [data.fills.some(({ plateaus }) => plateaus.length) && 'Thick lines: plateaus, with their speed in MB/s.', !report.together && 'Each panel has axes of its own.', rests && 'Vertical lines: the host rests.', dashKey(fillLines(data, context))].filter(Boolean).join(' ');
  },
  height: (data, context, width) => panelsHeight(panelsOf(fillLines(data, context)).length, width),

  option: (data, context) => {
    const { look, log } = context;
    const panels = panelsOf(fillLines(data, context));
    const lines = panels.flatMap((panel) => panel.lines);
    const extent = yExtent(lines);
    const axes = (panel) => ({
      x: { ...timeAxis(look, lastOf(panel.lines)), axisLabel: { color: look.soft, hideOverlap: true, showMaxLabel: false, formatter: (value) => `${exactTick(value)} GB` } },
      // With room for the speed above the highest plateau.
      y: { ...valueAxis(look, { unit: '', log, ...extent }), ...(log ? {} : { min: 0, boundaryGap: [0, '15%'] }) },
    });
    const series = (line) => {
      const colour = look.drive(line.drive);
      if (!line.of) {
        return lineSeries(line, line.points, context, extent.min, {
          lineStyle: { color: colour, width: 1, opacity: 0.7 },
          markLine: { silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: look.strong, type: 'dashed' }, data: line.rests.map((gb) => ({ xAxis: gb })) },
        });
      }
      const named = (from, to) => to - from > PLATEAU_NAMED_MIN * lastOf([line.of]);
      return {
        name: line.name,
        type: 'line',
        silent: true,
        showSymbol: true,
        symbolSize: 0.1,
        z: 5,
        lineStyle: { color: look.ink, width: 3, opacity: 0.75 },
        itemStyle: { color: look.ink },
        // A point without a value parts two plateaus.
        data: line.of.plateaus.flatMap(([from, to, speed]) => [
          { value: [from, speed], label: { show: named(from, to), formatter: number(speed), position: 'top', align: 'left', distance: 4, color: look.ink, ...labelBox(look) } },
          [to, speed],
          [to, null],
        ]),
        tooltip: { show: false },
      };
    };
    const drawn = panels.map((panel) => ({ ...panel, lines: panel.lines.flatMap((line) => [line, { ...line, of: line }]) }));
    const courses = (items) => items.filter(({ value }) => value.length > 2);
    return {
      ...panelsOption(drawn, context, { axes, series }),
      tooltip: {
        trigger: 'axis',
        formatter: (items) => {
          const of = courses(items);
          return of.length ? tip(`at ${number(of[0].value[0])} GB`, of.map(({ seriesName, value, color }) => [seriesName, quantity(value[2], 'MB/s'), color])) : '';
        },
      },
    };
  },

  table: (data, context) => ({
    columns: ['Run', 'From (GB)', 'To (GB)', 'Speed (MB/s)'],
    rows: fillLines(data, context).flatMap((line) => line.plateaus.map((plateau) => [line.name, ...plateau])),
    note: 'plateaus',
  }),
};
