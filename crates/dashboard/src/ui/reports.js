// Reports: those that crawls write at their end, and results of the lab. A page is shown in a frame without rights; results of
// the lab in JSON are shown as tables and curves.
import { h, get, getFile, bytes, card, count, empty, failed, reportAddress } from '/core.js';
import { lineChart } from '/charts.js';
import { table } from '/overview.js';

/** Runs that a curve is drawn for, at most: there are no more colours. */
const MOST_CURVES = 6;
const SHADES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

export function reports(app) {
  const list = h('div', { class: 'stack' }, h('div', { class: 'skeleton' })), stage = h('div', { class: 'stack stage' });
  const node = h('div', {}, h('div', { class: 'head' }, h('div', {}, h('h1', { text: 'Reports' }), h('p', { text: 'Reports of crawls, and results of the lab from the folders that are served.' }))), h('div', { class: 'grid' }, card('Files', null, 'w12 wide', list)), stage);

  async function open(folder, file) {
    const path = folder.crawl ? `/api/v1/crawls/${folder.id}/files/${encodeURIComponent(file.name)}` : `/api/v1/reports/${folder.id}/${encodeURIComponent(file.name)}`;
    try {
      const body = file.name.endsWith('.json') ? results(await getFile(path)) : h('iframe', { class: 'frame', title: `${file.name} of ${folder.id}`, sandbox: 'allow-scripts', src: await reportAddress(path) });
      stage.replaceChildren(h('div', { class: 'head top-space' }, h('div', {}, h('h2', { text: `${folder.id}: ${file.name}` })), h('button', { type: 'button', text: 'Open in a new tab', on: { click: async () => window.open(await reportAddress(path), '_blank', 'noopener') } })), body);
      stage.scrollIntoView({ block: 'start' });
    } catch (error) { failed(error); }
  }

  get('reports').then(({ folders }) => {
    const mine = folders.sort((a, b) => (b.id === app.crawl) - (a.id === app.crawl));
    const blocks = mine.filter(folder => folder.files.length).map(folder => h('section', { class: 'stack' },
      h('h3', { text: folder.crawl ? `Crawl ${folder.id}` : `Folder ${folder.id}` }),
      h('table', { class: 'files' }, h('tbody', {}, folder.files.map(file => h('tr', {}, h('td', {}, h('button', { type: 'button', text: file.name, on: { click: () => open(folder, file) } })), h('td', { class: 'r', text: bytes(file.bytes) }), h('td', { class: 'r muted', text: new Date(file.modified * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) })))))));
    list.replaceChildren(...(blocks.length ? blocks : [empty('There is no report yet. A crawl writes one when it ends; the lab writes one with -o FILE.html. Name the folder with such files in hound serve.')]));
  }, error => list.replaceChildren(h('p', { class: 'note bad', text: error.message })));
  return { node };
}

/** A comparison of the lab, or whatever else the file holds. */
function results(found) {
  if (!Array.isArray(found?.summary) || !Array.isArray(found?.runs)) return h('pre', { class: 'code', tabindex: '0', text: JSON.stringify(found, null, 2) });
  // The bound is judged by the truth, which says nothing about judges.
  const judges = new Set(found.runs.map(run => run.judge).filter(judge => judge !== 'labels'));
  const name = row => row.judge && judges.size > 1 ? `${row.strategy}, judge ${row.judge}` : row.strategy;
  const rows = found.summary.filter(row => row.web === null || row.web === undefined), measures = ['auc30', 'auc100', 'precision', 'recall', 'f1'].filter(measure => rows.some(row => row.measures?.[measure]));
  const value = measure => measure ? `${measure.mean.toFixed(3)}${measure.n > 1 ? ` ± ${measure.se.toFixed(3)}` : ''}` : '–';
  const curves = harvestCurves(found.runs, name);
  const scroll = (label, node) => h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, node);
  const chart = curves.lines.length ? lineChart({ label: 'Relevant pages found, by the share of pages visited', xLabel: 'pages visited, per cent', yLabel: 'relevant pages found, per cent, mean of all runs', xText: value => `${value}`, yText: value => `${value.toFixed(0)} %`, data: () => curves }) : null;
  return h('div', { class: 'grid' },
    card(found.title ?? 'Results', `${count(found.runs.length)} runs`, 'w12 wide',
      scroll('Means', table(['Strategy', '>Tasks', ...measures.map(measure => `>${measure}`)], rows.map(row => [name(row), count(row.tasks ?? 0), ...measures.map(measure => value(row.measures?.[measure]))])))),
    chart ? card('Harvest', null, 'w7 wide', chart.node, h('div', { class: 'legend' }, curves.lines.map(line => h('span', {}, h('i', { class: line.class }), line.name)))) : '',
    (found.tests ?? []).length ? card('Compared with the baseline', found.baseline ? name(found.baseline) : null, chart ? 'w5' : 'w12 wide', scroll('Tests', table(['Strategy', 'Measure', '>Difference', '>p (Holm)', 'Verdict'], found.tests.map(test => [name(test), test.measure, test.difference.toFixed(4), (test.p_holm ?? test.p).toFixed(4), test.verdict])))) : '');
}

/** For each strategy, the share of relevant pages found by the share of pages visited. */
function harvestCurves(runs, name) {
  const groups = new Map();
  for (const run of runs) if (Array.isArray(run.hits) && run.fetched > 0 && run.relevant_reachable > 0) groups.set(name(run), [...(groups.get(name(run)) ?? []), run]);
  const x = Array.from({ length: 51 }, (_, at) => 2 * at);
  const share = (run, percent) => { const visits = run.fetched * percent / 100; let found = 0; while (found < run.hits.length && run.hits[found] <= visits) found++; return 100 * found / run.relevant_reachable; };
  const lines = [...groups].slice(0, MOST_CURVES).map(([name, group], at) => ({ name, class: SHADES[at], values: x.map(percent => group.reduce((sum, run) => sum + share(run, percent), 0) / group.length) }));
  return { x, lines };
}
