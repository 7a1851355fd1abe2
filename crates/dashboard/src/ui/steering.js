// Steering: labelling pages quickly, and changing the crawl. Every action is in the journal of the crawl before it counts.
import { h, refill, get, post, remove, query, count, duration, time, plural, card, empty, canChange, failed, toast, session, score, inert } from '/core.js';
import { histogram } from '/charts.js';
import { facts, markPage } from '/pages.js';

const LISTS = { genre: 'genre', content: 'content', exclude: 'wrong sense' };

export function steering(app) {
  let data = null, state = null, isGone = false, asked = 0, timer = 0;
  const off = !canChange();
  const view = h('div', {}, h('h1', { class: 'sr', text: 'Steering' }), h('p', { class: 'sr', role: 'status', text: 'Loading…' }), h('div', { class: 'skeleton' }));
  const label = labelling(app, () => load());
  const dials = h('div', { class: 'stack' }), hosts = h('div', { class: 'stack' }), seeds = h('div', { class: 'stack' }), judge = h('div', { class: 'stack' }), words = wordsCard(app, ask), journal = h('div', { class: 'stack' }), run = h('div', { class: 'stack' });
  const hostTable = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Hosts with the most relevant pages' });
  let built = '';

  async function load() {
    asked = Date.now();
    try {
      [data, state] = await Promise.all([get(`crawls/${app.crawl}/overview`), get(`crawls/${app.crawl}/steering`)]);
      if (isGone) return;
      draw();
    } catch (error) { if (!data) view.replaceChildren(h('p', { class: 'note bad', text: error.message })); else failed(error); }
  }

  async function ask(request, done) {
    try {
      const answer = await post(`crawls/${app.crawl}/steering`, request);
      toast(done, ['undo', 'stop', 'learn', 'rejudge'].includes(request.kind) ? null : { name: 'Undo', run: () => ask({ kind: 'undo', of: answer.action.id }, 'Undone.') });
      await load();
      return true;
    } catch (error) { failed(error); return false; }
  }

  function draw() {
    if (!view.querySelector('.grid')) {
      view.replaceChildren(
        h('div', { class: 'head' }, h('div', {}, h('h1', { text: 'Steering' }), h('p', { text: 'Everything here is written to the crawl’s folder before it counts. It survives a crash, and can be undone.' }))),
        off ? h('p', { class: 'note warn', text: session.read_only ? 'This dashboard is read-only: you can look, but nothing can be changed.' : 'Changes need the token. Open the address that was printed when the dashboard started.' }) : '',
        h('div', { class: 'grid' },
          h('section', { class: 'card w7 wide label-card', 'aria-label': 'Label pages' }, label.node),
          h('div', { class: 'column w5' }, h('section', { class: 'card', 'aria-label': 'The run' }, h('h2', { text: 'The run' }), run, dials, seeds), card('Hosts', 'Block or prefer', '', hosts)),
          card('Threshold', 'Pages with at least this relevance are relevant', 'w5', judge),
          words.node,
          card('What was asked', 'Newest first', 'w12 wide', journal)));
    }
    const { status, steering: force, settings } = data, isRunning = status.state === 'running';
    const button = (text, kind, request, done) => h('button', { class: kind, type: 'button', disabled: off, text, on: { click: () => ask(request, done) } });
    refill(run, [isRunning, force.paused, off], () => [isRunning ? h('div', { class: 'row' },
      force.paused ? button('Resume', 'main', { kind: 'resume' }, 'The crawl goes on.') : button('Pause', '', { kind: 'pause' }, 'The crawl pauses.'),
      button('Stop', 'bad', { kind: 'stop' }, 'The crawl saves and stops.')) : h('p', { class: 'muted', text: `The crawl is not running. What you ask for now is in force when it is run again.${force.paused ? ' It is paused, and will wait then.' : ''}` }),
      !isRunning && force.paused ? button('Lift the pause', '', { kind: 'resume' }, 'The crawl will not wait when it is run again.') : '']);
    // Fields are made once, so that nobody loses what is being typed.
    const key = JSON.stringify([force, settings, isRunning]);
    if (key !== built) {
      built = key;
      const delay = h('input', { type: 'number', min: 0, max: 3600, step: 'any', value: (force.delay_ms ?? settings?.delay_ms ?? 1000) / 1000 });
      dials.replaceChildren(h('form', { class: 'formline', on: { submit: event => { event.preventDefault(); ask({ kind: 'delay', ms: Math.round(Number(delay.value) * 1000) }, 'The delay is changed.'); } } },
        h('label', { class: 'field' }, 'Seconds between two requests to a host', delay), h('button', { type: 'submit', disabled: off, text: 'Set' })));
      const urls = h('textarea', { placeholder: 'URLs, one per line' });
      seeds.replaceChildren(h('form', { class: 'stack', on: { submit: async event => { event.preventDefault(); const list = urls.value.split(/\s+/).filter(Boolean); if (list.length && await ask({ kind: 'add-seeds', urls: list }, `${plural(list.length, 'seed')} added.`)) urls.value = ''; } } },
        h('label', { class: 'field' }, 'More seeds', urls), h('div', { class: 'row' }, h('button', { type: 'submit', disabled: off, text: 'Add' }), h('span', { class: 'small muted', text: 'Links from them are followed as far as the scope of the crawl allows.' }))),
        force.seeds.length ? h('ul', { class: 'chips' }, force.seeds.map(url => h('li', { class: 'chip plain', text: url }))) : '');
      drawHosts(hosts, hostTable, data, off, ask);
      drawJudge(judge, data, off, ask, isRunning);
      words.update(data, off, isRunning, load);
    }
    fillHosts(hostTable, data, off, ask);
    drawJournal(journal, state.actions, off, ask);
    label.refresh(data);
  }

  load();
  return {
    node: view,
    changed(line) { words.job(line?.job); if (!timer) timer = setTimeout(() => { timer = 0; if (!isGone && !document.hidden) load(); }, Math.max(0, asked + 4000 - Date.now())); },
    leave() { isGone = true; clearTimeout(timer); label.leave(); },
  };
}

