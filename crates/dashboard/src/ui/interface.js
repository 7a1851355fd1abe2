// The interface for programs, from its own description.
import { h, get, plural, session } from '/core.js';

export function description() {
  const place = h('div', {}, h('div', { class: 'skeleton' }));
  const node = h('div', {}, h('div', { class: 'head' }, h('div', {}, h('h1', { text: 'API' }), h('p', { text: 'Everything this page shows and does goes through these paths.' })), h('a', { class: 'button', href: '/api/v1/openapi.json', target: '_blank', rel: 'noopener', text: 'OpenAPI description' }), h('a', { class: 'button', href: '/metrics', target: '_blank', rel: 'noopener', text: 'Metrics' })), place);
  get('openapi.json').then(found => {
    const groups = new Map();
    for (const [path, operations] of Object.entries(found.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const tag = operation.tags[0];
        groups.set(tag, [...(groups.get(tag) ?? []), { path, method, operation }]);
      }
    }
    place.replaceChildren(h('div', { class: 'grid' },
      h('section', { class: 'card w12 wide' }, h('p', { text: found.info.description.replaceAll('`', '') }), h('p', { class: 'small muted', text: `Version ${found.info.version}${session.read_only ? ', read-only' : ''}` })),
      [...groups].map(([tag, entries]) => h('section', { class: 'card w12 wide' }, h('h2', { text: tag }), entries.map(one)))));
  }, error => place.replaceChildren(h('p', { class: 'note bad', text: error.message })));
  return { node };
}

function one({ path, method, operation }) {
  const parameters = operation.parameters.filter(parameter => parameter.in === 'query'), body = operation.requestBody?.content['application/json'].example;
  const data = body ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'` : '';
  const secret = method === 'get' ? '' : " -H \"Authorization: Bearer $TOKEN\"";
  return h('div', { class: 'op' },
    h('div', { class: 'path-line' }, h('span', { class: `badge ${method === 'get' ? 'info' : 'warn'}`, text: method.toUpperCase() }), h('code', { class: 'wrap', text: path })),
    h('p', { class: 'small', text: operation.summary.replaceAll('`', '') }),
    parameters.length || body ? h('details', { class: 'table' }, h('summary', { text: parameters.length ? `${plural(parameters.length, 'parameter')} and an example` : 'An example' }),
      parameters.length ? h('dl', { class: 'kv' }, parameters.map(parameter => [h('dt', {}, h('code', { text: parameter.name })), h('dd', { text: `${parameter.description} (${parameter.schema.type})` })])) : null,
      h('pre', { class: 'code', tabindex: '0', text: `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`}${secret}${data} ${location.origin}${path}` })) : null);
}
