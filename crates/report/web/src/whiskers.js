// Whiskers: the 95 % confidence interval of a mean over repeats, across the end of its bar or its mark.

const WHISKER_END_PX = 4;
const WHISKER_LINE_PX = 1.4;

const wasRepeated = (data, measure) => data.measures[measure].half_widths !== undefined;

/** Half the width of the interval of a run's value; null where there is none. */
const halfWidthOf = (data, measure, run) => data.measures[measure].half_widths?.[run] ?? null;

/** The ends of an interval; none for one without width, which would only hide its mark. */
function intervalOf(value, halfWidth) {
  return halfWidth > 0 ? [value - halfWidth, value + halfWidth] : [];
}

/** A series of whiskers along the axis of values: `points` are [category, low, high]. On bars that lie, the
    categories are at the side; `shift` moves the whisker across, to a bar that is not in the middle. A
    logarithmic axis shows nothing below its `least`. */
function whiskers(look, points, { lying = false, shift = 0, least = -Infinity }) {
  const renderItem = (_params, api) => {
    const at = (value) => {
      const [x, y] = api.coord(lying ? [value, api.value(0)] : [api.value(0), value]);
      return lying ? [x, y + shift] : [x + shift, y];
    };
    const [low, high] = [at(Math.max(api.value(1), least)), at(api.value(2))];
    const line = ([x1, y1], [x2, y2]) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: look.ink, lineWidth: WHISKER_LINE_PX } });
    const across = ([x, y]) => {
      const [dx, dy] = lying ? [0, WHISKER_END_PX] : [WHISKER_END_PX, 0];
      return line([x - dx, y - dy], [x + dx, y + dy]);
    };
    return { type: 'group', children: [line(low, high), across(low), across(high)] };
  };
  return {
    name: 'Interval',
    type: 'custom',
    renderItem,
    encode: lying ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
    data: points,
    clip: true,
    silent: true,
    z: 7,
    tooltip: { show: false },
  };
}
