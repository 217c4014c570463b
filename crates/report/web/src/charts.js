// One object for each chart: it reads its data and draws when it comes into view, redraws on theme, width,
// scale and choice.

/** The plots of a family, by the chart that its test asks for; bars for any other. */
const MAIN_PLOTS = { lines: linesPlot, percentiles: percentilesPlot, fill: fillPlot };

const PLOTS = { verdicts: verdictsPlot, time: timePlot, latency: latencyPlot, percentiles: tailPlot, longer: longerPlot, wear: wearPlot, warmth: warmthPlot, states: statesPlot, scatter: scatterPlot, 'pts-rounds': ptsRoundsPlot, 'pts-window': ptsWindowPlot, 'pts-matrix': ptsMatrixPlot, 'pts-course': ptsCoursePlot };

/** Charts begin to draw a little before they are seen. */
const DRAW_AHEAD = '300px';

/** The number of values that a screen reader reads before it is sent to the table. */
const SPOKEN_ROWS_MAX = 12;

/** The number of drives that are shown when none of the report's own choice has data. */
const DRIVES_SHOWN_MAX = 8;

/** The most panels that are drawn; the button of drives counts those of a larger choice. */
const PANELS_MAX = 9;

function plotOf(kind, data) {
  if (kind === 'main') return MAIN_PLOTS[data.chart] ?? barsPlot;
  return PLOTS[kind];
}

/** The unit that a column names: the last word in its brackets, `Simulated (Throughput, MB/s)`. */
function unitOf(column) {
  const [, inside] = /\(([^()]*)\)$/.exec(column) ?? [];
  return inside === undefined ? '' : inside.split(', ').at(-1);
}

function spoken(title, { columns, rows }) {
  const units = columns.map(unitOf);
  const say = (cell, index) => (typeof cell === 'number' && units[index] ? `${cellText(cell)} ${units[index]}` : cellText(cell));
  const said = rows.slice(0, SPOKEN_ROWS_MAX).map((row) =>
    row.map((cell, index) => (cell === '' || cell === null ? '' : say(cell, index))).filter(Boolean).join(', '));
  const rest = rows.length > SPOKEN_ROWS_MAX ? ` and ${rows.length - SPOKEN_ROWS_MAX} more rows` : '';
  return `Chart. ${title}. ${said.join('; ')}${rest}. The Data button shows all.`;
}

