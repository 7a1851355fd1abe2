// What all views share: elements, numbers, requests, events. Text from crawled pages is hostile, so elements are only ever made
// with `h`, which sets text and never markup, and leaves out the characters that turn the direction of the text around them.

const SVG = 'http://www.w3.org/2000/svg';

/** Text without characters that change the direction of what follows. */
export const inert = text => String(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** Makes an element. Properties: class, text, on (listeners), attributes by name. Children are nodes or text. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'text') element.textContent = inert(value);
    else if (name === 'class') element.setAttribute('class', value);
    else if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : inert(child));
  }
  return element;
}

/** Fills an element again only if what it shows has changed, so that nobody loses the focus for nothing. */
export function refill(element, key, make) {
  const now = JSON.stringify(key);
  if (element.dataset.shows === now) return;
  element.dataset.shows = now;
  element.replaceChildren(...make());
}

/** Sets a width in per cent. */
export function width(element, share) {
  element.style.width = `${Math.max(0, Math.min(1, share || 0)) * 100}%`;
  return element;
}

export const count = number => (number ?? 0).toLocaleString('en');
export const percent = (share, digits = 1) => `${(100 * (share || 0)).toFixed(digits)} %`;
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function bytes(number) {
  let value = number ?? 0;
  for (const unit of ['B', 'kB', 'MB', 'GB', 'TB']) {
    if (value < 1000 || unit === 'TB') return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1000;
  }
  return '';
}

