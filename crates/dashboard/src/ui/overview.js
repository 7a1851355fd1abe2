// The overview: how far a crawl has come, what it finds, and what it costs.
import { h, refill, get, post, count, percent, bytes, duration, rate, time, plural, width, card, empty, causeText, stateBadge, score, canChange, failed, toast, session, readingText } from '/core.js';
import { lineChart, histogram, shortNumber } from '/charts.js';

const HOST_STATES = {
  ready: ['ready', 'good'], busy: ['being asked', 'info'], resting: ['resting', ''], parked: ['waiting for its first turn', ''],
  blocked: ['blocked', 'bad'], full: ['page limit reached', 'warn'], idle: ['nothing waits', ''],
};

/** There are no more colours that everybody can tell apart. */
const SHADES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

/** Harvest curves over a common axis. One that ends earlier has fewer values. */
function curvesOf(named) {
  const most = Math.max(1, ...named.map(([, curve]) => curve.at(-1)?.[0] ?? 0)), x = Array.from({ length: 101 }, (_, at) => most * at / 100);
  const lines = named.map(([name, curve], at) => {
    const values = [];
    let next = 0, before = [0, 0];
    for (const pages of x) {
      while (next < curve.length && curve[next][0] <= pages) before = curve[next++];
      if (next === curve.length && pages > before[0]) break;
      const after = curve[next] ?? before, share = after[0] > before[0] ? (pages - before[0]) / (after[0] - before[0]) : 0;
      values.push(before[1] + share * (after[1] - before[1]));
    }
    return { name, class: SHADES[at], values };
  });
  return { x: x.map(Math.round), lines };
}