// --------------------------------------------------------------------------------------------------------- labelling

function labelling(app, done) {
  let queue = [], at = 0, marked = { relevant: 0, irrelevant: 0 }, skipped = [], last = [], isBusy = false, threshold = null, isGone = false, isFirst = true;
  const texts = new Map();
  const title = h('h3', { class: 'wrap' }), url = h('p', { class: 'small muted wrap' }), about = h('div'), place = h('div'), text = h('div', { class: 'label-text', tabindex: '0', role: 'region', 'aria-label': 'Text of the page' });
  const counter = h('p', { class: 'small muted', role: 'status' });
  const verdict = (key, words, kind, run) => h('button', { class: kind, type: 'button', disabled: !canChange(), on: { click: run } }, h('kbd', { text: key }), words);
  const controls = h('div', { class: 'verdicts' }, verdict('R', 'Relevant', 'good', () => mark('relevant')), verdict('N', 'Not relevant', 'bad', () => mark('irrelevant')), verdict('S', 'Skip', '', skip), verdict('U', 'Take back', '', undo));
  const body = h('div', { class: 'stack filled' });
  const node = h('div', { class: 'stack' }, h('header', {}, h('h2', { text: 'Label pages' }), counter), h('p', { class: 'small muted', text: 'The pages the judge is least sure of come first, mixed over hosts. One key each.' }), body);

  async function fetchMore() {
    const found = await get(`crawls/${app.crawl}/label${query({ limit: 20, skip: skipped.slice(-500).join(',') })}`);
    threshold = found.threshold;
    marked = found.marked;
    queue = found.pages;
    at = 0;
    tell(found.left);
  }
  function tell(left) { counter.textContent = `${count(marked.relevant)} relevant, ${count(marked.irrelevant)} not, ${count(left ?? 0)} left`; counter.dataset.left = left ?? 0; }
  function ahead() { for (const page of queue.slice(at, at + 3)) textOf(page.id); }
  function textOf(id) {
    if (!texts.has(id)) texts.set(id, get(`crawls/${app.crawl}/pages/${id}/text`).then(found => found.text.slice(0, 4000), error => error.message));
    return texts.get(id);
  }
  async function show() {
    if (isGone) return;
    const page = queue[at];
    if (!page) { body.replaceChildren(empty(app.lines.find(line => line.id === app.crawl)?.state === 'running' ? 'No page is left to label. More come as the crawl goes on.' : marked.relevant + marked.irrelevant ? 'Every page has a label.' : 'There is no page to label: none has been read.')); return; }
    title.textContent = inert(page.title || '(no title)');
    url.textContent = inert(page.url);
    about.replaceChildren(facts(page));
    place.replaceChildren(h('div', { class: 'row' }, score(page), h('span', { class: 'small muted', text: `${page.relevant ? 'judged relevant' : 'judged not relevant'}, ${Math.abs(page.relevance - threshold).toFixed(3)} from the threshold` })));
    text.textContent = 'Loading…';
    text.scrollTop = 0;
    if (!body.contains(controls)) body.replaceChildren(place, title, url, about, controls, text);
    const words = await textOf(page.id);
    if (queue[at] === page) text.textContent = inert(words.trim()) || '(The page has no main text.)';
    ahead();
  }
  async function forward() {
    at += 1;
    if (at >= queue.length) await fetchMore();
    await show();
  }
  async function mark(verdict) {
    const page = queue[at];
    if (!page || isBusy || !canChange()) return;
    isBusy = true;
    try {
      const answer = await markPage(app, page.id, verdict);
      last.push({ action: answer.action.id, page, verdict });
      marked = answer.marked;
      tell(Math.max(0, Number(counter.dataset.left) - 1));
      await forward();
      if (last.length % 10 === 0) done();
    } catch (error) { failed(error); } finally { isBusy = false; }
  }
  async function skip() { const page = queue[at]; if (page && !isBusy) { skipped.push(page.id); await forward().catch(failed); } }
  async function undo() {
    const before = last.pop();
    if (!before || isBusy) return;
    isBusy = true;
    try {
      await post(`crawls/${app.crawl}/steering`, { kind: 'undo', of: before.action });
      queue.splice(at, 0, before.page);
      marked[before.verdict] -= 1;
      tell(Number(counter.dataset.left) + 1);
      await show();
    } catch (error) { failed(error); } finally { isBusy = false; }
  }
  const keys = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest('input, textarea, select, dialog')) return;
    const run = { r: () => mark('relevant'), n: () => mark('irrelevant'), s: skip, u: undo }[event.key.toLowerCase()];
    if (run) { event.preventDefault(); run(); }
  };
  document.addEventListener('keydown', keys);
  return {
    node,
    refresh() { if (isFirst || (!queue[at] && !isBusy)) { isFirst = false; fetchMore().then(show).catch(failed); } },
    leave() { isGone = true; document.removeEventListener('keydown', keys); },
  };
}

