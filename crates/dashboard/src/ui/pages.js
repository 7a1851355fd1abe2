// Pages: the ranked list with filters and full-text search, and one page with everything about it.
import { h, get, post, query, count, percent, bytes, time, plural, width, card, empty, causeText, score, canChange, failed, toast, readingText } from '/core.js';

const SIZE = 50;
const SETS = { genre: 'genre terms', content: 'content terms', url: 'URL terms', exclude: 'exclude terms', table: 'learnt words', query: 'query' };

/** Marks a page, and offers to take it back. Returns the action. */
export async function markPage(app, id, mark) {
  const { action, marked } = await post(`crawls/${app.crawl}/marks`, { pages: [id], mark });
  return { action, marked };
}

export function markButtons(app, page, done) {
  const off = !canChange();
  const make = (mark, text, kind) => h('button', {
    class: `tiny ${kind}`, type: 'button', disabled: off, 'aria-pressed': String(page.mark === mark), title: off ? 'Changes need the token' : null, text,
    on: { click: async () => {
      try {
        const next = page.mark === mark ? null : mark;
        await markPage(app, page.id, next);
        page.mark = next ?? undefined;
        for (const [button, value] of both) button.setAttribute('aria-pressed', String(page.mark === value));
        done?.(page);
      } catch (error) { failed(error); }
    } },
  });
  const both = [[make('relevant', 'Relevant', 'good'), 'relevant'], [make('irrelevant', 'Not', 'bad'), 'irrelevant']];
  return both.map(([button]) => button);
}

export function facts(page) {
  const found = [page.host, page.language, page.genre, page.seed ? 'seed' : `depth ${page.depth}`, time(page.fetched_at)];
  if (page.near_duplicates) found.push(plural(page.near_duplicates, 'near-duplicate'));
  if (page.duplicate_of) found.push(`repeats ${page.duplicate_of}`);
  if (page.hidden) found.push('left out of results');
  return h('p', { class: 'facts' }, found.filter(Boolean).map(text => h('span', { class: 'wrap', text })));
}