export function duration(ms) {
  const seconds = Math.round((ms ?? 0) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function rate(value) {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

export function time(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

// ---------------------------------------------------------------------------------------------------------------- the token

const KEPT = 'scenthound-token';
const given = location.hash.match(/^#token=([A-Za-z0-9._~-]+)$/);
if (given) {
  sessionStorage.setItem(KEPT, given[1]);
  history.replaceState(null, '', location.pathname);
}

export const session = { read_only: true, token_for_reading: false, has_token: false, version: '' };

export function setToken(token) {
  sessionStorage.setItem(KEPT, token.trim());
}

function headers(extra = {}) {
  const token = sessionStorage.getItem(KEPT);
  return token ? { Authorization: `Bearer ${token}`, ...extra } : extra;
}

/** Whether changes are possible. */
export const canChange = () => session.has_token && !session.read_only;

export async function loadSession() {
  Object.assign(session, await get('session'));
}

// ------------------------------------------------------------------------------------------------------------- requests

export class RequestError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function request(method, path, body, signal, base = '/api/v1/') {
  let response;
  try {
    response = await fetch(`${base}${path}`, {
      method, signal,
      headers: headers(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new RequestError(0, 'gone', 'The dashboard does not answer. It may have ended.');
  }
  const answer = await response.json().catch(() => null);
  // An answer that is not ready yet is no failure, but no answer either.
  if (!response.ok || response.status === 202) {
    const { code = 'failed', message = `status ${response.status}` } = answer?.error ?? {};
    throw new RequestError(response.status, code, message);
  }
  return answer;
}

/** Asks, and asks again while the answer is being made. */
export async function get(path, signal) {
  for (;;) {
    try { return await request('GET', path, undefined, signal); } catch (error) { if (error.code !== 'slow') throw error; }
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}
/** A file in JSON, by its whole path. */
export const getFile = path => request('GET', path, undefined, undefined, '');
export const post = (path, body) => request('POST', path, body);
export const remove = path => request('DELETE', path);

/** What is said while the records of a large crawl are read for the first time. */
export const readingText = share => `The records of this crawl are being read: ${percent(share, 0)} so far. The rest appears by itself.`;

/** A query string without empty values. */
export function query(values) {
  const used = Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false);
  return used.length ? `?${new URLSearchParams(used)}` : '';
}

/** The path of a report, with a ticket where one is needed. */
export async function reportAddress(path) {
  if (!session.token_for_reading) return path;
  const { ticket } = await post('tickets', { path });
  return `${path}?ticket=${ticket}`;
}

// --------------------------------------------------------------------------------------------------------------- events

/** Waits until the page is on the screen. */
const onScreen = () => new Promise(resolve => {
  if (!document.hidden) { resolve(); return; }
  document.addEventListener('visibilitychange', function look() { if (!document.hidden) { document.removeEventListener('visibilitychange', look); resolve(); } });
});

/** Listens to events for good. `heard` gets each message, `changed` whether there is a connection. A tab in the background hangs
    up after a while: browsers allow only a few connections to one host, and nobody looks. */
export async function listen(heard, changed) {
  for (let wait = 500; ; wait = Math.min(wait * 2, 10000)) {
    await onScreen();
    const connection = new AbortController();
    let hangingUp = 0;
    const look = () => { clearTimeout(hangingUp); if (document.hidden) hangingUp = setTimeout(() => connection.abort(), 5000); };
    document.addEventListener('visibilitychange', look);
    try {
      const response = await fetch('/api/v1/events', { headers: headers(), signal: connection.signal });
      if (!response.ok) throw new Error(String(response.status));
      changed(true);
      wait = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
        const messages = text.split('\n\n');
        text = messages.pop();
        for (const message of messages) {
          const data = message.split('\n').find(line => line.startsWith('data: '));
          if (data) heard(JSON.parse(data.slice(6)));
        }
      }
    } catch { /* The dashboard may come back. */ }
    document.removeEventListener('visibilitychange', look);
    clearTimeout(hangingUp);
    changed(false);
    if (connection.signal.aborted) wait = 250;
    else await new Promise(resolve => setTimeout(resolve, wait));
  }
}

// --------------------------------------------------------------------------------------------------------------- toasts

export function toast(text, action) {
  const box = h('div', { class: 'toast' }, h('span', { text }));
  if (action) {
    box.append(h('button', { class: 'tiny', type: 'button', text: action.name, on: { click: () => { box.remove(); action.run(); } } }));
  }
  document.getElementById('toasts').append(box);
  setTimeout(() => box.remove(), 7000);
}

export function failed(error) {
  if (error.name !== 'AbortError') toast(error.message);
}

// ------------------------------------------------------------------------------------------------------------------ words

/** What outcome codes and causes mean. */
export function causeText(cause) {
  const known = {
    'failed-dns-no-name': 'host does not exist', 'failed-dns': 'name could not be looked up', 'failed-connect': 'no connection', 'failed-connect-timeout': 'connecting timed out',
    'failed-tls': 'TLS failed', 'failed-first-byte-timeout': 'no answer in time', 'failed-disconnect': 'connection lost', 'failed-protocol': 'not HTTP',
    'refused-robots': 'forbidden by robots.txt (not asked)', 'refused-robots-unreachable': 'robots.txt unreachable (not asked)', 'refused-address': 'private address (not asked)', 'refused-port': 'port of another service (not asked)',
    'refused-scope': 'redirect out of scope', 'refused-content-type': 'not a page', 'refused-too-many-redirects': 'too many redirects',
    'refused-redirect-target': 'redirect to no valid URL', 'refused-host-budget': 'nothing new on the host (not asked)', 'refused-url-pattern': 'nothing new at such URLs (not asked)',
    'refused-inert-parameter': 'parameter without effect (not asked)', 'refused-new-hosts': 'too many new hosts (not asked)', 'failed-proxy': 'the proxy failed', 'failed-internal': 'fault of the crawler', 'not-recorded': 'not recorded',
    404: '404 not found', 403: '403 forbidden', 410: '410 gone', 429: '429 too many requests', 500: '500 server error', 503: '503 unavailable', 401: '401 unauthorised', 502: '502 bad gateway',
  };
  return known[cause] ?? (/^\d+$/.test(cause) ? `status ${cause}` : cause.replace(/^(failed|refused)-/, '').replaceAll('-', ' '));
}

export const STATES = {
  running: ['Running', 'good'], ended: ['Ended', 'info'], killed: ['Killed', 'bad'], new: ['Not started', 'warn'],
};

export function stateBadge(line) {
  if (line.paused && line.state === 'running') return h('span', { class: 'badge warn', text: 'Paused' });
  const [text, kind] = STATES[line.state] ?? [line.state, ''];
  return h('span', { class: `badge ${kind}`, text });
}

/** A score with a bar. */
export function score(page) {
  return h('div', { class: `score ${page.relevant ? 'yes' : ''}` },
    h('span', { text: page.relevance.toFixed(3) }),
    h('div', { class: 'track' }, width(h('div'), page.relevance)));
}

export function card(title, note, kind, ...content) {
  return h('section', { class: `card ${kind}` }, h('header', {}, h('h2', { text: title }), note ? h('p', { text: note }) : null), ...content);
}

export const empty = text => h('p', { class: 'empty', text });