// ------------------------------------------------------------------------------------------------------------- dials

function drawHosts(place, hostTable, data, off, ask) {
  const { blocked, boosted } = data.steering, known = data.hosts.map(host => host.host);
  const name = h('input', { type: 'text', list: 'known-hosts', placeholder: 'example.org', 'aria-label': 'Name of a host' });
  const go = kind => async () => { if (name.value.trim() && await ask({ kind, host: name.value }, `${name.value.trim()} is ${kind === 'block-host' ? 'blocked' : 'boosted'}.`)) name.value = ''; };
  const chips = (list, kind, word) => h('ul', { class: 'chips' }, list.map(host => h('li', { class: `chip ${kind}` }, `${host} ${word}`, h('button', { type: 'button', disabled: off, text: 'Release', 'aria-label': `Release ${host}`, on: { click: () => ask({ kind: 'release-host', host }, `${host} is treated like any other.`) } }))));
  place.replaceChildren(h('div', { class: 'formline' }, h('label', { class: 'field' }, 'A host, with the hosts below it', name), h('button', { class: 'bad', type: 'button', disabled: off, text: 'Block', on: { click: go('block-host') } }), h('button', { class: 'good', type: 'button', disabled: off, text: 'Boost', on: { click: go('boost-host') } })),
    h('datalist', { id: 'known-hosts' }, known.map(value => h('option', { value }))),
    blocked.length ? chips(blocked, 'gone', 'blocked') : '', boosted.length ? chips(boosted, 'done', 'boosted') : '',
    hostTable,
    !blocked.length && !boosted.length ? h('p', { class: 'small muted', text: 'No host is treated differently. URLs of a blocked host keep waiting; a boosted host comes before others of the same class.' }) : '');
}

