// Reports: those that crawls write at their end, and results of the lab. Each is shown in a frame without rights.
import { h, get, bytes, card, empty, failed, reportAddress, plural } from '/core.js';

export function reports(app) {
  const list = h('div', { class: 'stack' }, h('div', { class: 'skeleton' })), stage = h('div', { class: 'stack' });
  const node = h('div', {}, h('div', { class: 'head' }, h('div', {}, h('h1', { text: 'Reports' }), h('p', { text: 'Reports of crawls, and results of the lab from the folders that are served.' }))), h('div', { class: 'grid' }, card('Files', null, 'w12 wide', list)), stage);

  async function open(folder, file) {
    const path = folder.crawl ? `/api/v1/crawls/${folder.id}/files/${encodeURIComponent(file.name)}` : `/api/v1/reports/${folder.id}/${encodeURIComponent(file.name)}`;
    try {
      const frame = h('iframe', { class: 'frame', title: `${file.name} of ${folder.id}`, sandbox: 'allow-scripts', src: await reportAddress(path) });
      stage.replaceChildren(h('div', { class: 'head' }, h('div', {}, h('h2', { text: `${folder.id}: ${file.name}` })), h('button', { type: 'button', text: 'Open in a new tab', on: { click: async () => window.open(await reportAddress(path), '_blank', 'noopener') } })), frame);
      stage.scrollIntoView({ block: 'start' });
    } catch (error) { failed(error); }
  }

  get('reports').then(({ folders }) => {
    const mine = folders.sort((a, b) => (b.id === app.crawl) - (a.id === app.crawl));
    const blocks = mine.filter(folder => folder.files.length).map(folder => h('section', { class: 'stack' },
      h('h3', { text: `${folder.id}${folder.crawl ? '' : ' (lab)'}` }),
      h('table', {}, h('tbody', {}, folder.files.map(file => h('tr', {}, h('td', {}, h('button', { class: 'quiet', type: 'button', text: file.name, on: { click: () => open(folder, file) } })), h('td', { class: 'r', text: bytes(file.bytes) }), h('td', { class: 'r muted', text: new Date(file.modified * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) })))))));
    list.replaceChildren(...(blocks.length ? blocks : [empty('There is no report yet. A crawl writes one when it ends; the lab writes one with -o FILE.html. Name the folder with such files in hound serve.')]));
  }, error => list.replaceChildren(h('p', { class: 'note bad', text: error.message })));
  void plural;
  return { node };
}