export function pages(app) {
  const wanted = Object.fromEntries(app.parameters);
  let offset = Number(wanted.offset) || 0, abort = null, again = 0, total = 0, isGone = false, names = { genres: [], languages: [] };
  const field = (name, label, input) => { input.name = name; input.value = wanted[name] ?? ''; return h('label', { class: 'field' }, label, input); };
  const select = (...options) => h('select', {}, options.map(([value, text]) => h('option', { value, text })));
  const search = h('input', { id: 'search', type: 'search', name: 'q', placeholder: 'Search the text: words, "a phrase", -without', 'aria-label': 'Search the text of pages', value: wanted.q ?? '' });
  // The others come with the overview; the list need not wait for them.
  const some = chosen => select(['', 'any'], ...(chosen ? [[chosen, chosen]] : [])), genre = some(wanted.genre), language = some(wanted.language);
  // On a phone the filters would push the list off the screen.
  const hasFilters = Object.entries(wanted).some(([name, value]) => value && !['q', 'offset'].includes(name));
  let clear;
  const form = h('form', { class: 'card w12 wide', role: 'search', on: { submit: event => { event.preventDefault(); apply(); }, change: () => apply() } },
    h('div', { class: 'searchline' }, search, h('button', { class: 'main', type: 'submit', text: 'Search' }), clear = h('button', { type: 'button', text: 'Clear', on: { click: () => { form.reset(); for (const input of form.elements) if (input.name) { if (input.type === 'checkbox') input.checked = false; else input.value = ''; } apply(); } } })),
    h('details', { class: 'more', open: !window.matchMedia('(max-width: 720px)').matches || hasFilters }, h('summary', { text: 'Filters and order' }), h('div', { class: 'filters' },
      field('relevant', 'Verdict', select(['', 'all'], ['yes', 'relevant'], ['no', 'not relevant'])),
      field('mark', 'My mark', select(['', 'all'], ['relevant', 'relevant'], ['irrelevant', 'not relevant'], ['any', 'any mark'], ['none', 'none'])),
      field('host', 'Host', h('input', { type: 'text', placeholder: 'example.org' })),
      field('find', 'In title or URL', h('input', { type: 'text' })),
      field('language', 'Language', language), field('genre', 'Genre', genre),
      field('min', 'Least relevance', h('input', { type: 'number', min: 0, max: 1, step: 0.05 })),
      field('sort', 'Order', select(['', 'best first'], ['worst', 'worst first'], ['newest', 'newest first'], ['oldest', 'oldest first'], ['depth', 'by depth'])),
      h('div', { class: 'checks' }, h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'duplicates' }), 'near-duplicates'),
        h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'hidden' }), 'left-out pages')))));
  const summary = h('p', { class: 'muted', role: 'status', text: 'Loading…' }), list = h('ol', { class: 'results' }, h('li', { class: 'nothing' }, h('div', { class: 'skeleton' })));
  const previous = h('button', { type: 'button', text: 'Previous', on: { click: () => turn(-SIZE) } }), next = h('button', { type: 'button', text: 'Next', on: { click: () => turn(SIZE) } }), place = h('span', { class: 'num' });
  const fresh = h('button', { class: 'tiny', type: 'button', hidden: true, text: 'New pages: show them', on: { click: () => load() } });
  const address = h('input', { type: 'url', placeholder: 'Any URL', 'aria-label': 'A URL to explain', required: true }), answer = h('div', { class: 'stack' });
  const explain = h('form', { class: 'formline', on: { submit: async event => {
    event.preventDefault();
    answer.replaceChildren(h('p', { class: 'muted', text: 'Looking…' }));
    try { answer.replaceChildren(explanation(await get(`crawls/${app.crawl}/explain${query({ url: address.value })}`))); } catch (error) { answer.replaceChildren(h('p', { class: 'note bad', text: error.message })); }
  } } }, h('label', { class: 'field' }, 'Why was a URL fetched, or not?', address), h('button', { type: 'submit', text: 'Explain' }));
  const node = h('div', {}, h('div', { class: 'head' }, h('div', {}, h('h1', { text: 'Pages' }), summary), fresh),
    h('div', { class: 'grid' }, form, h('section', { class: 'card w12 wide', 'aria-label': 'Pages' }, list, h('div', { class: 'pager' }, previous, place, next)), h('section', { class: 'card w12 wide', 'aria-label': 'Explain a URL' }, explain, answer)));

  function values() {
    const found = {};
    for (const input of form.elements) if (input.name) found[input.name] = input.type === 'checkbox' ? input.checked : input.value.trim();
    return found;
  }
  function apply() { offset = 0; keep(); load(); }
  function turn(by) { offset = Math.max(0, offset + by); keep(); load().then(() => { window.scrollTo(0, 0); list.querySelector('.title')?.focus({ preventScroll: true }); }); }
  function keep() { history.replaceState(null, '', `#/${encodeURIComponent(app.crawl)}/pages${query({ ...values(), offset: offset || '' })}`); }

  async function load() {
    clear.hidden = !Object.values(values()).some(Boolean);
    abort?.abort();
    clearTimeout(again);
    abort = new AbortController();
    fresh.hidden = true;
    try {
      const found = await get(`crawls/${app.crawl}/pages${query({ ...values(), offset, limit: SIZE })}`, abort.signal);
      if (isGone) return;
      total = found.total;
      const isReading = typeof found.read === 'number', pager = place.parentElement;
      pager.hidden = total <= SIZE;
      summary.textContent = `${plural(total, 'page')} of ${count(found.all)}${values().q ? ', best matches first' : ''}${isReading ? `. ${readingText(found.read)}` : ''}`;
      if (isReading) again = setTimeout(load, 1000);
      list.replaceChildren(...(found.pages.length ? found.pages.map(line) : [h('li', { class: 'nothing' }, empty(isReading ? 'Please wait a moment.' : found.all ? 'No page fits. Try fewer filters.' : 'No page has been read yet.'))]));
      place.textContent = total ? `${count(offset + 1)} to ${count(Math.min(offset + SIZE, total))} of ${count(total)}` : '';
      previous.disabled = offset === 0;
      next.disabled = offset + SIZE >= total;
    } catch (error) {
      if (error.name === 'AbortError' || isGone) return;
      // A first index is being built. The list stays usable meanwhile, and the answer comes by itself.
      const isIndexing = error.code === 'indexing';
      summary.textContent = isIndexing ? 'Preparing the search…' : '';
      list.replaceChildren(h('li', { class: 'nothing' }, isIndexing
        ? h('div', { class: 'stack' }, h('p', { class: 'note', text: `${error.message[0].toUpperCase()}${error.message.slice(1)}. Hits appear here when it is ready.` }), h('progress', { 'aria-label': 'Building the search index' }))
        : h('p', { class: 'note bad', text: error.message })));
      place.textContent = '';
      previous.disabled = next.disabled = true;
      if (isIndexing) again = setTimeout(load, 1000);
    }
  }

  function line(page) {
    return h('li', {}, score(page), h('div', {},
      h('button', { class: 'title', type: 'button', text: page.title || page.url, on: { click: () => app.openPage(page.id) } }),
      h('p', { class: 'url wrap', text: page.url }),
      page.snippet ? h('p', { class: 'snippet' }, page.snippet.map(([text, isWord]) => isWord ? h('mark', { text }) : text)) : null,
      facts(page)), h('div', { class: 'row end' }, markButtons(app, page)));
  }

  async function fillNames() {
    try {
      const data = await get(`crawls/${app.crawl}/overview`);
      if (isGone) return;
      names = { genres: Object.keys(data.genres), languages: Object.keys(data.languages) };
      for (const [box, options, chosen] of [[genre, names.genres, wanted.genre], [language, names.languages, wanted.language]]) {
        box.append(...options.filter(name => name !== 'unknown' && name !== chosen).sort().map(name => h('option', { value: name, text: name })));
      }
      genre.parentElement.hidden = names.genres.length === 0;
    } catch { /* The filters stay as they are. */ }
  }
  for (const name of ['duplicates', 'hidden']) form.elements[name].checked = wanted[name] === 'true';
  fillNames();
  load();
  let known = app.lines.find(line => line.id === app.crawl)?.pages;
  return { node, changed(now) { if (now && now.pages !== known) { known = now.pages; fresh.hidden = false; } }, leave() { isGone = true; clearTimeout(again); abort?.abort(); } };
}

