import type { Fetch, JsonObject } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import { APP_MIME_TYPE } from '../../apps/app-extension.ts';
import { ENDPOINT_META } from '../../catalogue/read-tool.ts';
import type { ServeInMemory } from '../../transports/in-memory-transport.ts';
import { initialized, MethodError, serveMethods } from '../../transports/serve-methods.ts';
import { callPlugin } from './call-plugin.ts';
import type { Plugin, PluginRequest, PluginTool } from './plugin.ts';
import { MARKDOWN_PAGE, PAGE_URI, pageOfPlugin } from './plugin-page.ts';
import { withoutSecretSettings } from './plugin-settings.ts';

export type ServePluginOptions = {
  fetch: Fetch;
  /** The current settings; read for each call, so that a change needs no reconnect. */
  settings: () => Promise<JsonObject>;
};

/** A plugin as an in-memory MCP server: its functions are tools, its page is an MCP App. */
export function servePlugin(plugin: Plugin, { fetch, settings }: ServePluginOptions): ServeInMemory {
  const hasApp = plugin.page !== undefined || plugin.kind === 'markdown';
  const appResource = { uri: PAGE_URI, name: plugin.title, mimeType: APP_MIME_TYPE };
  return serveMethods({
    initialize: (params) =>
      initialized(params, {
        capabilities: { tools: {}, ...(hasApp ? { resources: {} } : {}) },
        serverInfo: { name: plugin.identifier, title: plugin.title, version: 'plugin' },
        ...(plugin.instructions === undefined ? {} : { instructions: plugin.instructions }),
      }),
    ping: () => ({}),
    'tools/list': () => ({ tools: plugin.tools.map((tool) => listed(tool, hasApp)) }),
    'tools/call': async ({ name, arguments: given }, signal) => {
      const tool = plugin.tools.find((each) => each.name === name);
      if (tool === undefined) throw new MethodError(-32_602, 'There is no function with this name.');
      return call(plugin, tool, isJsonObject(given) ? given : {}, { fetch, settings, signal });
    },
    ...(hasApp && {
      'resources/list': () => ({ resources: [appResource] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': async ({ uri }) => {
        if (uri !== PAGE_URI) throw new MethodError(-32_602, 'There is no such resource.');
        return { contents: [{ ...appResource, ...(await createApp(plugin, settings)) }] };
      },
    }),
  });
}

function listed({ name, description, inputSchema, endpoint, readOnly }: PluginTool, hasApp: boolean): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
    annotations: { openWorldHint: true, ...(readOnly ? { readOnlyHint: true } : {}) },
    _meta: { [ENDPOINT_META]: endpoint, ...(hasApp ? { ui: { resourceUri: PAGE_URI, visibility: ['model'] } } : {}) },
  };
}

async function createApp(plugin: Plugin, settings: ServePluginOptions['settings']): Promise<JsonObject> {
  if (plugin.page === undefined) return { text: MARKDOWN_PAGE };
  return {
    text: pageOfPlugin(plugin, withoutSecretSettings(plugin.settings, await settings())),
    _meta: { ui: { csp: { frameDomains: [new URL(plugin.page.url).origin] } } },
  };
}

const TO_MODEL = { audience: ['assistant'] };
const TO_USER = { audience: ['user'] };

async function call(
  plugin: Plugin,
  tool: PluginTool,
  args: JsonObject,
  { fetch, settings, signal }: ServePluginOptions & { signal: AbortSignal },
): Promise<JsonObject> {
  if (tool.request === undefined) {
    const text = 'The page of the plugin is shown to the user, who continues there. Wait for the next message.';
    return { content: [{ type: 'text', text, annotations: TO_MODEL }] };
  }
  const { content, text, isError } = await callPlugin(
    createRequest(tool.request, args, await settings()),
    fetch,
    signal,
  );
  if (plugin.kind !== 'markdown' || isError || text === null) return { content, isError };
  const html = await toHtml(text);
  return {
    content: [
      { type: 'text', text, annotations: TO_USER },
      {
        type: 'resource',
        resource: { uri: 'plugin:result.html', mimeType: 'text/html', text: html },
        annotations: TO_USER,
      },
      {
        type: 'text',
        text: 'The result is shown to the user. Do not repeat or summarize it.',
        annotations: TO_MODEL,
      },
    ],
    isError: false,
  };
}

/** Nothing has been sent yet. */
function createRequest(
  request: NonNullable<PluginTool['request']>,
  args: JsonObject,
  settings: JsonObject,
): PluginRequest {
  try {
    return request(args, settings);
  } catch (thrown) {
    if (!ToolyardError.isInstance(thrown)) throw thrown;
    const { code, message, hint } = thrown;
    if (code === 'invalid_arguments') throw new MethodError(-32_602, message);
    throw new MethodError(-32_600, hint === undefined ? message : `${message} ${hint}`);
  }
}

/** Markdown of a plugin as HTML for its frame. HTML inside it is shown as text. */
async function toHtml(markdown: string): Promise<string> {
  const { Marked } = await import('marked');
  const marked = new Marked({
    gfm: true,
    renderer: { html: ({ text }) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`) },
  });
  return marked.parse(markdown, { async: false });
}
