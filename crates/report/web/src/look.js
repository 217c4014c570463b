// How charts look: colours of the current theme, shapes of drives, shared parts of every chart.

const COLOURS_COUNT = 12;
const TEXT_PX = 12;
const LABEL_LINE_PX = 16;
const SHAPES = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow'];
const DASHES = [['Solid', 'solid'], ['Dashed', 'dashed'], ['Dotted', 'dotted'], ['Dash-dotted', [9, 3, 2, 3]]];

/** Colours as the browser resolves them now; a probe sees through var() and light-dark(). */
function currentLook() {
  const probe = document.body.appendChild(document.createElement('span'));
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const drives = Array.from({ length: COLOURS_COUNT }, (_, i) => colour(`drive-${i}`));
  const look = {
    ink: colour('ink'),
    soft: colour('ink-soft'),
    line: colour('line'),
    strong: colour('line-strong'),
    published: colour('published'),
    raised: colour('raised'),
    fair: colour('fair'),
    bad: colour('bad'),
    font: getComputedStyle(document.body).fontFamily,
    palette: drives,
    drive: (index) => drives[report.drives[index].colour],
  };
  probe.remove();
  return look;
}

const measuring = document.createElement('canvas').getContext('2d');

/** The width of a text as it is drawn, in pixels. */
function textPx(text, look, weight = 400) {
  measuring.font = `${weight} ${TEXT_PX}px ${look.font}`;
  return measuring.measureText(text).width;
}

function shapeOf(drive) {
  return SHAPES[drive % SHAPES.length];
}

/** A second condition of a drive gets another dash. */
function dashOf(variant) {
  return DASHES[variant % DASHES.length][1];
}

/** The meaning of each dash, where the lines of a drive differ. */
function dashKey(lines) {
  const labels = new Map(lines.map(({ variant, label }) => [variant, label]));
  if (labels.size < 2) return '';
  return [...labels].sort(([a], [b]) => a - b).map(([variant, label]) => `${DASHES[variant % DASHES.length][0]}: ${label}.`).join(' ');
}

/** An axis of shares ends at 100 %: no share is larger. */
const shareAxis = (look, { name, log, min, max }) => ({
  ...valueAxis(look, { name, unit: '', log, min, max: Math.min(max, 100) }),
  ...(log ? {} : { min: 0, max: ({ max: most }) => (most > 50 ? 100 : null) }),
  axisLabel: { color: look.soft, formatter: (value) => `${tick(value, '')} %` },
});

/** The options that all charts share. */
function baseOption(look, summary) {
  const printing = document.documentElement.classList.contains('printing');
  const still = printing || matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    animation: !still,
    animationDuration: 350,
    animationDurationUpdate: 250,
    textStyle: { fontFamily: look.font, color: look.ink, fontSize: TEXT_PX },
    aria: { enabled: true, label: { description: summary } },
    tooltip: {
      confine: true,
      backgroundColor: look.raised,
      borderColor: look.strong,
      borderWidth: 1,
      padding: [8, 12],
      textStyle: { color: look.ink },
      extraCssText: 'box-shadow:0 4px 16px rgb(0 0 0/15%)',
    },
  };
}

/** A label that hides the grid behind it. The line height is given, as the library would guess
    it from a glyph that not every system has. */
function labelBox(look) {
  return { backgroundColor: look.raised, padding: [0, 3], lineHeight: LABEL_LINE_PX };
}

/** The name of an axis below it. */
const nameBelow = (look, name) => ({ name, nameLocation: 'middle', nameGap: 26, nameTextStyle: { color: look.soft, fontSize: TEXT_PX } });

/** A value axis, linear or logarithmic, whose ticks carry their unit. */
function valueAxis(look, { name = '', unit, log, min, max }) {
  return {
    type: log ? 'log' : 'value',
    splitNumber: 4,
    min: log ? min : undefined,
    max: log ? max : undefined,
    name,
    nameTextStyle: { color: look.soft, fontSize: 12 },
    axisLine: { show: false },
    axisTick: { show: false },
    minorSplitLine: { show: false },
    splitLine: { lineStyle: { color: look.line } },
    axisLabel: { color: look.soft, hideOverlap: true, formatter: (value) => tick(value, unit) },
  };
}