function makeChart(figure) {
  const { family, kind } = figure.dataset;
  const target = figure.querySelector('.plot');
  const heading = figure.querySelector('figcaption');
  const caption = heading.textContent;
  const [drivesButton, logButton, dataButton] = ['drives', 'log', 'table'].map((name) => figure.querySelector(`[data-${name}]`));
  const picker = figure.querySelector('.picker');
  const panel = figure.querySelector('.chart-data');
  const choice = {};
  let data;
  let plot;
  let drives;
  let defaults;
  let own = null;
  let log;
  let picture = null;
  let refreshPicker = null;

  function shown() {
    const chosen = own ?? (everywhere && new Set([...everywhere].filter((drive) => drives.includes(drive)))) ?? defaults;
    // A plot of one run has its own choice.
    if (plot.single) return new Set(drives);
    return plot.panels ? new Set([...chosen].slice(0, PANELS_MAX)) : chosen;
  }

  const context = (more) => ({ ...choice, shown: shown(), ...more });

  function draw() {
    const width = target.clientWidth;
    const now = context({ log });
    const table = plot.table(data, now);
    drivesButton.textContent = `Drives: ${now.shown.size} of ${drives.length}`;
    if (kind === 'main') heading.textContent = plot.title(data, now);
    figure.querySelector('.key').textContent = [plot.key(data, now), markKey(table)].filter(Boolean).join(' ');
    if (table.rows.length === 0) {
      picture?.dispose();
      picture = null;
      target.style.height = '';
      target.innerHTML = '<p class="empty"></p>';
      target.firstChild.textContent = now.shown.size === 0 ? 'No drive is chosen that ran this test. Choose some under Drives.' : 'The chosen drives have no data here.';
      target.setAttribute('aria-label', target.textContent);
      return;
    }
    const look = currentLook();
    const option = plot.option(data, context({ look, log, width }));
    const more = makeRoomForLegend(option, look, width);
    target.style.height = `${plot.height(data, context({ look, log, width }), width) + more}px`;
    if (picture === null) {
      target.replaceChildren();
      picture = echarts.init(target, null, { renderer: plot.renderer ?? 'svg' });
    }
    picture.resize();
    const title = [caption, plot.title(data, now)].filter(Boolean).join(', ');
    const base = baseOption(look, spoken(title, table));
    // A screen reader would otherwise read the caption alone, and not the description.
    target.removeAttribute('aria-labelledby');
    picture.setOption({ ...base, ...option, tooltip: { ...base.tooltip, ...option.tooltip } }, { notMerge: true });
    plot.settle?.(picture, data, now);
  }

  function redraw() {
    if (data === undefined || target.clientWidth === 0) return;
    draw();
    if (!panel.hidden) fillData();
  }

  function fillData() {
    const name = target.id;
    const all = () => plot.table(data, { ...choice, shown: new Set(drives) });
    const buttons = document.createElement('p');
    buttons.className = 'saves';
    buttons.append(
      button('Download CSV', () => saveCsv(plot.table(data, context({})), name)),
      button('CSV of all drives', () => saveCsv(all(), `${name}-all`)),
    );
    const table = plot.table(data, context({}));
    panel.replaceChildren(dataTable(table, withPart(caption, table.note)), buttons);
  }

  function setLog(value) {
    log = value;
    logButton.setAttribute('aria-pressed', String(log));
  }

  /** A menu for each choice that the plot offers. */
  function buildChoices() {
    const menus = plot.choices(data).map(({ name, label, options }) => {
      const select = document.createElement('select');
      select.setAttribute('aria-label', `${label}: ${caption}`);
      select.dataset.choice = name;
      options.forEach(([, text], index) => select.add(new Option(text, index)));
      select.addEventListener('change', () => {
        [choice[name]] = options[select.value];
        if (name !== 'step') setLog(plot.log(data, context({})));
        redraw();
      });
      return select;
    });
    figure.querySelector('.choices').replaceChildren(...menus);
    const steps = menus.find((menu) => menu.dataset.choice === 'step');
    if (steps) chooseStep(steps);
  }

  const hasData = () => plot.table(data, context({})).rows.length > 0;

  /** The first step for which the shown drives have data: a short run has no course. */
  function chooseStep(select) {
    const { options } = plot.choices(data).find(({ name }) => name === 'step');
    const first = options.findIndex(([step]) => {
      choice.step = step;
      return hasData();
    });
    [choice.step] = options[Math.max(0, first)];
    select.value = Math.max(0, first);
  }

  function load() {
    if (data !== undefined) return;
    data = family ? familyData(family) : report.verdicts;
    plot = plotOf(kind, data);
    drives = plot.drives(data);
    drivesButton.hidden = plot.single === true;
    defaults = new Set(data.shown.filter((drive) => drives.includes(drive)));
    if (defaults.size === 0) defaults = new Set(drives.slice(0, DRIVES_SHOWN_MAX));
    buildChoices();
    if (!hasData()) {
      defaults = new Set(drives.slice(0, DRIVES_SHOWN_MAX));
      buildChoices();
    }
    setLog(plot.log(data, context({})));
  }

  drivesButton.addEventListener('click', () => {
    load();
    picker.hidden = !picker.hidden;
    drivesButton.setAttribute('aria-expanded', String(!picker.hidden));
    refreshPicker ??= buildPicker(picker, {
      drives,
      defaults,
      chosen: shown,
      choose: (chosen) => {
        own = chosen;
        redraw();
      },
    });
    refreshPicker();
  });
  logButton.addEventListener('click', () => {
    load();
    setLog(!log);
    redraw();
  });
  dataButton.addEventListener('click', () => {
    load();
    panel.hidden = !panel.hidden;
    dataButton.setAttribute('aria-expanded', String(!panel.hidden));
    if (!panel.hidden) fillData();
  });
  onEverywhere.push(() => {
    own = null;
    refreshPicker?.();
    redraw();
  });

  return {
    target,
    show() {
      load();
      draw();
    },
    redraw,
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
      chartOf.get(target).show();
      resized.observe(target);
    }
  }, { rootMargin: DRAW_AHEAD });
  for (const chart of charts) seen.observe(chart.target);
}
