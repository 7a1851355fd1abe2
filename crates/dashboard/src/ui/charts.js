// Plots as SVG: axes with numbers and units, a cursor that reads values, and a table for those who cannot see the plot.
import { h, s } from '/core.js';

/** Round numbers that divide an axis, about as many as wanted. */
export function ticks(least, most, wanted) {
  const span = most - least || 1;
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= raw) ?? raw;
  const found = [];
  for (let at = Math.ceil(least / step) * step; at <= most + step / 1e6; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return found;
}

/** Minus signs as long as plus signs. */
const short = value => shortened(value).replace('-', '−');

const shortened = value => {
  const size = Math.abs(value);
  if (size >= 1e6) return `${+(value / 1e6).toFixed(1)}M`;
  if (size >= 1e4) return `${+(value / 1e3).toFixed(1)}k`;
  return String(+value.toPrecision(4));
};

function frame(label, height, nothing) {
  const svg = s('svg', { role: 'img', 'aria-label': label, height });
  const tip = h('div', { class: 'tip', hidden: true }), none = h('p', { class: 'none', hidden: true, text: nothing });
  return { box: h('div', { class: 'plot' }, svg, tip, none), svg, tip, none };
}

/** The unit of a plot above it, and what its colours mean. */
const caption = (text, legend) => h('div', { class: 'caption' }, h('p', { class: 'small muted', text }),
  legend ? h('div', { class: 'legend' }, legend.map(([name, kind]) => h('span', {}, h('i', { class: kind }), name))) : null);

/** Draws now and again whenever the width changes. */
function keepDrawn(box, draw) {
  let last = 0;
  const watch = new ResizeObserver(entries => {
    const now = Math.round(entries[0].contentRect.width);
    if (now > 0 && now !== last) draw(last = now);
  });
  watch.observe(box);
  return () => last && draw(last);
}

/**
 * Lines over a common axis. `data()` gives { x: [], lines: [{ name, class, area, values }] }; x must grow.
 * The axis reaches up to `least` at least. `nothing` stands in the place of lines that have no values yet.
 */
export function lineChart({ label, xLabel, yLabel, xText = short, yText = short, yTick = yText, height = 240, least = 1, legend = null, nothing = 'No page has been tried yet.', data }) {
  const { box, svg, tip, none } = frame(label, height, nothing);
  const cursor = s('line', { class: 'cursor', visibility: 'hidden' });
  let shape = null;
  const redraw = keepDrawn(box, whole => {
    const { x, lines } = data();
    const left = 46, right = 10, top = 8, bottom = 42;
    const inner = Math.max(40, whole - left - right), tall = height - top - bottom;
    // Numbers on an axis that measures nothing would be made up.
    const isEmpty = !((x.at(-1) ?? 0) > 0);
    none.hidden = !isEmpty;
    const xMost = isEmpty ? 1 : x.at(-1), yMost = Math.max(least, ...lines.flatMap(line => line.values)) * 1.05;
    const px = value => left + inner * value / xMost, py = value => top + tall * (1 - value / yMost);
    const parts = [];
    for (const at of isEmpty ? [] : ticks(0, yMost, 4)) {
      parts.push(s('line', { class: 'grid-line', x1: left, x2: left + inner, y1: py(at), y2: py(at) }),
        s('text', { x: left - 7, y: py(at) + 4, 'text-anchor': 'end', text: yTick(at) }));
    }
    for (const at of isEmpty ? [] : ticks(0, xMost, whole < 480 ? 3 : 6)) {
      parts.push(s('line', { class: 'axis', x1: px(at), x2: px(at), y1: top + tall, y2: top + tall + 5 }),
        s('text', { x: px(at), y: top + tall + 18, 'text-anchor': 'middle', text: xText(at) }));
    }
    parts.push(s('line', { class: 'axis', x1: left, x2: left + inner, y1: top + tall, y2: top + tall }),
      s('line', { class: 'axis', x1: left, x2: left, y1: top, y2: top + tall }),
      s('text', { x: left + inner, y: height - 6, 'text-anchor': 'end', text: xLabel }));
    for (const line of isEmpty ? [] : lines) {
      const points = line.values.map((value, at) => `${px(x[at]).toFixed(1)},${py(value).toFixed(1)}`);
      if (line.area && points.length) parts.push(s('polygon', { class: line.area, points: [`${px(x[0])},${py(0)}`, ...points, `${px(x.at(-1))},${py(0)}`].join(' ') }));
      parts.push(s('polyline', { class: `line ${line.class}`, points: points.join(' ') }));
    }
    svg.setAttribute('viewBox', `0 0 ${whole} ${height}`);
    svg.replaceChildren(...parts, cursor);
    shape = { x: isEmpty ? [] : x, lines, px, left, inner, top, tall, whole, xMost };
  });
  svg.addEventListener('pointermove', event => {
    if (!shape?.x.length) return;
    const at = (event.offsetX - shape.left) / shape.inner * shape.xMost;
    let near = 0;
    shape.x.forEach((value, index) => { if (Math.abs(value - at) < Math.abs(shape.x[near] - at)) near = index; });
    const place = shape.px(shape.x[near]);
    for (const [name, value] of Object.entries({ x1: place, x2: place, y1: shape.top, y2: shape.top + shape.tall, visibility: 'visible' })) cursor.setAttribute(name, value);
    tip.hidden = false;
    tip.textContent = `${xText(shape.x[near])} ${xLabel}: ${shape.lines.filter(line => near < line.values.length).map(line => `${yText(line.values[near])} ${line.name}`).join(', ')}`;
    tip.style.left = `${Math.max(0, Math.min(place - 60, shape.whole - tip.offsetWidth))}px`;
  });
  svg.addEventListener('pointerleave', () => { tip.hidden = true; cursor.setAttribute('visibility', 'hidden'); });
  const rows = () => { const { x, lines } = data(); return [[xLabel, ...lines.map(line => line.name)], ...x.map((value, at) => [xText(value), ...lines.map(line => at < line.values.length ? yText(line.values[at]) : '')])]; };
  return { node: h('div', { class: 'stack' }, h('div', {}, caption(yLabel, legend), box), asTable(rows)), redraw };
}

