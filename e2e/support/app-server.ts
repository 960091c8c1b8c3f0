import type { McpBehaviour } from '@toolyard/testing';

const URI = 'ui://clock/app';
const BROKEN = 'ui://clock/silent';
export const APP_TYPE = 'text/html;profile=mcp-app';

/** The start of every app: JSON-RPC over the frame. Tests read what it says. */
export const APP_CLIENT = `
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
    if (data.method === 'ui/notifications/tool-input-partial') say('partial ' + JSON.stringify(data.params.arguments));
    if (data.method === 'ui/notifications/tool-input') say('input ' + JSON.stringify(data.params.arguments));
    if (data.method === 'ui/notifications/tool-result') say('result ' + data.params.content[0].text);
    if (data.method === 'ui/notifications/host-context-changed') {
      const { theme, displayMode, containerDimensions } = data.params;
      if (theme) say('theme ' + theme);
      if (displayMode) say('mode ' + displayMode + ' ' + Object.keys(containerDimensions).sort());
    }
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
<button id="danger">Danger</button><button id="full">Full</button><button id="beside">Beside</button>
<button id="tools">Tools</button><button id="end">End</button>
<script>${APP_CLIENT}
  const on = (name, act) => document.getElementById(name).addEventListener('click', async () => say(name + ' ' + outcome(await act())));
  on('tick', () => request('tools/call', { name: 'tick', arguments: { beat: 3 } }));
  on('danger', () => request('tools/call', { name: 'tick', arguments: { command: 'rm -rf /' } }));
  on('full', () => request('ui/request-display-mode', { mode: 'fullscreen' }));
  on('beside', () => request('ui/request-display-mode', { mode: 'pip' }));
  on('tools', () => request('tools/list'));
  document.getElementById('end').addEventListener('click', () => send({ method: 'ui/notifications/request-teardown' }));
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
    say('tool ' + JSON.stringify(hostContext.toolInfo.tool.inputSchema));
    say('host ' + hostContext.theme + ' ' + (hostContext.styles.variables['--color-text-primary'] ? 'styled' : 'plain'));
    try { say('page ' + window.top.document.title); } catch { say('page is out of reach'); }
    say('fetch ' + await fetch('/api/conversations').then(({ status }) => status, () => 'blocked'));
  })();
</script></body>`;

const html = (uri: string, text: string) => ({ uri, mimeType: APP_TYPE, text });

/** A server with an app that calls a tool which only apps may call. */
export const APP_SERVER: McpBehaviour = {
  serverInfo: { name: 'clock', version: '1', title: 'Clock server' },
  capabilities: { resources: {} },
  tools: [
    {
      name: 'show_clock',
      title: 'Show clock',
      inputSchema: { type: 'object', properties: { zone: { type: 'string' } } },
      _meta: { ui: { resourceUri: URI } },
      does: [{ do: 'text', text: 'noon' }],
    },
    { name: 'tick', _meta: { ui: { visibility: ['app'] } }, does: [{ do: 'echo' }] },
    { name: 'secret', _meta: { ui: { visibility: ['model'] } }, does: [{ do: 'text', text: 'never' }] },
  ],
  answers: {
    'resources/list': { result: { resources: [{ uri: URI, name: 'Clock', mimeType: APP_TYPE }] } },
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
            ...html(
              BROKEN,
              `<body><script>${APP_CLIENT} initialize().then(() => say('map is ready'));
              document.body.onclick = () => send({ method: 'ui/notifications/request-teardown' });</script></body>`,
            ),
            _meta: { ui: { csp: { connectDomains: ['https://tiles.example'] }, permissions: { camera: {} } } },
          },
        ],
      },
    },
  },
};

/** A server whose app was deleted. */
export const GONE_SERVER: McpBehaviour = {
  capabilities: { resources: {} },
  tools: [
    { name: 'show_gone', _meta: { ui: { resourceUri: 'ui://gone/app' } }, does: [{ do: 'text', text: 'as text' }] },
  ],
  answers: { 'resources/read': { error: { code: -32002, message: 'There is no such resource.' } } },
};

/** A server whose app never answers. */
export const SILENT_SERVER: McpBehaviour = {
  capabilities: { resources: {} },
  tools: [{ name: 'show_silent', _meta: { ui: { resourceUri: BROKEN } }, does: [{ do: 'text', text: 'as text' }] }],
  answers: { 'resources/read': { result: { contents: [html(BROKEN, '<p>Nothing happens.</p>')] } } },
};