export function overview(app) {
  const view = h('div', {}, h('h1', { class: 'sr', text: 'Overview' }), h('p', { class: 'sr', role: 'status', text: 'Loading…' }), h('div', { class: 'skeleton low' }), h('div', { class: 'skeleton' }));
  let data = null, parts = null, asked = 0, timer = 0, others = 0, isGone = false, sideBySide = { x: [], lines: [] };

  async function load() {
    asked = Date.now();
    try {
      data = await get(`crawls/${app.crawl}/overview`);
      if (isGone) return;
      if (!parts) { parts = build(); view.replaceChildren(parts.node); }
      parts.update();
      if (typeof data.read === 'number') changed();
    } catch (error) {
      if (!data) view.replaceChildren(h('p', { class: 'note bad', text: error.message }));
      else failed(error);
    }
  }
  // At most one request every few seconds, however fast things change.
  function changed() {
    if (timer || isGone) return;
    timer = setTimeout(() => { timer = 0; if (!document.hidden) load(); }, Math.max(0, asked + 2500 - Date.now()));
  }

  function build() {
    const title = h('h1'), about = h('p'), badge = h('span'), why = h('p'), actions = h('div', { class: 'row' });
    const figures = h('dl', { class: 'figures' }), budgets = h('div', { class: 'stack' });
    const notices = h('div', { class: 'stack' });
    const curve = lineChart({
      label: 'Relevant pages found, by pages tried', xLabel: 'pages tried', yLabel: 'relevant pages', data: () => ({
        x: [0, ...data.curve.map(point => point[0])],
        lines: [{ name: 'relevant', class: 'c2', area: 'area2', values: [0, ...data.curve.map(point => point[1])] }],
      }),
    });
    const speed = lineChart({
      label: 'Pages per second over the running time', xLabel: 'running time', yLabel: 'pages per second', xText: seconds => duration(seconds * 1000), yText: rate, yTick: shortNumber, legend: [['pages', 'c1'], ['relevant pages', 'c2']], data: () => {
        const { seconds_per_slot: step, slots } = data.timeline;
        return { x: slots.map((_, at) => at * step), lines: [
          { name: 'pages/s', class: 'c1', area: 'area1', values: slots.map(slot => slot[0] / step) },
          { name: 'relevant/s', class: 'c2', values: slots.map(slot => slot[1] / step) },
        ] };
      },
    });
    const harvest = lineChart({
      label: 'Harvest rate over the running time', xLabel: 'running time', yLabel: 'share of relevant pages, per cent', xText: seconds => duration(seconds * 1000), yText: value => `${value.toFixed(0)} %`, least: 10, data: () => {
        const { seconds_per_slot: step, slots } = data.timeline;
        // Each point is the mean of a few slots: single ones hold too few pages.
        const group = Math.max(1, Math.ceil(slots.length / 40)), x = [], values = [];
        for (let at = 0; at < slots.length; at += group) {
          const some = slots.slice(at, at + group), pages = some.reduce((sum, slot) => sum + slot[0], 0);
          if (!pages) continue;
          x.push((at + some.length / 2) * step);
          values.push(100 * some.reduce((sum, slot) => sum + slot[1], 0) / pages);
        }
        return { x, lines: [{ name: 'relevant', class: 'c2', values }] };
      },
    });
    const relevance = histogram({
      label: 'Pages by relevance', xLabel: 'relevance', yLabel: 'pages', markText: value => `threshold ${+value.toFixed(3)}`, legend: [['relevant', 'dot c2'], ['other', 'dot c0']],
      data: () => ({ least: 0, most: 1, bins: data.histogram, mark: data.threshold }),
    });
    const queueScores = histogram({
      label: 'Waiting URLs by score', xLabel: 'score', yLabel: 'URLs that wait', nothing: 'Nothing waits.', data: () => {
        const queue = data.status.queue;
        return { least: queue?.scores?.[0] ?? 0, most: queue?.scores?.[1] ?? 1, bins: queue?.bins ?? [] };
      },
    });
    const queueNote = h('div', { class: 'stack' }), queueHosts = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Hosts in the queue' });
    const hosts = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Hosts' }), failures = h('div'), genres = h('div'), languages = h('div'), depths = h('div'), best = h('ol', { class: 'results' });
    const agents = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Agents' }), learnt = h('div', { class: 'stack' });
    const agentsCard = card('Agents', 'Each has its own strategy and queue', 'w12 wide', agents), learntCard = card('What the strategy has learnt', 'Words or features of links, and their weights', 'w5', learnt), queueCard = card('Queue by host', 'Hosts with the most waiting URLs', 'w7 wide', queueHosts);
    const genresCard = card('Genres', 'Kind of page, as detected', '', genres);
    const allLines = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'All crawls' }), key = h('div', { class: 'legend' });
    const compare = lineChart({ label: 'Relevant pages of all crawls, by pages tried', xLabel: 'pages tried', yLabel: 'relevant pages', yText: value => shortNumber(Math.round(value)), data: () => sideBySide });
    const all = h('section', { class: 'card w12 wide', hidden: true }, h('h2', { text: 'All crawls' }), allLines, compare.node, key);
    const node = h('div', {},
      h('div', { class: 'head' }, h('div', {}, h('div', { class: 'row' }, title, badge), about, why), actions),
      notices, figures,
      h('div', { class: 'grid' },
        card('Harvest', 'Relevant pages against pages tried', 'w6 wide', curve.node),
        card('Speed', null, 'w6 wide', speed.node),
        card('Relevance', null, '', relevance.node),
        card('Harvest rate over time', null, '', harvest.node),
        card('Queue by score', null, '', queueScores.node, queueNote),
        card('Best pages', null, 'w7 wide', best),
        h('div', { class: 'column w5' }, card('Budget', null, '', budgets), card('Where requests fail', 'By status or cause', '', failures), card('Languages', null, '', languages)),
        card('Hosts', 'With the most relevant pages', 'w7 wide', hosts),
        h('div', { class: 'column w5' }, card('Depth', 'Links away from a seed', '', depths), genresCard),
        queueCard, learntCard, agentsCard, all));

    function update() {
      const { status, steering, settings } = data;
      title.textContent = status.topic || app.crawl;
      document.title = `${status.topic || app.crawl} – Scenthound`;
      badge.replaceChildren(stateBadge({ state: status.state, paused: steering.paused }));
      about.textContent = [status.strategy && `strategy ${status.strategy}`, status.judge && `judge ${status.judge}`, status.seeds !== null && status.seeds !== undefined && plural(status.seeds, 'seed'), status.scope && `scope ${status.scope}`, status.folder].filter(Boolean).join(' · ');
      why.textContent = stateText(status, steering);
      refill(actions, [status.state, steering.paused, canChange()], () => buttons(app, status, steering, load));
      notices.replaceChildren(...notes(status, data));
      drawFigures(figures, data);
      drawBudgets(budgets, data);
      curve.redraw(); speed.redraw(); harvest.redraw(); relevance.redraw(); queueScores.redraw();
      refill(best, data.best.map(page => [page.id, page.relevance]), () => (data.best.length ? data.best.map(page => h('li', {}, score(page), h('div', { }, h('button', { class: 'title', type: 'button', text: page.title || page.url, on: { click: () => app.openPage(page.id) } }), h('p', { class: 'url clip', text: page.url })))) : [h('li', { class: 'nothing' }, empty('No page has been read yet.'))]));
      bars(failures, Object.entries(data.failures).map(([cause, number]) => ({ name: causeText(cause), number })), 'three', 'No request has failed.');
      shares(genres, data.genres, 'Genres are not detected in this crawl.');
      genresCard.hidden = Object.keys(data.genres).length === 0;
      shares(languages, data.languages, 'No page has been read yet.');
      shares(depths, data.depths.map((share, depth) => [depth === 0 ? 'seeds' : plural(depth, 'link'), share]), 'No page has been read yet.');
      drawHosts(hosts, data, app);
      drawQueue(queueNote, queueHosts, status);
      all.hidden = app.lines.length < 2;
      refill(allLines, app.lines.map(line => [line.id, line.pages, line.relevant, line.state, line.paused]), () => [table(['Crawl', 'State', '>Pages', '>Relevant', '>Harvest rate', '>Waiting', '>Running time'], app.lines.filter(line => !line.error).map(line => [h('a', { href: `#/${encodeURIComponent(line.id)}/overview`, text: line.topic ? `${line.topic} (${line.id})` : line.id }), stateBadge(line), count(line.pages), count(line.relevant), percent(line.harvest_rate), count(line.waiting), duration(line.running_ms)]))]);
      const several = status.agents ?? [];
      agentsCard.hidden = several.length < 2;
      agents.replaceChildren(table(['#', 'Agent', 'Strategy', 'State', '>Pages', '>Relevant', '>Waiting'], several.map(agent => [agent.number, agent.name, agent.strategy, agent.state, count(agent.pages), count(agent.relevant), count(agent.waiting)])));
      // Before the first page, the weights are those that everybody starts with.
      const teaching = status.bodies ? several.filter(agent => agent.learnt?.length) : [];
      learntCard.hidden = teaching.length === 0;
      // One table stands beside the queue; those of several agents need the whole width.
      const isAlone = teaching.length === 1;
      queueCard.className = `card ${isAlone ? 'w7' : 'w12'} wide`;
      learntCard.className = `card ${isAlone ? 'w5' : 'w12 wide'}`;
      learnt.className = isAlone ? 'stack' : 'tables';
      learnt.replaceChildren(...teaching.map(agent => h('section', { class: 'stack' }, isAlone ? null : h('h3', { text: `${agent.number}. ${agent.name}` }), weights(agent.learnt))));
      void settings;
    }
    function updateOthers() {
      key.replaceChildren(...sideBySide.lines.map(line => h('span', {}, h('i', { class: line.class }), line.name)));
      compare.redraw();
    }
    return { node, update, updateOthers };
  }

  /** The curves of the other crawls, which change what is seen here only a little. */
  async function loadOthers() {
    if (isGone || app.lines.length < 2) return;
    const shown = app.lines.filter(line => !line.error).slice(0, SHADES.length);
    try {
      if (!document.hidden) {
        const found = await Promise.all(shown.map(line => get(`crawls/${line.id}/overview`)));
        if (isGone) return;
        sideBySide = curvesOf(found.map(({ curve }, at) => [shown[at].id, curve]));
        parts?.updateOthers();
      }
    } catch { /* They are asked for again. */ }
    others = setTimeout(loadOthers, 10000);
  }

  load().then(loadOthers);
  return { node: view, changed, leave() { isGone = true; clearTimeout(timer); clearTimeout(others); } };
}