/** Round numbers for an axis that grows with the square root. */
function rootTicks(most) {
  const rounded = [0, 1 / 16, 1 / 4, 9 / 16, 1].map(share => { const value = share * most, power = 10 ** Math.floor(Math.log10(Math.max(1, value))); return Math.round(value / power) * power; });
  return [...new Set(rounded)].filter(value => value <= most);
}

/** Bars from a lowest to a highest value, with a mark. Heights grow with the square root, so that small bars show beside large ones. `data()` gives { least, most, bins, mark, above }. */
export function histogram({ label, xLabel, yLabel, height = 210, xText = value => value.toFixed(2), markText, legend = null, nothing = 'No page has been read yet.', data }) {
  const { box, svg, tip, none } = frame(label, height, nothing);
  const redraw = keepDrawn(box, whole => {
    const { least, most, bins, mark } = data();
    const left = 46, right = 10, top = 20, bottom = 42;
    const inner = Math.max(40, whole - left - right), tall = height - top - bottom;
    const isEmpty = !bins.some(Boolean);
    none.hidden = !isEmpty;
    const yMost = Math.max(1, ...bins), px = value => left + inner * (value - least) / ((most - least) || 1), py = value => top + tall * (1 - Math.sqrt(value / yMost));
    const parts = [];
    for (const at of isEmpty ? [] : rootTicks(yMost)) {
      parts.push(s('line', { class: 'grid-line', x1: left, x2: left + inner, y1: py(at), y2: py(at) }),
        s('text', { x: left - 7, y: py(at) + 4, 'text-anchor': 'end', text: short(at) }));
    }
    const step = (most - least) / Math.max(1, bins.length);
    bins.forEach((value, at) => {
      const from = least + at * step, x1 = px(from), wide = Math.max(1, inner / bins.length - 1.5);
      const tall1 = value > 0 ? Math.max(1.5, top + tall - py(value)) : 0;
      const kind = mark === null || mark === undefined ? 'bar3' : from + step / 2 >= mark ? 'bar2' : 'bar1';
      const bar = s('rect', { class: kind, x: x1, y: top + tall - tall1, width: wide, height: tall1, rx: 1.5 });
      bar.addEventListener('pointerenter', () => {
        tip.hidden = false;
        tip.textContent = `${xText(from)} to ${xText(from + step)}: ${value.toLocaleString('en')}`;
        tip.style.left = `${Math.max(0, Math.min(x1 - 40, whole - tip.offsetWidth))}px`;
      });
      parts.push(bar);
    });
    for (const at of ticks(least, most, whole < 420 ? 5 : 8)) parts.push(s('text', { x: px(at), y: top + tall + 18, 'text-anchor': 'middle', text: short(at) }));
    parts.push(s('line', { class: 'axis', x1: left, x2: left + inner, y1: top + tall, y2: top + tall }),
      s('text', { x: left + inner, y: height - 6, 'text-anchor': 'end', text: xLabel }));
    if (mark !== null && mark !== undefined) {
      const place = px(mark), isRight = place > left + inner * 0.6;
      parts.push(s('line', { class: 'mark', x1: place, x2: place, y1: top - 12, y2: top + tall }),
        s('text', { x: place + (isRight ? -6 : 6), y: top - 3, 'text-anchor': isRight ? 'end' : 'start', text: markText?.(mark) ?? '' }));
    }
    svg.setAttribute('viewBox', `0 0 ${whole} ${height}`);
    svg.replaceChildren(...parts);
  });
  box.addEventListener('pointerleave', () => { tip.hidden = true; });
  const rows = () => {
    const { least, most, bins } = data(), step = (most - least) / Math.max(1, bins.length);
    return [[xLabel, yLabel], ...bins.map((value, at) => [`${xText(least + at * step)} to ${xText(least + (at + 1) * step)}`, value.toLocaleString('en')])];
  };
  return { node: h('div', { class: 'stack' }, h('div', {}, caption(`${yLabel}, square-root scale`, legend), box), asTable(rows)), redraw };
}

/** The numbers of a plot, made when somebody opens it. */
function asTable(rows) {
  const place = h('div', { tabindex: '0', role: 'region', 'aria-label': 'Numbers of the plot' });
  const details = h('details', { class: 'table' }, h('summary', { text: 'Show the numbers' }), place);
  details.addEventListener('toggle', () => {
    if (!details.open) return;
    const [names, ...lines] = rows();
    const step = Math.max(1, Math.ceil(lines.length / 60));
    place.replaceChildren(h('table', {},
      h('thead', {}, h('tr', {}, names.map(text => h('th', { class: 'r', text })))),
      h('tbody', {}, lines.filter((_, at) => at % step === 0 || at === lines.length - 1).map(line => h('tr', {}, line.map(text => h('td', { class: 'r', text })))))));
  });
  return details;
}

export const shortNumber = short;
