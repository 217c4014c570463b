// How charts look: colours of the current theme, shapes of drives, shared parts of every chart.

const COLOURS_COUNT = 12;
const LABEL_LINE_PX = 16;
const SHAPES = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow'];
const DASHES = ['solid', 'dashed', 'dotted'];

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

function shapeOf(drive) {
  return SHAPES[drive % SHAPES.length];
}

/** A second condition of a drive gets another dash. */
function dashOf(variant) {
  return DASHES[variant % DASHES.length];
}

/** What every chart has in common. */
function baseOption(look, summary) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    animation: !still,
    animationDuration: 350,
    animationDurationUpdate: 250,
    textStyle: { fontFamily: look.font, color: look.ink, fontSize: 12 },
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

/** A value axis, linear or logarithmic, whose ticks carry their unit. */
function valueAxis(look, { name = '', unit, log, min, max }) {
  return {
    type: log ? 'log' : 'value',
    splitNumber: 4,
    min: log ? min : undefined,
    max: log ? max : undefined,
    // Where bars stand; on a log scale they would grow from 1 otherwise.
    startValue: log ? min : undefined,
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

function legendOf(look, data) {
  return {
    type: 'scroll',
    bottom: 0,
    left: 0,
    itemWidth: 22,
    itemHeight: 9,
    itemGap: 16,
    // Of several pages a legend shows as much of a line as its height says.
    textStyle: { color: look.soft, fontSize: 12, lineHeight: LABEL_LINE_PX },
    pageIconColor: look.ink,
    pageIconInactiveColor: look.strong,
    pageTextStyle: { color: look.soft },
    data,
  };
}