function stateText(status, steering) {
  if (status.state === 'running') return steering.rejudging ? 'All pages are being judged again; fetching goes on after that.' : steering.paused ? 'Paused by you. Requests under way were finished; nothing new is asked for.' : `Process ${status.worker ?? '?'} is crawling.`;
  if (status.state === 'ended') return `Ended ${time(status.updated)}: ${status.ended}.`;
  if (status.state === 'killed') return 'Stopped unexpectedly: it was killed, or the machine went down. No finished page is lost; run the crawl again to resume it.';
  return 'Nothing has been crawled yet.';
}

function buttons(app, status, steering, load) {
  if (status.state !== 'running') return [];
  const ask = (kind, done) => async () => {
    try { await post(`crawls/${app.crawl}/steering`, { kind }); toast(done); load(); } catch (error) { failed(error); }
  };
  const off = !canChange();
  const title = off ? (session.read_only ? 'This dashboard is read-only' : 'Changes need the token from the printed address') : null;
  return [
    steering.paused
      ? h('button', { class: 'main', type: 'button', disabled: off, title, text: 'Resume', on: { click: ask('resume', 'The crawl goes on.') } })
      : h('button', { type: 'button', disabled: off, title, text: 'Pause', on: { click: ask('pause', 'The crawl pauses.') } }),
    h('button', { class: 'bad', type: 'button', disabled: off, title, text: 'Stop', on: { click: ask('stop', 'The crawl saves and stops.') } }),
  ];
}