/** The hosts with the most relevant pages. Left alone while somebody is in it with the keyboard. */
function fillHosts(place, data, off, ask) {
  if (place.contains(document.activeElement)) return;
  const { blocked, boosted } = data.steering, shown = data.hosts.filter(({ host }) => !blocked.includes(host) && !boosted.includes(host)).slice(0, 5);
  const button = (host, text, kind, done) => h('button', { class: 'tiny', type: 'button', disabled: off, text, 'aria-label': `${text} ${host}`, on: { click: event => { event.target.blur(); ask({ kind, host }, `${host} is ${done}.`); } } });
  place.hidden = shown.length === 0;
  place.replaceChildren(h('table', {}, h('thead', {}, h('tr', {}, h('th', { text: 'Host' }), h('th', { class: 'r', text: 'Relevant' }), h('th', { class: 'r roomy', text: 'Pages' }), h('th', { class: 'r roomy', text: 'Failed' }), h('th', {}, h('span', { class: 'sr', text: 'Actions' })))),
    h('tbody', {}, shown.map(({ host, relevant, pages, failed: lost }) => h('tr', {}, h('td', { class: 'wrap', text: host }), h('td', { class: 'r', text: count(relevant) }), h('td', { class: 'r roomy', text: count(pages) }), h('td', { class: 'r roomy', text: count(lost) }),
      h('td', { class: 'r' }, button(host, 'Block', 'block-host', 'blocked'), ' ', button(host, 'Boost', 'boost-host', 'boosted')))))));
}

function drawJudge(place, data, off, ask, isRunning) {
  const now = data.threshold ?? 0.5;
  let chosen = now;
  const plot = histogram({ label: 'Pages by relevance', xLabel: 'relevance', yLabel: 'pages', height: 170, markText: value => `threshold ${+value.toFixed(3)}`, data: () => ({ least: 0, most: 1, bins: data.histogram, mark: chosen }) });
  const number = h('input', { type: 'number', min: 0.001, max: 1, step: 0.001, value: +now.toFixed(3), 'aria-label': 'Threshold' }), slider = h('input', { type: 'range', min: 0.01, max: 1, step: 0.01, value: now, 'aria-label': 'Threshold' });
  const effect = h('p', { class: 'small muted', role: 'status' });
  const show = value => {
    chosen = Math.max(0.001, Math.min(1, Number(value) || 0.001));
    const above = data.histogram.reduce((sum, pages, at) => sum + ((at + 0.5) / data.histogram.length >= chosen ? pages : 0), 0);
    effect.textContent = `About ${plural(above, 'page')} would be relevant.`;
    plot.redraw();
  };
  slider.addEventListener('input', () => { number.value = slider.value; show(slider.value); });
  number.addEventListener('input', () => { slider.value = number.value; show(number.value); });
  const set = h('button', { class: 'main', type: 'button', disabled: off, text: 'Set', on: { click: () => ask({ kind: 'threshold', threshold: chosen }, `The threshold is ${chosen}.`) } });
  const weights = Object.entries(data.settings?.weights ?? {});
  place.replaceChildren(plot.node, slider, h('div', { class: 'formline' }, h('label', { class: 'field' }, 'Threshold', number), set), effect,
    h('p', { class: 'small muted', text: isRunning ? 'A new threshold counts for pages from now on, and for all pages when the crawl ends or when they are judged again, below.' : 'A new threshold counts when the pages are judged again, below.' }),
    weights.length ? h('div', { class: 'filters' }, weights.map(([name, value]) => {
      const field = h('input', { type: 'number', min: 0, max: 1000, step: 'any', value: data.steering.weights?.[name] ?? value });
      field.addEventListener('change', () => ask({ kind: 'weight', name, value: Number(field.value) }, `${name} is ${field.value}.`));
      field.disabled = off;
      return h('label', { class: 'field' }, name, field);
    })) : '');
  show(now);
}

// ------------------------------------------------------------------------------------------------------------- words