/** What `explain` says about a URL. */
function explanation(found) {
  const texts = {
    fetched: 'Fetched.', redirected: 'It redirects to another URL.', refused: 'The crawl declined to fetch it.', failed: 'It could not be fetched and will not be tried again.',
    retrying: 'It could not be fetched and will be tried again.', waiting: 'It is waiting in the queue.', 'out-of-scope': 'It is outside the scope of the crawl.',
    'never-seen': 'The crawl has never seen it: no page that was read has a followable link to it.', 'not-fetched': 'Not fetched so far. Whether it waits is unknown while the crawl runs.',
  };
  const last = found.attempts.at(-1);
  return h('div', { class: 'stack' }, h('p', {}, h('strong', { text: texts[found.standing] ?? found.standing })),
    h('dl', { class: 'kv' },
      found.queue ? [h('dt', { text: 'Queue' }), h('dd', { text: `class ${found.queue.class}, score ${found.queue.score.toFixed(3)}, ${count(found.queue.waiting)} URLs wait` })] : null,
      last ? [h('dt', { text: 'Last attempt' }), h('dd', { text: `${time(last.fetched_at)}: ${causeText(String(last.status >= 400 ? last.status : last.outcome))}` })] : null,
      found.robots?.rule ? [h('dt', { text: 'robots.txt' }), h('dd', { text: `${found.robots.allowed ? 'allowed' : 'forbidden'} by ${found.robots.rule}` })] : null,
      found.path.length ? [h('dt', { text: 'Path' }), h('dd', { text: found.path.map(step => step.url).join(' → ') })] : null,
      found.similar.length ? [h('dt', { text: 'Did you mean' }), h('dd', { text: found.similar.map(similar => similar.url).join(', ') })] : null));
}