function notes(status, data) {
  const found = [];
  const node = (text, kind = '') => found.push(h('p', { class: `note ${kind}`, text }));
  if (typeof data.read === 'number') node(readingText(data.read));
  for (const warning of status.warnings ?? []) node(warning, 'warn');
  if (status.counted?.length && status.state === 'killed') node('These figures were counted from the page records, because the crawl could not write its own.', 'warn');
  if (data.job?.is_running) node(`The pages are being judged again: ${count(data.job.done)} of ${count(data.job.total)} attempts.`);
  const blocked = data.steering.blocked.length, boosted = data.steering.boosted.length;
  if (blocked || boosted) node([blocked && `${plural(blocked, 'host')} blocked`, boosted && `${plural(boosted, 'host')} boosted`].filter(Boolean).join(', ') + ' – see Steering.');
  return found.length ? [h('div', { class: 'stack' }, ...found), h('div')] : [];
}

/** Words or features with their weights. */
function weights(words) {
  const most = Math.max(1e-9, ...words.map(([, weight]) => Math.abs(weight)));
  return h('ul', { class: 'bars two-columns' }, telling(words).map(([word, weight]) => h('li', {}, h('span', { class: 'clip', text: word }), h('span', { class: 'num', text: weight.toFixed(3).replace('-', '−') }), h('div', { class: 'track' }, width(h('div', { class: `fill ${weight < 0 ? 'three' : ''}` }), Math.abs(weight) / most)))));
}

/** The words that say most, either way. */
const telling = words => [...words].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 16).sort((a, b) => b[1] - a[1]);

/** Pages per second over the last minute of the timeline. */
function speedNow({ timeline, status }) {
  if (status.state !== 'running') return status.running_ms ? status.pages / (status.running_ms / 1000) : NaN;
  const { seconds_per_slot: step, slots } = timeline;
  const some = slots.slice(-Math.max(2, Math.ceil(30 / step)), -1);
  return some.length ? some.reduce((sum, slot) => sum + slot[0], 0) / (some.length * step) : NaN;
}