function wordsCard(app, ask) {
  const own = h('div', { class: 'stack' }), found = h('div', { class: 'stack' }), pending = h('div', { class: 'stack' }), progress = h('div', { class: 'stack', role: 'status' });
  const node = h('section', { class: 'card w7 wide' }, h('header', {}, h('h2', { text: 'Words, learning and judging again' }), h('p', { text: 'What the topic looks for' })), own, found, pending, progress);
  let isOff = true;
  const term = (list, word, buttons, kind = '') => h('li', { class: `chip ${kind}` }, h('span', { text: word }), buttons);
  const small = (text, label, run) => h('button', { type: 'button', text, 'aria-label': label, disabled: isOff, on: { click: run } });

  async function suggest() {
    found.replaceChildren(h('p', { class: 'muted', text: 'Reading the marked pages, or the best ones…' }));
    try {
      const answer = await get(`crawls/${app.crawl}/suggestions`);
      const lists = ['genre', 'content'].filter(list => answer[list].length);
      found.replaceChildren(h('p', { class: 'small muted', text: `From ${plural(answer.good_pages, answer.from === 'marks' ? 'page marked relevant' : 'best page', answer.from === 'marks' ? 'pages marked relevant' : 'best pages')}, against ${plural(answer.other_pages, 'other')}.` }),
        ...lists.map(list => h('div', { class: 'stack' }, h('h3', { text: `${LISTS[list]} terms` }), h('ul', { class: 'chips' }, answer[list].map(candidate => {
          const chip = term(list, candidate.term, [
            small('Accept', `Accept ${candidate.term}`, async () => { if (await ask({ kind: 'accept-term', list, term: candidate.term }, `“${candidate.term}” is accepted.`)) chip.remove(); }),
            small('Drop', `Drop ${candidate.term}`, async () => { if (await ask({ kind: 'drop-term', list, term: candidate.term }, `“${candidate.term}” will not be suggested again.`)) chip.remove(); })]);
          return chip;
        })))), lists.length ? '' : empty('Nothing new to suggest. Mark more pages first.'));
    } catch (error) { found.replaceChildren(h('p', { class: 'note', text: error.message })); }
  }

  function update(data, off, isRunning, load) {
    isOff = off;
    const terms = data.settings?.terms ?? {}, { accepted, dropped } = data.steering, topic = data.settings?.topic;
    const isAdded = (list, word) => accepted.some(other => other.list === list && other.term.toLowerCase() === word.toLowerCase());
    own.replaceChildren(h('p', { class: 'small muted', text: data.settings?.query ? `Query: ${data.settings.query}` : '' }),
      ...['genre', 'content', 'exclude'].filter(list => terms[list]?.length).map(list => h('div', { class: 'stack' }, h('h3', { text: `${LISTS[list]} terms` }), h('ul', { class: 'chips' }, terms[list].map(word => {
        const isTopic = list === 'content' && word === topic;
        return term(list, word, isTopic ? null : small('Drop', `Drop ${word}`, () => ask({ kind: 'drop-term', list, term: word }, `“${word}” is dropped.`)), isTopic ? 'plain' : isAdded(list, word) ? 'done' : '');
      })))),
      dropped.length ? h('div', { class: 'stack' }, h('h3', { text: 'Dropped' }), h('ul', { class: 'chips' }, dropped.map(({ list, term: word }) => term(list, `${word} (${LISTS[list]})`, small('Add', `Add ${word}`, () => ask({ kind: 'accept-term', list, term: word }, `“${word}” is part of the topic.`)), 'gone')))) : '',
      h('form', { class: 'formline', on: { submit: async event => { event.preventDefault(); const [word, list] = event.target.elements; if (word.value.trim() && await ask({ kind: 'accept-term', list: list.value, term: word.value }, `“${word.value.trim()}” is part of the topic.`)) word.value = ''; } } },
        h('label', { class: 'field' }, 'A word or phrase of your own', h('input', { type: 'text', maxlength: 200 })), h('label', { class: 'field' }, 'List', h('select', {}, Object.entries(LISTS).reverse().map(([value, text]) => h('option', { value, text, selected: value === 'content' })))), h('button', { type: 'submit', disabled: off, text: 'Add' })),
      h('div', { class: 'row' }, h('button', { type: 'button', text: 'Suggest words', on: { click: suggest } })));
    const learns = data.settings?.learns, isBehind = data.steering.pending, isRejudging = data.steering.rejudging && isRunning;
    const again = learns ? 'Learn and judge all pages again' : 'Judge all pages again';
    const rejudge = isRunning
      ? () => ask({ kind: 'rejudge' }, 'The crawl judges all pages again, then goes on.')
      : async () => { try { job(await post(`crawls/${app.crawl}/rejudge`, {})); load(); } catch (error) { failed(error); } };
    pending.replaceChildren(
      isBehind && !isRejudging ? h('p', { class: 'note', text: isRunning ? 'Pages from now on are judged by these words, weights and threshold. Earlier ones were judged by others: they are judged again when the crawl ends, or now if you like.' : 'The pages were judged by other words, weights or another threshold. Judge them again to see the effect.' }) : '',
      isRejudging ? h('p', { class: 'note', text: 'The crawl is judging all pages again. It goes on fetching by itself.' }) : '',
      h('div', { class: 'row' },
        isRunning && learns ? h('button', { type: 'button', disabled: off || isRejudging, text: 'Learn from my marks now', on: { click: () => ask({ kind: 'learn' }, 'The judge learns from your marks.') } }) : '',
        h('button', { class: 'main', type: 'button', disabled: off || data.job?.is_running || isRejudging, text: again, on: { click: rejudge } })),
      h('p', { class: 'small muted', text: isRunning ? `${learns ? 'Learning counts for pages from now on. ' : ''}Judging all pages again also scores the queue again; nothing is fetched meanwhile.` : 'Nothing is fetched. The queue is scored again too.' }));
    job(data.job);
  }

  function job(now) {
    if (!now || (!now.is_running && !now.result && !now.error)) { progress.replaceChildren(); return; }
    if (now.is_running) progress.replaceChildren(h('div', { class: 'row' }, h('progress', { max: now.total || 1, value: now.done, 'aria-label': 'Judging again' }), h('span', { text: `${count(now.done)} of ${count(now.total)} attempts` }), h('button', { class: 'tiny', type: 'button', text: 'Stop', on: { click: () => remove(`crawls/${app.crawl}/rejudge`).catch(failed) } })));
    else if (now.error) progress.replaceChildren(h('p', { class: 'note bad', text: now.error }));
    else progress.replaceChildren(h('p', { class: 'note', text: `${plural(now.result.judged, 'page')} judged again: ${count(now.result.relevant)} relevant (${count(now.result.became_relevant)} newly, ${count(now.result.no_longer_relevant)} no longer).${now.result.suggested_threshold ? ` Your marks suggest the threshold ${now.result.suggested_threshold.toFixed(2)}.` : ''}` }));
  }
  return { node, update, job };
}