function categoryAxis(look, data, more = {}) {
  return {
    type: 'category',
    data,
    axisLine: { lineStyle: { color: look.strong } },
    axisTick: { show: false },
    axisLabel: { color: look.ink, interval: 0, lineHeight: 14 },
    ...more,
  };
}

/** Whole powers of ten around the positive values; a bar at the lower end would be invisible. */
function logExtent(values, room = 1) {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { min: 0.1, max: 10 };
  const low = Math.min(...positive);
  const high = Math.max(...positive);
  const min = 10 ** Math.floor(Math.log10(low / room));
  const max = 10 ** Math.ceil(Math.log10(high));
  return { min, max: max > min ? max : min * 10 };
}

/** A tooltip as elements, never as markup: names come from files. */
function tip(title, lines) {
  const box = document.createElement('div');
  box.className = 'tip';
  box.appendChild(document.createElement('b')).textContent = title;
  const table = box.appendChild(document.createElement('table'));
  for (const [label, value, colour] of lines) {
    const row = table.insertRow();
    const mark = row.insertCell();
    if (colour) {
      mark.textContent = '●';
      mark.style.color = colour;
    }
    row.insertCell().textContent = label;
    row.insertCell().textContent = value;
  }
  return box;
}

const LEGEND_ICON_PX = 22;
/** Around all names. */
const LEGEND_PADDING_PX = 5;
/** Between names, and between their rows. */
const LEGEND_GAP_PX = 12;
const LEGEND_ROW_PX = LABEL_LINE_PX + LEGEND_GAP_PX;
/** More rows than this would be a wall: such a legend has pages. */
const LEGEND_ROWS_MAX = 8;

/** A text in lines of at most `px` pixels, broken between words. */
function wrapped(text, look, px) {
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && textPx(longer, look) <= px) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A name that is wider than the picture, on two lines: broken at the last space that fits. */
function broken(name, look, width) {
  const fits = (text) => LEGEND_ICON_PX + 5 + LEGEND_GAP_PX + textPx(text, look) <= width;
  if (fits(name)) return name;
  const words = name.split(' ');
  let count = words.length - 1;
  while (count > 1 && !fits(words.slice(0, count).join(' '))) count -= 1;
  return `${words.slice(0, count).join(' ')}\n${words.slice(count).join(' ')}`;
}

/** The rows that the names of a legend take, each name whole. */
function legendRows(names, look, width) {
  let [rows, used] = [1, 0];
  for (const name of names) {
    const lines = broken(name, look, width).split('\n');
    rows += lines.length - 1;
    // Rounded up, as the library does.
    const px = LEGEND_ICON_PX + 5 + Math.ceil(Math.max(...lines.map((line) => textPx(line, look)))) + 1;
    if (used > 0 && used + LEGEND_GAP_PX + px > width) [rows, used] = [rows + 1, 0];
    used += (used > 0 ? LEGEND_GAP_PX : 0) + px;
  }
  return rows;
}

/** Makes room below a picture for a legend of several rows; how much higher the picture gets. */
function makeRoomForLegend(option, look, width) {
  if (!option.legend) return 0;
  const inner = width - 2 * LEGEND_PADDING_PX;
  const rows = legendRows(option.legend.data, look, inner);
  if (rows > LEGEND_ROWS_MAX) return 0;
  option.legend.type = 'plain';
  option.legend.formatter = (name) => broken(name, look, inner);
  const more = (rows - 1) * LEGEND_ROW_PX;
  option.grid = { ...option.grid, bottom: option.grid.bottom + more };
  for (const zoom of option.dataZoom ?? []) {
    if (zoom.bottom !== undefined) zoom.bottom += more;
  }
  return more;
}

/** Names of lines below a chart. */
function legendOf(look, data) {
  return {
    type: 'scroll',
    bottom: 0,
    left: 0,
    itemWidth: LEGEND_ICON_PX,
    itemHeight: 9,
    padding: LEGEND_PADDING_PX,
    itemGap: LEGEND_GAP_PX,
    // A legend with pages shows as much of a line as its height says.
    textStyle: { color: look.soft, fontSize: 12, lineHeight: LABEL_LINE_PX },
    pageIconColor: look.ink,
    pageIconInactiveColor: look.strong,
    pageTextStyle: { color: look.soft },
    data,
  };
}