function drawFigures(list, data) {
  const { status } = data;
  const is = name => !(status.unknown ?? []).includes(name);
  const speed = speedNow(data), isRunning = status.state === 'running';
  const entries = [
    ['Pages tried', count(status.pages), `${count(status.bodies)} read`],
    ['Relevant', count(status.relevant), data.near_duplicates ? plural(data.near_duplicates, 'near-duplicate') : null],
    ['Harvest rate', percent(status.harvest_rate), 'relevant per page tried'],
    ['Speed', rate(speed), isRunning ? 'pages/s, last half minute' : 'pages/s on average'],
    ['Waiting', is('waiting') ? count(status.waiting) : '–', is('known') ? `${plural(status.known, 'URL')} known` : 'unknown'],
    ['Hosts', is('hosts') ? count(status.hosts) : count(data.host_count), is('hosts_resting') ? `${count(status.hosts_resting)} resting` : null],
    ['Received', bytes(status.bytes), isRunning ? `${plural(status.leased, 'request')} under way` : null],
    ['Errors', count(status.errors), status.pages ? `${percent(status.errors / status.pages)} of pages` : null],
    ['Running time', is('running_ms') ? duration(status.running_ms) : '–', left(data, speed)],
  ];
  list.replaceChildren(...entries.map(([name, value, note]) => h('div', {}, h('dt', { text: name }), h('dd', {}, value, note ? h('small', { text: note }) : null))));
}

/** How long the crawl will take until the first budget is met, at the present speed. */
function left({ status, timeline }, speed) {
  if (status.state !== 'running') return null;
  const times = [];
  const { max_pages: pages, max_time_ms: ms, max_bytes: size } = status.budgets ?? {};
  if (pages && speed > 0) times.push((pages - status.pages) / speed * 1000);
  if (ms) times.push(ms - status.running_ms);
  const received = timeline.slots.slice(-31, -1), seconds = received.length * timeline.seconds_per_slot;
  const flow = seconds ? received.reduce((sum, slot) => sum + slot[2], 0) / seconds : 0;
  if (size && flow > 0) times.push((size - status.bytes) / flow * 1000);
  return times.length ? `about ${duration(Math.max(0, Math.min(...times)))} left` : 'no budget set';
}

function drawBudgets(place, { status }) {
  const { max_pages: pages, max_time_ms: ms, max_bytes: size } = status.budgets ?? {};
  const lines = [[pages, status.pages, count, 'pages'], [ms, status.running_ms, duration, 'running time'], [size, status.bytes, bytes, 'received']].filter(([most]) => most);
  if (!lines.length) {
    place.replaceChildren(empty('No budget is set: the crawl ends when nothing is left to fetch, or when you stop it.'));
    return;
  }
  place.replaceChildren(...lines.map(([most, spent, text, name]) => h('div', { class: 'stack' },
    h('div', { class: 'row' }, h('strong', { class: 'num', text: text(Math.min(spent, most)) }), h('span', { class: 'muted', text: `of ${text(most)} ${name}` }), h('span', { class: 'muted', text: spent >= most ? 'used up' : `${text(most - spent)} left` })),
    h('div', { class: 'meter', role: 'meter', 'aria-label': name, 'aria-valuemin': 0, 'aria-valuemax': most, 'aria-valuenow': Math.min(spent, most) }, width(h('div'), spent / most)))));
}

function bars(place, entries, kind, nothing) {
  const sorted = entries.sort((a, b) => b.number - a.number).slice(0, 12), most = Math.max(1, ...sorted.map(entry => entry.number));
  place.replaceChildren(sorted.length ? h('ul', { class: 'bars' }, sorted.map(({ name, number }) => h('li', {}, h('span', { class: 'clip', text: name }), h('span', { class: 'num', text: count(number) }), h('div', { class: 'track' }, width(h('div', { class: `fill ${kind}` }), number / most))))) : empty(nothing));
}

function shares(place, table, nothing) {
  const entries = Array.isArray(table) ? table : Object.entries(table);
  if (!Array.isArray(table)) entries.sort((a, b) => b[1].pages - a[1].pages);
  const most = Math.max(1, ...entries.map(([, share]) => share.pages));
  place.replaceChildren(entries.length ? h('div', { class: 'stack' },
    h('ul', { class: 'bars' }, entries.slice(0, 12).map(([name, share]) => h('li', {}, h('span', { class: 'clip', text: name }), h('span', { class: 'num', text: `${count(share.relevant)} of ${count(share.pages)}` }),
      h('div', { class: 'track' }, width(h('div', { class: 'fill two' }), share.relevant / most), width(h('div', { class: 'fill rest' }), (share.pages - share.relevant) / most))))),
    h('div', { class: 'legend' }, h('span', {}, h('i', { class: 'c2' }), 'relevant'), h('span', {}, h('i', { class: 'c0' }), 'other'))) : empty(nothing));
}