// ----------------------------------------------------------------------------------------------------------- journal

export function actionText(action) {
  switch (action.kind) {
    case 'pause': return 'Pause';
    case 'resume': return 'Resume';
    case 'stop': return 'Stop';
    case 'learn': return 'Learn from the marks';
    case 'add-seeds': return `Add ${action.urls.length === 1 ? action.urls[0] : plural(action.urls.length, 'seed')}`;
    case 'block-host': return `Block ${action.host}`;
    case 'boost-host': return `Boost ${action.host}`;
    case 'release-host': return `Release ${action.host}`;
    case 'delay': return `Delay ${duration(action.ms) === '0 s' ? `${action.ms} ms` : duration(action.ms)}`;
    case 'threshold': return `Threshold ${action.threshold}`;
    case 'weight': return `${action.name} ${action.value}`;
    case 'accept-term': return `Accept “${action.term}” (${LISTS[action.list]})`;
    case 'drop-term': return `Drop “${action.term}” (${LISTS[action.list]})`;
    case 'mark': return `${action.pages[0].mark === 'relevant' ? 'Mark relevant' : action.pages[0].mark === 'irrelevant' ? 'Mark not relevant' : 'Remove the mark'}: ${action.pages.length === 1 ? action.pages[0].url : plural(action.pages.length, 'page')}`;
    case 'rejudge': return 'Judge all pages again';
    case 'rejudged': return 'The pages were judged again';
    case 'undo': return `Undo ${action.of}`;
    default: return action.kind;
  }
}

function drawJournal(place, actions, off, ask) {
  const shown = actions.slice(0, 60);
  refill(place, [actions.length, actions.map(action => action.undone)], () => [shown.length ? h('ol', { class: 'journal' }, shown.map(action => h('li', { class: action.undone ? 'undone' : '' },
    h('span', { class: 'wrap' }, h('span', { class: 'muted num small', text: `${action.id} · ${time(action.at)}  ` }), h('span', { class: 'what', text: actionText(action) }), action.undone ? h('span', { class: 'small muted', text: ' undone' }) : ''),
    action.can_undo ? h('button', { class: 'tiny', type: 'button', disabled: off, text: 'Undo', 'aria-label': `Undo ${action.id}: ${actionText(action)}`, on: { click: () => ask({ kind: 'undo', of: action.id }, 'Undone.') } }) : h('span')))) : empty('Nothing has been asked of this crawl.'),
    actions.length > shown.length ? h('p', { class: 'small muted', text: `${count(actions.length - shown.length)} older actions are in steering.jsonl` }) : '']);
}