// --------------------------------------------------------------------------------------------------------- one page

const panel = document.getElementById('panel');

export async function openPage(app, id) {
  const close = h('button', { class: 'quiet', type: 'button', text: 'Close', on: { click: () => panel.close() } });
  panel.replaceChildren(h('div', { class: 'top' }, h('div', { class: 'row end' }, close), h('h2', { id: 'panel-title', text: 'Loading…' })), h('div', { class: 'inside' }, h('div', { class: 'skeleton' })));
  if (!panel.open) panel.showModal();
  try {
    const data = await get(`crawls/${app.crawl}/pages/${id}`);
    const { page, record } = data;
    const marks = h('div', { class: 'row' }, markButtons(app, page));
    const tabs = [['why', 'Why', () => why(data)], ['path', `Path (${data.path.length})`, () => path(app, data)], ['text', 'Text', () => text(app, id)], ['copies', `Near-duplicates (${data.near_duplicates.length})`, () => copies(app, data)], ['record', 'Record', () => h('pre', { class: 'code', text: JSON.stringify(record, null, 2), tabindex: '0' })]];
    const inside = h('div', { class: 'inside', role: 'tabpanel', id: 'tabpanel', tabindex: '0' });
    const bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'About the page' });
    const show = at => {
      [...bar.children].forEach((button, number) => { button.setAttribute('aria-selected', String(number === at)); button.tabIndex = number === at ? 0 : -1; });
      inside.setAttribute('aria-labelledby', `tab-${tabs[at][0]}`);
      inside.replaceChildren(tabs[at][2]());
    };
    bar.append(...tabs.map(([name, title], at) => h('button', { role: 'tab', type: 'button', id: `tab-${name}`, 'aria-controls': 'tabpanel', text: title, on: { click: () => show(at) } })));
    bar.addEventListener('keydown', event => {
      const at = [...bar.children].indexOf(document.activeElement), by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by === undefined || at < 0) return;
      const to = (at + by + tabs.length) % tabs.length;
      show(to);
      bar.children[to].focus();
    });
    panel.replaceChildren(h('div', { class: 'top' },
      h('div', { class: 'row' }, score(page), h('h2', { id: 'panel-title', class: 'wrap', text: page.title || '(no title)' })),
      h('p', { class: 'small' }, link(page.url)), facts(page), h('div', { class: 'row' }, marks, h('span', { class: 'small muted', text: 'Your mark' }), close)), bar, inside);
    close.parentElement.append(close);
    show(0);
    bar.firstChild.focus();
  } catch (error) {
    panel.querySelector('.inside').replaceChildren(h('p', { class: 'note bad', text: error.message }));
  }
}
panel.addEventListener('click', event => { if (event.target === panel) panel.close(); });

/** A URL of the web: a link only if it is what it seems. */
function link(url) {
  return /^https?:\/\//i.test(url) ? h('a', { class: 'wrap', href: url, rel: 'noopener noreferrer nofollow', target: '_blank', text: url }) : h('span', { class: 'wrap', text: url });
}