/** A table. A name that begins with > is a column of numbers. */
export function table(names, rows) {
  const isNumber = names.map(name => name.startsWith('>'));
  const cell = (tag, value, at) => h(tag, { class: isNumber[at] ? 'r' : 'wrap' }, value);
  return h('table', {}, h('thead', {}, h('tr', {}, names.map((name, at) => cell('th', name.replace(/^>/, ''), at)))), h('tbody', {}, rows.map(row => h('tr', {}, row.map((value, at) => cell('td', value, at))))));
}

function drawHosts(place, data, app) {
  if (!data.hosts.length) { place.replaceChildren(empty('No host has been asked yet.')); return; }
  const queued = new Map((data.status.queue?.hosts ?? []).map(host => [new URL(host.origin).hostname, host]));
  place.replaceChildren(table(['Host', 'State', '>Relevant', '>Pages', '>Failed', '>Received', '>Mean time'], data.hosts.map(host => {
    const inQueue = queued.get(host.host);
    const [text, kind] = data.steering.blocked.includes(host.host) ? HOST_STATES.blocked : inQueue && data.status.state === 'running' ? HOST_STATES[inQueue.state] ?? [inQueue.state, ''] : ['', ''];
    const why = host.last_failure ? `last failure: ${causeText(host.last_failure)}` : '';
    return [h('a', { href: `#/${app.crawl}/pages?host=${encodeURIComponent(host.host)}`, text: host.host }), h('span', {}, text ? h('span', { class: `badge ${kind}`, text }) : null, why ? h('span', { class: 'small muted', text: ` ${why}` }) : text ? null : h('span', { class: 'muted', text: '–' })), count(host.relevant), count(host.pages), count(host.failed), bytes(host.bytes), `${count(host.mean_ms)} ms`];
  })), data.host_count > data.hosts.length ? h('p', { class: 'small muted', text: `${count(data.host_count - data.hosts.length)} more hosts` }) : '');
}

function drawQueue(note, place, status) {
  const queue = status.queue;
  if (!queue) {
    note.replaceChildren(empty('This crawl has not written down what waits. It will when it is run again.'));
    place.replaceChildren(empty('This crawl has not written down what waits.'));
    return;
  }
  const states = Object.entries(queue.hosts_by_state).filter(([state]) => state !== 'idle');
  const classes = Object.entries(queue.classes);
  note.replaceChildren(
    classes.length > 1 ? h('p', { class: 'small muted', text: `By class: ${classes.slice(0, 8).map(([name, number]) => `${name}: ${count(number)}`).join(', ')}. Lower classes come first.` }) : '',
    states.length ? h('p', { class: 'small muted', text: `Hosts with waiting URLs: ${states.map(([state, number]) => `${count(number)} ${(HOST_STATES[state] ?? [state])[0]}`).join(', ')}.` }) : '');
  const now = Date.now();
  const reason = host => {
    if (host.failures > 0) return host.failures === 1 ? 'the last request failed' : `failed ${count(host.failures)} times in a row`;
    if (host.rests_until && status.state === 'running') {
      const ms = new Date(host.rests_until) - now;
      return ms > 1500 ? `for ${duration(ms)}` : 'between two requests';
    }
    return '';
  };
  place.replaceChildren(queue.hosts.length ? table(['Host', 'State', '>Waiting', '>Best score', '>Pages'], queue.hosts.slice(0, 12).map(host => {
    const [text, kind] = HOST_STATES[host.state] ?? [host.state, ''];
    return [host.origin.replace(/^https?:\/\//, ''), h('span', {}, h('span', { class: `badge ${kind}`, text }), host.boosted ? h('span', { class: 'badge info', text: 'boosted' }) : null, ' ', h('span', { class: 'small muted', text: reason(host) })), count(host.waiting), host.best === undefined || host.best === null ? '–' : host.best.toPrecision(3).replace('-', '−'), count(host.pages)];
  })) : empty('Nothing waits.'));
}
