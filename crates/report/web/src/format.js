// Numbers as the tables print them, and text made safe for CSV.

/** Three significant digits, thousands grouped. */
function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const rounded = Number(value.toPrecision(3));
  if (rounded !== 0 && Math.abs(rounded) < 1e-4) return rounded.toExponential(2);
  const magnitude = rounded === 0 ? 0 : Math.floor(Math.log10(Math.abs(rounded)));
  const digits = Number.isInteger(value) ? 0 : Math.max(0, 2 - magnitude);
  return rounded.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A latency given in milliseconds, in the unit that fits. */
function latency(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1e-3) return `${number(Number((ms * 1e6).toPrecision(3)))} ns`;
  if (ms < 1) return `${number(Number((ms * 1e3).toPrecision(3)))} µs`;
  if (ms < 1e3) return `${number(Number(ms.toPrecision(3)))} ms`;
  return `${number(Number((ms / 1e3).toPrecision(3)))} s`;
}

/** Digits of a mean at most, however narrow its interval is. */
const MEAN_DIGITS_MAX = 7;

/** A mean and half the width of its interval, with the decimals that two digits of the latter need; without
    one the value alone. */
function mean(value, halfWidth) {
  if (halfWidth === null) return number(value);
  const magnitude = (of) => Math.floor(Math.log10(Math.abs(of)));
  if (halfWidth === 0) return `${number(value)} ± 0`;
  const decimals = 1 - magnitude(Number(halfWidth.toPrecision(2)));
  if (value !== 0 && decimals > MEAN_DIGITS_MAX - 1 - magnitude(value)) return `${number(value)} ± ${halfWidth.toExponential(1)}`;
  const digits = { minimumFractionDigits: Math.max(0, decimals), maximumFractionDigits: Math.max(0, decimals) };
  return [value, halfWidth].map((of) => of.toLocaleString('en-US', digits)).join(' ± ');
}

/** A value of a chart with its unit; of repeats with half the width of its interval. */
function quantity(value, unit, halfWidth = null) {
  if (unit === 'ms' && halfWidth === null) return latency(value);
  return inUnit(value, unit, halfWidth);
}

/** A value in exactly the unit of a chart, for comparison with published ones. */
function inUnit(value, unit, halfWidth = null) {
  const text = mean(value, halfWidth);
  return unit === '' ? text : `${text} ${unit}`;
}

/** An axis tick: short, so that ticks do not collide. */
function tick(value, unit) {
  if (value === 0) return '0';
  if (unit === 'ms') return latency(value);
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e3) return `${value / 1e3}k`;
  return value.toLocaleString('en-US', { maximumFractionDigits: 8 });
}

/** An axis tick in exactly the unit of a chart; milliseconds are never counted in thousands. IOPS stand
    without their unit, which is long and in every label. */
function tickInUnit(value, unit) {
  const text = unit === 'ms' ? value.toLocaleString('en-US', { maximumFractionDigits: 8 }) : tick(value, '');
  return unit === '' || unit === 'IOPS' ? text : `${text} ${unit}`;
}

/** A number and its unit on one line. */
function keepUnits(text) {
  return text.replace(/(\d) (?=(?:[KMGT]B|[KMGT]iB|%)(?:\W|$))/g, '$1\u00a0');
}

function csvLine(cells) {
  return cells
    .map((cell) => {
      const text = cell === null || cell === undefined ? '' : String(cell);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
}
