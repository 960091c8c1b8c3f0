import type { JsonObject } from '@toolyard/protocol';
import type { Plugin } from './plugin.ts';

/** The MCP App that shows calls of a plugin. */
export const PAGE_URI = 'ui://plugin/page';
const DEFAULT_HEIGHT = 480;

/**
 * The HTML of the MCP App: the plugin's page in a frame, and a script that translates between the messages of LobeChat's
 * plugin SDK and those of MCP Apps. Nothing that the page sends has an effect by itself: the host asks the user.
 */
export function pageOfPlugin(plugin: Plugin, settings: JsonObject): string {
  const { identifier, title, kind, page } = plugin;
  const config = { identifier, title, kind, settings, height: page?.height ?? DEFAULT_HEIGHT };
  return `<!doctype html><meta charset="utf-8"><style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;width:100%;height:100%;border:0}</style>
<iframe id="plugin" title="${escape(title)}" sandbox="allow-scripts allow-forms" referrerpolicy="no-referrer" src="${escape(page?.url ?? '')}"></iframe>
<script>${SCRIPT}(${JSON.stringify(config).replaceAll('<', '\\u003c')})</script>`;
}

/** The HTML of the MCP App that shows the results of a Markdown plugin. */
export const MARKDOWN_PAGE = `<!doctype html><meta charset="utf-8"><style>
:root{color-scheme:light}:root[data-theme=dark]{color-scheme:dark;background:#1c1c1e}
body{margin:0;padding:12px 16px;font:15px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
pre{overflow:auto;padding:8px;border:1px solid #8884;border-radius:6px}table{border-collapse:collapse}td,th{border:1px solid #8886;padding:4px 8px}
</style><main></main><script>(() => {
  const host = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data === null || typeof data !== 'object') return;
    if (data.id === 1) host({ method: 'ui/notifications/initialized', params: {} });
    else if (data.method === 'ui/resource-teardown') host({ id: data.id, result: {} });
    else if (data.method === 'ui/notifications/tool-result') {
      const blocks = Array.isArray(data.params?.content) ? data.params.content : [];
      const html = blocks.find((block) => block?.resource?.mimeType === 'text/html')?.resource.text;
      document.querySelector('main').innerHTML = typeof html === 'string' ? html : '';
    }
  });
  host({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appCapabilities: {} } });
})()</script>`;

/** It runs in the frame: no function of this file is visible to it. */
const SCRIPT = `((config) => {
  const REFUSED = {
    'update-plugin-settings': 'a page cannot change settings',
    'create-assistant-message': 'a page cannot write an answer of the assistant',
  };
  const MAX_TEXT = 40000;
  const frame = document.getElementById('plugin');
  let apiName = '';
  let input = null;
  let content = '';
  let isReady = false;
  let state = {};
  let filled = '';
  let requests = 1;
  let triggered = 0;
  let notes = 0;
  const host = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = (method, params) => {
    requests += 1;
    host({ id: requests, method, params });
    return requests;
  };
  const plugin = (type, more) => frame.contentWindow.postMessage({ type: 'lobe-chat:' + type, ...more }, '*');
  const note = (text) => {
    notes += 1;
    if (notes <= 20) console.warn('Plugin "' + config.title + '": ' + text);
  };
  const textOf = (value) =>
    (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)).slice(0, MAX_TEXT);

  const render = () => {
    if (!isReady || input === null) return;
    plugin('render-plugin', { props: { name: apiName, arguments: input, content, state } });
  };
  const start = () => {
    if (!isReady || input === null) return;
    if (config.kind === 'standalone') {
      const payload = { identifier: config.identifier, apiName, arguments: JSON.stringify(input), type: config.kind };
      plugin('init-standalone-plugin', { payload, settings: config.settings, state });
    }
    render();
  };

  const fromHost = (message) => {
    const params = message.params ?? {};
    if (message.id === 1 && message.result !== undefined) {
      apiName = message.result.hostContext?.toolInfo?.tool?.name ?? '';
      host({ method: 'ui/notifications/initialized', params: {} });
      host({ method: 'ui/notifications/size-changed', params: { height: config.height } });
    } else if (message.id === triggered && message.result?.isError === false && filled !== '') {
      // It was sent; it must not be sent again with the next message.
      filled = '';
      ask('ui/update-model-context', { content: [] });
    } else if (message.method === 'ui/resource-teardown') host({ id: message.id, result: {} });
    else if (message.method === 'ui/notifications/tool-input') {
      input = params.arguments ?? {};
      start();
    } else if (message.method === 'ui/notifications/tool-result') {
      const texts = (Array.isArray(params.content) ? params.content : []).map((block) => block?.text);
      const text = texts.find((each) => typeof each === 'string') ?? '';
      try {
        content = JSON.parse(text);
      } catch {
        content = text;
      }
      render();
    }
  };

  const fromPlugin = (message) => {
    const type = typeof message?.type === 'string' ? message.type : '';
    if (!type.startsWith('lobe-chat:')) return note('ignored a message that is not one of a plugin.');
    const name = type.slice('lobe-chat:'.length);
    switch (name) {
      case 'plugin-ready-for-render':
        isReady = true;
        return start();
      case 'fetch-plugin-message':
        return render();
      case 'fetch-plugin-settings':
        return plugin('render-plugin-settings', { value: config.settings });
      case 'fetch-plugin-state':
        return plugin('render-plugin-state', { key: message.key, value: state[String(message.key)] });
      case 'update-plugin-state':
        if (JSON.stringify(message.value ?? null).length > MAX_TEXT) return note('the state is too long.');
        state = { ...state, [String(message.key)]: message.value };
        return;
      case 'fill-plugin-content':
        filled = textOf(message.content);
        ask('ui/update-model-context', { content: [{ type: 'text', text: filled }] });
        if (message.triggerAiMessage === true) trigger();
        return;
      case 'trigger-ai-message':
        return trigger();
      default:
        note('ignored "' + name.slice(0, 80) + '"' + (REFUSED[name] === undefined ? '.' : ': ' + REFUSED[name] + '.'));
    }
  };
  // The host shows the message to the user, who sends it or not.
  const trigger = () => {
    const text = filled === '' ? 'Please continue.' : 'From "' + config.title + '":\\n\\n' + filled;
    triggered = ask('ui/message', { role: 'user', content: [{ type: 'text', text }] });
  };

  addEventListener('message', ({ source, data }) => {
    if (source === parent) {
      if (data !== null && typeof data === 'object') fromHost(data);
    } else if (source === frame.contentWindow) fromPlugin(data);
  });
  host({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appCapabilities: {} } });
})`;

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
