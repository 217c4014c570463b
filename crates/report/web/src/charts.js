// One object a chart: draws when it comes into view, redraws on theme, width, scale and choice.

const PLOTS = { bars: barsPlot, lines: linesPlot, range: rangePlot, histogram: histogramPlot, timeline: timelinePlot };

/** Charts begin to draw a little before they are seen. */
const DRAW_AHEAD = '400px';

/** How many values a screen reader is told before it is sent to the table. */
const SPOKEN_ROWS_MAX = 12;

function spoken(spec, names) {
  const { rows } = PLOTS[spec.kind].table(spec, names);
  const said = rows.slice(0, SPOKEN_ROWS_MAX).map((row) =>
    row.filter((cell) => cell !== '' && cell !== null).map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(', '));
  const rest = rows.length > SPOKEN_ROWS_MAX ? ` and ${rows.length - SPOKEN_ROWS_MAX} more rows` : '';
  return `Chart. ${spec.title}, ${spec.axis}${spec.unit ? ` in ${spec.unit}` : ''}. ${said.join('; ')}${rest}. The Data button shows all.`;
}

function makeChart(figure, spec, names, width) {
  const plot = PLOTS[spec.kind];
  const target = figure.querySelector('.plot');
  let picture = null;
  let log = spec.log;
  let pick = spec.picks?.[0].label;

  function draw() {
    const width = target.clientWidth;
    target.style.height = `${plot.height(spec, width)}px`;
    if (picture === null) picture = echarts.init(target, null, { renderer: 'svg' });
    picture.resize();
    const look = currentLook();
    const base = baseOption(look, spoken(spec, names));
    const own = plot.option(spec, { look, log, width, names, pick });
    picture.setOption({ ...base, ...own, tooltip: { ...base.tooltip, ...own.tooltip } }, { notMerge: true });
    plot.settle?.(picture, spec);
  }

  function redraw() {
    if (picture !== null && target.clientWidth > 0) draw();
  }

  const key = plot.key(spec);
  if (key) {
    const line = document.createElement('p');
    line.className = 'key';
    line.textContent = key;
    target.after(line);
  }
  // Room is taken at once, so that nothing jumps when pictures arrive.
  target.style.height = `${plot.height(spec, width)}px`;

  const logButton = figure.querySelector('[data-log]');
  logButton.addEventListener('click', () => {
    log = !log;
    logButton.setAttribute('aria-pressed', String(log));
    redraw();
  });

  const dataButton = figure.querySelector('[data-table]');
  const panel = figure.querySelector('.chart-data');
  dataButton.addEventListener('click', () => {
    panel.hidden = !panel.hidden;
    dataButton.setAttribute('aria-expanded', String(!panel.hidden));
    if (!panel.hidden && !panel.hasChildNodes()) fillData(panel, plot.table(spec, names), spec.title, spec.id);
  });

  return {
    target,
    picks: spec.picks?.map(({ label }) => label) ?? [],
    draw,
    redraw,
    choose(label) {
      pick = label;
      redraw();
    },
  };
}

/** Draws each chart once when it first nears the view, and again when its width changes. */
function watch(charts) {
  const chartOf = new Map(charts.map((chart) => [chart.target, chart]));
  const resized = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const chart = chartOf.get(target);
      if (contentRect.width > 0 && contentRect.width !== chart.width) {
        if (chart.width !== undefined) chart.redraw();
        chart.width = contentRect.width;
      }
    }
  });
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      chartOf.get(target).draw();
      resized.observe(target);
    }
  }, { rootMargin: DRAW_AHEAD });
  for (const chart of charts) seen.observe(chart.target);
}

/** One select drives the charts of its family. */
function bindPick(select, charts) {
  for (const label of new Set(charts.flatMap((chart) => chart.picks))) select.add(new Option(label, label));
  select.addEventListener('change', () => charts.forEach((chart) => chart.choose(select.value)));
}
