import type { McpBehaviour } from '@toolyard/testing';

const URI = 'ui://clock/app';
const BROKEN = 'ui://clock/silent';
const TYPE = 'text/html;profile=mcp-app';

/** The start of every app of this file: JSON-RPC over the frame. `lines` collects what the test reads. */
const CLIENT = `
  const pending = new Map();
  let last = 0;
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method, params = {}) => new Promise((resolve) => {
    pending.set(++last, resolve);
    send({ id: last, method, params });
  });
  const say = (text) => { const line = document.createElement('p'); line.textContent = text; document.body.append(line); };
  const outcome = ({ result, error }) => error ? 'error: ' + error.message : JSON.stringify(result);
  addEventListener('message', ({ data }) => {
    if (data.method === 'ui/notifications/tool-input') say('input ' + JSON.stringify(data.params.arguments));
    if (data.method === 'ui/notifications/tool-result') say('result ' + data.params.content[0].text);
    if (data.method === 'ui/notifications/host-context-changed') say('theme ' + data.params.theme);
    if (data.method === undefined) pending.get(data.id)?.(data);
  });
  const initialize = async () => {
    const { result } = await request('ui/initialize', {
      appInfo: { name: 'clock', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26',
    });
    send({ method: 'ui/notifications/initialized' });
    return result;
  };
`;

const APP = `<!doctype html><body><h1>Clock</h1>
<button id="tick">Tick</button><button id="other">Other</button><button id="link">Link</button>
<button id="message">Message</button><button id="context">Context</button><button id="flood">Flood</button>
<script>${CLIENT}
  const on = (name, act) => document.getElementById(name).addEventListener('click', async () => say(name + ' ' + outcome(await act())));
  on('tick', () => request('tools/call', { name: 'tick', arguments: { beat: 3 } }));
  on('other', () => request('tools/call', { name: 'secret', arguments: {} }));
  on('link', () => request('ui/open-link', { url: 'javascript:alert(1)' }));
  on('message', () => request('ui/message', { role: 'user', content: [{ type: 'text', text: 'Hello from the app' }] }));
  on('context', () => request('ui/update-model-context', { content: [{ type: 'text', text: 'The clock shows 12:00.' }] }));
  on('flood', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => request('tools/call', { name: 'tick', arguments: {} })));
    return { result: { rejected: answers.filter(({ error }) => error !== undefined).length } };
  });
  (async () => {
    say('early ' + outcome(await request('tools/call', { name: 'tick', arguments: {} })));
    const { hostContext } = await initialize();
    say('host ' + hostContext.theme + ' ' + (hostContext.styles.variables['--color-text-primary'] ? 'styled' : 'plain'));
    try { say('page ' + window.top.document.title); } catch { say('page is out of reach'); }
    say('fetch ' + await fetch('/api/conversations').then(({ status }) => status, () => 'blocked'));
  })();
</script></body>`;

const html = (uri: string, text: string) => ({ uri, mimeType: TYPE, text });

/** A server with an app, and one whose app never answers. */
export const APP_SERVER: McpBehaviour = {
  serverInfo: { name: 'clock', version: '1', title: 'Clock server' },
  capabilities: { resources: {} },
  tools: [
    {
      name: 'show_clock',
      title: 'Show clock',
      _meta: { ui: { resourceUri: URI } },
      does: [{ do: 'text', text: 'noon' }],
    },
    { name: 'tick', _meta: { ui: { visibility: ['app'] } }, does: [{ do: 'echo' }] },
    { name: 'secret', _meta: { ui: { visibility: ['model'] } }, does: [{ do: 'text', text: 'never' }] },
  ],
  answers: {
    'resources/list': { result: { resources: [{ uri: URI, name: 'Clock', mimeType: TYPE }] } },
    'resources/templates/list': { result: { resourceTemplates: [] } },
    'resources/read': { result: { contents: [html(URI, APP)] } },
  },
};

/** A server whose app declares hosts and the camera. */
export const NEEDY_SERVER: McpBehaviour = {
  serverInfo: { name: 'needy', version: '1', title: 'Needy server' },
  capabilities: { resources: {} },
  tools: [{ name: 'show_map', _meta: { ui: { resourceUri: BROKEN } }, does: [{ do: 'text', text: 'a map' }] }],
  answers: {
    'resources/list': { result: { resources: [] } },
    'resources/templates/list': { result: { resourceTemplates: [] } },
    'resources/read': {
      result: {
        contents: [
          {
            ...html(BROKEN, `<body><script>${CLIENT} initialize().then(() => say('map is ready'));</script></body>`),
            _meta: { ui: { csp: { connectDomains: ['https://tiles.example'] }, permissions: { camera: {} } } },
          },
        ],
      },
    },
  },
};