function why({ page, record, threshold, led_to: led }) {
  const parts = record.parts ?? {}, sets = new Map();
  for (const name of ['query', 'genre', 'content', 'url', 'table', 'learnt']) if (typeof parts[name] === 'number') sets.set(name, []);
  for (const hit of parts.terms ?? []) sets.set(hit.set, [...(sets.get(hit.set) ?? []), hit]);
  const verdict = page.relevant ? 'relevant' : 'not relevant';
  const notes = (record.notes ?? []).map(note => ({ noindex: 'the page asks not to be kept', nofollow: 'the page asks that its links not be followed', noarchive: 'the page asks not to be archived', 'unwanted-language': 'its language is not wanted', 'wrong-sense': 'it uses the words of the topic in another sense' }[note] ?? note));
  return h('div', { class: 'stack' },
    h('p', {}, 'Judged ', h('strong', { text: verdict }), `: relevance ${page.relevance.toFixed(3)}`, threshold === null || threshold === undefined ? '.' : `, threshold ${+threshold.toFixed(3)}.`),
    notes.length ? h('p', { class: 'note warn', text: `${notes.join('; ')}.` }) : null,
    sets.size ? h('div', { class: 'stack' }, [...sets].map(([name, hits]) => h('section', { class: 'stack' },
      h('h3', {}, SETS[name] ?? (name === 'learnt' ? 'words learnt from examples or pages found earlier' : name), typeof parts[name] === 'number' ? h('span', { class: 'muted num', text: `  ${parts[name].toFixed(3)}` }) : null),
      hits.length ? h('ul', { class: 'bars' }, hits.slice(0, 15).map(hit => h('li', {}, h('span', { class: 'wrap', text: `${hit.term} ×${hit.count}` }), h('span', { class: 'num', text: hit.set === 'exclude' ? '' : hit.share.toFixed(3) }), h('div', { class: 'track' }, width(h('div', { class: `fill ${hit.set === 'exclude' ? 'three' : ''}` }), hit.set === 'exclude' ? 1 : hit.share / Math.max(1e-9, ...hits.map(hit => hit.share))))))) : name === 'learnt' || name === 'query' || name === 'table' ? null : h('p', { class: 'small muted', text: parts[name] > 0 ? 'its terms are not among the words that are listed' : 'none of its terms found' })))) : empty('The record does not say what the relevance is made of.'),
    parts.nearness ? h('p', { text: `Layer ${parts.nearness.layer}: a target with probability ${parts.nearness.posterior.toFixed(3)}, similarity to the targets ${parts.nearness.similarity.toFixed(3)}.` }) : null,
    record.genre ? h('p', { text: `Kind of page: ${record.genre.class} (${percent(record.genre.confidence, 0)} sure).` }) : null,
    h('dl', { class: 'kv' },
      h('dt', { text: 'Taken with' }), h('dd', { text: record.score === undefined ? 'no score' : `score ${record.score.toPrecision(4)}, class ${record.class ?? 0}` }),
      h('dt', { text: 'Fetched' }), h('dd', { text: `${time(record.fetched_at)}, ${bytes(record.bytes)} in ${count(record.ms)} ms, ${record.content_type ?? 'no content type'}` }),
      h('dt', { text: 'Led to' }), h('dd', { text: plural(led, 'page') })));
}

function path(app, { path: steps }) {
  const how = { seed: 'named as a seed', link: 'linked', redirect: 'reached by a redirect', sitemap: 'listed in a sitemap', host: 'named by its host' };
  return h('ol', { class: 'path' }, steps.map((step, at) => h('li', { class: step.relevant ? 'yes' : '' },
    h('p', { class: 'small muted' }, at === 0 ? how[step.via] : step.anchor ? ['by the link ', h('strong', { text: `“${step.anchor}”` })] : how[step.via] ?? step.via, step.score === undefined ? '' : `, score ${step.score.toPrecision(3)}`),
    h('button', { class: 'quiet tiny wrap', type: 'button', text: `${step.relevance.toFixed(3)}  ${step.title || step.url}`, on: { click: () => openPage(app, step.id) } }),
    h('p', { class: 'small muted wrap', text: step.url }))));
}

function text(app, id) {
  const place = h('div', { class: 'stack' }, h('div', { class: 'skeleton' }));
  get(`crawls/${app.crawl}/pages/${id}/text`).then(found => {
    place.replaceChildren(found.text.trim() ? h('div', { class: 'archived', text: found.text, lang: found.language ?? null }) : empty('The page has no main text.'));
  }, error => place.replaceChildren(h('p', { class: 'note bad', text: error.message })));
  return place;
}

function copies(app, { near_duplicates: found }) {
  if (!found.length) return empty('No other page is nearly the same.');
  return h('ol', { class: 'results' }, found.map(page => h('li', {}, score(page), h('div', {}, h('button', { class: 'title', type: 'button', text: page.title || page.url, on: { click: () => openPage(app, page.id) } }), h('p', { class: 'url wrap', text: page.url })))));
}
void card; void toast;
