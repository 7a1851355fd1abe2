// The frame: which crawl, which view, light or dark, and the connection.
import { h, get, listen, loadSession, session, setToken, failed, stateBadge, empty } from '/core.js';
import { overview } from '/overview.js';
import { pages, openPage } from '/pages.js';
import { map } from '/map.js';
import { steering } from '/steering.js';
import { reports } from '/reports.js';
import { description } from '/interface.js';

const VIEWS = [['overview', 'Overview', overview], ['pages', 'Pages', pages], ['map', 'Map', map], ['steering', 'Steering', steering], ['reports', 'Reports', reports], ['api', 'API', description]];
const main = document.getElementById('view'), nav = document.getElementById('nav'), picker = document.getElementById('crawl'), live = document.getElementById('live');

const app = { crawl: '', lines: [], view: null, parameters: new URLSearchParams(), openPage: id => openPage(app, id), go };

// ---------------------------------------------------------------------------------------------------- light and dark

const themeButton = document.getElementById('theme'), prefers = matchMedia('(prefers-color-scheme: dark)');
const themes = ['auto', 'light', 'dark'];
function applyTheme() {
  const chosen = localStorage.getItem('scenthound-theme') ?? 'auto';
  document.documentElement.dataset.theme = chosen === 'auto' ? (prefers.matches ? 'dark' : 'light') : chosen;
  themeButton.textContent = { auto: 'Auto', light: 'Light', dark: 'Dark' }[chosen];
  themeButton.setAttribute('aria-label', `Colours: ${themeButton.textContent}. Press to change.`);
  window.dispatchEvent(new Event('themechange'));
}
themeButton.addEventListener('click', () => {
  const chosen = localStorage.getItem('scenthound-theme') ?? 'auto';
  localStorage.setItem('scenthound-theme', themes[(themes.indexOf(chosen) + 1) % themes.length]);
  applyTheme();
});
prefers.addEventListener('change', applyTheme);
applyTheme();

// ------------------------------------------------------------------------------------------------------------ routes

/** Goes to a view of the present crawl. */
function go(view, parameters = {}) {
  const text = new URLSearchParams(parameters).toString();
  location.hash = `#/${app.crawl}/${view}${text ? `?${text}` : ''}`;
}

function route() {
  const [path, text = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [crawl, name] = path.split('/').map(decodeURIComponent);
  const known = app.lines.find(line => line.id === crawl) ?? app.lines[0];
  app.crawl = known?.id ?? '';
  app.parameters = new URLSearchParams(text);
  const [id, title, make] = VIEWS.find(([id]) => id === name) ?? VIEWS[0];
  picker.value = app.crawl;
  for (const link of nav.children) {
    link.href = `#/${encodeURIComponent(app.crawl)}/${link.dataset.view}`;
    if (link.dataset.view === id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${title} – Scenthound`;
  app.view?.leave?.();
  if (!app.crawl && !['reports', 'api'].includes(id)) {
    app.view = null;
    main.replaceChildren(empty('No crawl is served here. Reports and the interface are.'));
    return;
  }
  app.view = make(app);
  main.replaceChildren(app.view.node);
  window.scrollTo(0, 0);
}

function fillPicker() {
  const texts = app.lines.map(line => `${line.topic || line.id}${app.lines.length > 1 ? ` (${line.id})` : ''}`);
  if (texts.join('\n') !== [...picker.options].map(option => option.text).join('\n')) {
    picker.replaceChildren(...app.lines.map((line, at) => h('option', { value: line.id, text: texts[at] })));
    picker.value = app.crawl;
  }
  picker.parentElement.hidden = app.lines.length === 0;
}

/** Asks for the token, which reading needs too where other machines can connect. */
function askForToken(message) {
  const field = h('input', { type: 'password', autocomplete: 'off', id: 'token' });
  const form = h('form', { class: 'card stack', on: { submit: event => { event.preventDefault(); setToken(field.value); location.reload(); } } },
    h('h1', { text: 'Token' }), h('p', { text: message }), h('label', { class: 'field' }, 'The token this dashboard was started with', field), h('button', { class: 'main', type: 'submit', text: 'Open' }));
  main.replaceChildren(h('div', { class: 'grid' }, form));
  field.focus();
}

async function start() {
  nav.replaceChildren(...VIEWS.map(([id, title]) => h('a', { 'data-view': id, text: title, href: '#/' })));
  try {
    await loadSession();
    if (session.token_for_reading && !session.has_token) return askForToken('This dashboard can be reached from other machines, so it needs a token.');
    app.lines = await get('crawls');
  } catch (error) {
    main.replaceChildren(h('p', { class: 'note bad', text: error.message }));
    return;
  }
  fillPicker();
  window.addEventListener('hashchange', route);
  picker.addEventListener('change', () => { const name = location.hash.split('?')[0].split('/')[2] ?? 'overview'; location.hash = `#/${encodeURIComponent(picker.value)}/${name}`; });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) app.view?.changed?.(app.lines.find(line => line.id === app.crawl)); });
  route();
  listen(({ crawls }) => {
    const before = JSON.stringify(app.lines.find(line => line.id === app.crawl));
    app.lines = crawls;
    fillPicker();
    const line = crawls.find(line => line.id === app.crawl);
    if (line && JSON.stringify(line) !== before) app.view?.changed?.(line);
  }, isOn => {
    live.className = `live ${isOn ? 'on' : 'off'}`;
    live.textContent = isOn ? 'connected' : 'no connection';
  });
}

// Views by number, as long as nothing is being typed.
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view) go(view[0]);
  if (event.key === '/') { event.preventDefault(); go('pages'); setTimeout(() => document.getElementById('search')?.focus(), 50); }
});

start().catch(failed);
void stateBadge;
