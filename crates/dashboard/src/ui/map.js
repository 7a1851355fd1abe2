// The map: how pages were found. Seeds are in the middle; each ring is one link further away. Every page stands behind the page
// that led to it, and gets an angle in proportion to how much was found behind it, relevant pages counting most. It is drawn on
// a canvas, so ten thousand pages are no more than a picture; names appear where there is room for them.
import { h, get, inert, count, plural, empty, failed, score, readingText } from '/core.js';

const RING = 120;

export function map(app) {
  const canvas = h('canvas', { tabindex: '0', role: 'application', 'aria-label': 'Map of the pages. Arrow keys move, plus and minus zoom, 0 shows everything. The list below has the best paths.' });
  const tip = h('div', { class: 'tip', hidden: true }), nothing = h('div', { class: 'empty', role: 'status', text: 'Loading…' });
  const button = (text, label, run) => h('button', { type: 'button', text, 'aria-label': label, on: { click: run } });
  const box = h('div', { class: 'mapbox' }, canvas, nothing, tip, h('div', { class: 'zoom' }, button('+', 'Zoom in', () => zoom(1.4)), button('−', 'Zoom out', () => zoom(1 / 1.4)), button('◎', 'Show everything', fit)));
  const summary = h('p', { text: 'Loading…' }), find = h('input', { type: 'search', placeholder: 'Find a title', 'aria-label': 'Find a title on the map' });
  const only = h('input', { type: 'checkbox' }), paths = h('ol', { class: 'results' });
  const node = h('div', {},
    h('div', { class: 'head' }, h('div', {}, h('h1', { text: 'Map' }), summary), h('div', { class: 'row' }, find, h('label', { class: 'check' }, only, 'only paths to relevant pages'))),
    h('div', { class: 'legend' }, h('span', {}, h('i', { class: 'dot c2' }), 'relevant'), h('span', {}, h('i', { class: 'dot c0' }), 'other'), h('span', {}, h('i', { class: 'dot c5' }), 'seed'), h('span', { text: 'distance from the middle: links away from a seed' })),
    box, h('div', { class: 'grid' }, h('section', { class: 'card w12 wide' }, h('h2', { text: 'Best paths' }), paths)));

  let data = null, tree = null, scale = 1, x = 0, y = 0, hover = -1, isGone = false, isDrawn = false, colours = {}, asked = 0, timer = 0, isTouched = false;

  function readColours() {
    const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(name).trim();
    colours = { good: of('--plot-2'), other: of('--plot-0'), seed: of('--plot-5'), edge: of('--line'), strong: of('--strong-line'), ink: of('--ink'), back: of('--surface'), found: of('--plot-3') };
  }

  async function load() {
    asked = Date.now();
    try {
      data = await get(`crawls/${app.crawl}/map?limit=${only.checked ? 20000 : 10000}`);
      if (isGone) return;
      data.titles = data.titles.map(inert);
      build();
      const hasRoom = canvas.clientWidth > 0;
      if (hasRoom && !isTouched) fit();
      else draw();
      if (typeof data.read === 'number') { summary.textContent = readingText(data.read); timer ||= setTimeout(() => { timer = 0; load(); }, 3500); }
    } catch (error) { nothing.textContent = error.message; failed(error); }
  }

  function build() {
    const all = data.ids.length, children = Array.from({ length: all }, () => []), roots = [];
    const isKept = new Uint8Array(all).fill(1);
    if (only.checked) {
      isKept.fill(0);
      for (let at = 0; at < all; at++) if (data.relevant[at]) for (let up = at; up >= 0 && !isKept[up]; up = data.parents[up]) isKept[up] = 1;
    }
    // A page fetched again may name a later one as its parent; such a link would close a circle.
    const depth = new Int32Array(all).fill(-1);
    for (let at = 0; at < all; at++) {
      if (!isKept[at]) continue;
      const seen = new Set();
      let up = at;
      while (data.parents[up] >= 0 && isKept[data.parents[up]] && !seen.has(up)) { seen.add(up); up = data.parents[up]; }
      if (seen.has(up)) data.parents[at] = -1;
      const parent = data.parents[at];
      if (parent >= 0 && isKept[parent]) children[parent].push(at);
      else roots.push(at);
    }
    // Weights from the leaves up, without recursion: paths may be long.
    const order = [...roots];
    for (const root of roots) depth[root] = 0;
    for (let at = 0; at < order.length; at++) for (const child of children[order[at]]) { depth[child] = depth[order[at]] + 1; order.push(child); }
    const weight = new Float64Array(all);
    for (let at = order.length - 1; at >= 0; at--) {
      const page = order[at];
      weight[page] = children[page].reduce((sum, child) => sum + weight[child], 0) + (data.relevant[page] ? 1.6 : 0.6);
    }
    const from = new Float64Array(all), to = new Float64Array(all), px = new Float64Array(all), py = new Float64Array(all);
    const share = (pages, start, end) => {
      const whole = pages.reduce((sum, page) => sum + weight[page], 0) || 1;
      let angle = start;
      for (const page of pages) { from[page] = angle; angle += (end - start) * weight[page] / whole; to[page] = angle; }
    };
    share(roots, -Math.PI / 2, 1.5 * Math.PI);
    for (const page of order) share(children[page], from[page], to[page]);
    const deepest = order.reduce((most, page) => Math.max(most, depth[page]), 0);
    // Rings grow with what stands on them, so that points do not lie on top of each other. Far rings with little on them
    // are narrow, so that one endless path does not shrink everything else.
    const onRing = new Float64Array(deepest + 2);
    for (const page of order) onRing[depth[page] + 1]++;
    const radius = new Float64Array(deepest + 2), fullest = onRing.reduce((most, pages) => Math.max(most, pages), 1);
    for (let ring = 1; ring <= deepest + 1; ring++) radius[ring] = radius[ring - 1] + Math.max(ring <= 5 ? RING : RING * Math.max(0.08, Math.min(1, 8 * onRing[ring] / fullest)), Math.min(RING * 5, onRing[ring] * 9 / (2 * Math.PI) - radius[ring - 1]));
    for (const page of order) {
      const alone = roots.length === 1 && depth[page] === 0, r = alone ? 0 : radius[depth[page] + (roots.length === 1 ? 0 : 1)] * (roots.length > 1 && depth[page] === 0 ? 0.5 : 1), angle = (from[page] + to[page]) / 2;
      px[page] = r * Math.cos(angle);
      py[page] = r * Math.sin(angle);
    }
    // The map fills its box rather than a circle in it.
    const stretch = Math.max(0.8, Math.min(1.8, canvas.clientWidth / Math.max(1, canvas.clientHeight)));
    for (const page of order) px[page] *= stretch;
    const byRelevance = [...order].sort((a, b) => data.relevance[b] - data.relevance[a]);
    tree = { order, px, py, depth, byRelevance, size: (radius[deepest + (roots.length === 1 ? 0 : 1)] || RING) + RING / 3, stretch };
    nothing.hidden = order.length > 0;
    nothing.textContent = data.all ? 'No page is relevant so far.' : 'No page has been read yet.';
    const relevant = order.reduce((sum, page) => sum + data.relevant[page], 0);
    summary.textContent = `${plural(order.length, 'page')}${data.all > order.length ? ` of ${count(data.all)}` : ''}, ${count(relevant)} relevant${relevant > (app.lines.find(line => line.id === app.crawl)?.relevant ?? relevant) ? ' with copies' : ''}, ${plural(data.host_names.length, 'host')}, up to ${plural(deepest, 'link')} from a seed`;
    // Copies have the same title, and one path to each is enough.
    const named = new Set(), best = byRelevance.filter(page => data.relevant[page] && !named.has(data.titles[page]) && named.add(data.titles[page])).slice(0, 12);
    paths.replaceChildren(...(best.length ? best.map(page => h('li', {}, score({ relevance: data.relevance[page], relevant: true }), h('div', {},
      h('button', { class: 'title', type: 'button', text: data.titles[page], on: { click: () => app.openPage(data.ids[page]) } }),
      h('p', { class: 'small muted wrap', text: trail(page).map(step => data.titles[step]).join(' → ') })), h('div', { class: 'row end' }, h('button', { class: 'tiny', type: 'button', text: 'On the map', 'aria-label': `Show ${data.titles[page]} on the map`, on: { click: () => show(page) } })))) : [h('li', { class: 'nothing' }, empty('No page is relevant so far.'))]));
  }

  function trail(page) {
    const steps = [];
    for (let at = page; at >= 0 && !steps.includes(at); at = data.parents[at]) steps.unshift(at);
    return steps;
  }

  function fit() {
    if (!tree) return;
    isTouched = false;
    scale = Math.min(canvas.clientWidth / tree.stretch, canvas.clientHeight) / (2.1 * tree.size);
    x = canvas.clientWidth / 2;
    y = canvas.clientHeight / 2;
    draw();
  }
  function zoom(by, cx = canvas.clientWidth / 2, cy = canvas.clientHeight / 2) {
    isTouched = true;
    const before = scale;
    scale = Math.max(0.005, Math.min(8, scale * by));
    x = cx - (cx - x) * scale / before;
    y = cy - (cy - y) * scale / before;
    draw();
  }
  function show(page) {
    isTouched = true;
    scale = Math.max(scale, 0.9);
    x = canvas.clientWidth / 2 - tree.px[page] * scale;
    y = canvas.clientHeight / 2 - tree.py[page] * scale;
    hover = page;
    draw();
    box.scrollIntoView({ block: 'nearest' });
  }

  function draw() {
    if (isDrawn || !tree) return;
    isDrawn = true;
    requestAnimationFrame(() => { isDrawn = false; paint(); });
  }

  function paint() {
    const wide = canvas.clientWidth, tall = canvas.clientHeight, sharp = Math.min(2, devicePixelRatio || 1);
    if (canvas.width !== Math.round(wide * sharp)) canvas.width = Math.round(wide * sharp);
    if (canvas.height !== Math.round(tall * sharp)) canvas.height = Math.round(tall * sharp);
    const pen = canvas.getContext('2d');
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, wide, tall);
    const { px, py, order, depth } = tree, sx = page => x + px[page] * scale, sy = page => y + py[page] * scale;
    const isSeen = page => { const a = sx(page), b = sy(page); return a > -50 && a < wide + 50 && b > -50 && b < tall + 50; };
    const onTrail = new Set(hover >= 0 ? trail(hover) : []), wanted = find.value.trim().toLowerCase();
    // Lines first. Paths to relevant pages are darker.
    const plain = new Path2D(), strong = new Path2D(), chosen = new Path2D();
    for (const page of order) {
      const parent = data.parents[page];
      if (parent < 0 || depth[page] < 1 || (!isSeen(page) && !isSeen(parent))) continue;
      const path = onTrail.has(page) && onTrail.has(parent) ? chosen : data.relevant[page] ? strong : plain;
      const mx = (px[page] + px[parent]) / 2 * scale + x, my = (py[page] + py[parent]) / 2 * scale + y;
      path.moveTo(sx(parent), sy(parent));
      path.quadraticCurveTo(mx + (x - mx) * 0.08, my + (y - my) * 0.08, sx(page), sy(page));
    }
    // Thousands of lines at once would be a carpet that hides the points.
    const crowd = Math.max(0.25, Math.min(1, scale * 4000 / order.length));
    pen.lineWidth = 0.4 + 0.4 * crowd; pen.strokeStyle = colours.edge; pen.globalAlpha = 0.35 + 0.65 * crowd; pen.stroke(plain);
    pen.lineWidth = 0.4 + 0.6 * crowd; pen.strokeStyle = colours.good; pen.globalAlpha = 0.2 + 0.3 * crowd; pen.stroke(strong); pen.globalAlpha = 1;
    pen.lineWidth = 2.5; pen.strokeStyle = colours.found; pen.stroke(chosen);
    const small = Math.max(1.1, Math.min(5, 3.2 * Math.sqrt(scale) * (order.length > 3000 ? 0.8 : 1)));
    for (const kind of [0, 1, 2]) {
      const dots = new Path2D();
      for (const page of order) {
        const is = data.seeds[page] ? 2 : data.relevant[page] ? 1 : 0;
        if (is !== kind || !isSeen(page)) continue;
        const r = kind === 0 ? small : kind === 1 ? small * 1.45 + 0.5 : small * 1.7 + 1;
        dots.moveTo(sx(page) + r, sy(page));
        dots.arc(sx(page), sy(page), r, 0, 7);
      }
      pen.fillStyle = [colours.other, colours.good, colours.seed][kind];
      pen.fill(dots);
    }
    const ring = (page, colour) => { pen.beginPath(); pen.arc(sx(page), sy(page), 9, 0, 7); pen.lineWidth = 2.5; pen.strokeStyle = colour; pen.stroke(); };
    if (hover >= 0) ring(hover, colours.found);
    if (wanted) for (const page of order) if (isSeen(page) && data.titles[page].toLowerCase().includes(wanted)) ring(page, colours.found);
    // Names, the most relevant first, where nothing is in the way.
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = 'middle';
    const taken = [], room = Math.min(160, Math.max(12, Math.round(scale * 90)));
    const said = new Set();
    let written = 0;
    const names = [...onTrail, ...order.filter(page => data.seeds[page]).slice(0, 12), ...tree.byRelevance];
    for (const page of names) {
      if (written >= room) break;
      if (!isSeen(page)) continue;
      const text = data.titles[page].length > 38 ? `${data.titles[page].slice(0, 36)}…` : data.titles[page];
      const isLeft = px[page] < 0, wideText = pen.measureText(text).width, left = isLeft ? sx(page) - 9 - wideText : sx(page) + 9, top = sy(page) - 8;
      // A name that is there already says nothing new, and half a name says nothing at all.
      if (said.has(text)) continue;
      if (left < 4 || left + wideText > canvas.clientWidth - 4) continue;
      if (taken.some(other => left < other[2] && left + wideText > other[0] && top < other[3] && top + 16 > other[1])) continue;
      taken.push([left - 4, top - 1, left + wideText + 4, top + 17]);
      pen.globalAlpha = 0.82; pen.fillStyle = colours.back; pen.fillRect(left - 3, top, wideText + 6, 16); pen.globalAlpha = 1;
      pen.fillStyle = colours.ink;
      pen.fillText(text, left, top + 8);
      said.add(text);
      written++;
    }
  }

  function at(cx, cy) {
    let best = -1, near = 14 * 14;
    if (!tree) return best;
    for (const page of tree.order) {
      const dx = x + tree.px[page] * scale - cx, dy = y + tree.py[page] * scale - cy, far = dx * dx + dy * dy;
      if (far < near) { near = far; best = page; }
    }
    return best;
  }

  const fingers = new Map();
  let moved = 0, pinch = 0;
  canvas.addEventListener('pointerdown', event => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, [event.offsetX, event.offsetY]); moved = 0; canvas.classList.add('moving'); });
  canvas.addEventListener('pointermove', event => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      const page = at(event.offsetX, event.offsetY);
      if (page !== hover) { hover = page; draw(); }
      tip.hidden = page < 0;
      if (page >= 0) {
        tip.textContent = `${data.titles[page]} – ${data.host_names[data.hosts[page]]} – ${data.relevance[page].toFixed(3)}`;
        tip.style.left = `${Math.min(event.offsetX + 14, Math.max(0, canvas.clientWidth - 330))}px`;
        tip.style.top = `${event.offsetY + 14}px`;
      }
      return;
    }
    moved += Math.abs(event.offsetX - before[0]) + Math.abs(event.offsetY - before[1]);
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (fingers.size === 2) {
      const [[ax, ay], [bx, by]] = [...fingers.values()], now = Math.hypot(ax - bx, ay - by);
      if (pinch) zoom(now / pinch, (ax + bx) / 2, (ay + by) / 2);
      pinch = now;
    } else {
      isTouched = true;
      x += event.offsetX - before[0];
      y += event.offsetY - before[1];
      draw();
    }
  });
  const up = event => {
    if (fingers.delete(event.pointerId) && moved < 6 && event.type === 'pointerup') {
      const page = at(event.offsetX, event.offsetY);
      if (page >= 0) app.openPage(data.ids[page]);
    }
    pinch = 0;
    if (!fingers.size) canvas.classList.remove('moving');
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('wheel', event => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY); }, { passive: false });
  canvas.addEventListener('keydown', event => {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) { isTouched = true; x += step[0]; y += step[1]; draw(); }
    else if (event.key === '+' || event.key === '=') zoom(1.4);
    else if (event.key === '-') zoom(1 / 1.4);
    else if (event.key === '0') fit();
    else if (event.key === 'Enter' && hover >= 0) app.openPage(data.ids[hover]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  only.addEventListener('change', load);
  find.addEventListener('input', () => {
    const wanted = find.value.trim().toLowerCase(), page = wanted && tree ? tree.byRelevance.find(page => data.titles[page].toLowerCase().includes(wanted)) : undefined;
    if (page !== undefined) { isTouched = true; x = canvas.clientWidth / 2 - tree.px[page] * scale; y = canvas.clientHeight / 2 - tree.py[page] * scale; }
    draw();
  });
  const recolour = () => { readColours(); draw(); };
  window.addEventListener('themechange', recolour);
  const watch = new ResizeObserver(() => (isTouched ? draw() : fit()));
  watch.observe(canvas);
  readColours();
  load();
  return {
    node,
    changed() { if (!timer) timer = setTimeout(() => { timer = 0; if (!isGone && !document.hidden) load(); }, Math.max(0, asked + 8000 - Date.now())); },
    leave() { isGone = true; clearTimeout(timer); watch.disconnect(); window.removeEventListener('themechange', recolour); },
  };
}
