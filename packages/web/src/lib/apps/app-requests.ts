import type { JsonObject, McpAppDocument, ToolContentPart } from '@toolyard/protocol';
import { formatToolReference, ToolyardError } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { listPrompts, listResources, listTemplates, readResource } from '../resources/server-requests.ts';
import { servers } from '../state/servers.svelte.ts';
import type { CallApp } from './app-of-call.ts';
import { toCallToolResult } from './call-result.ts';

/** The HTML of an app, and what it declares to need. */
export async function readApp({ place, serverId, uri }: CallApp): Promise<McpAppDocument> {
  if (place === 'tab') return (await mcpStore.host()).readApp(serverId, uri);
  return api.post('/api/mcp/servers/{id}/apps/read', { params: { id: serverId }, body: { uri } });
}

/** Asks the user about a call of an app; false if it was denied. `danger`: why the call is flagged as dangerous. */
export type AskAboutCall = (tool: string, args: JsonObject, danger: string | null) => Promise<boolean>;

/**
 * Calls a tool for an app: only tools of its own server that the server offers to apps, and with the approval that a
 * call of the model would need.
 */
export async function callForApp(
  app: CallApp,
  conversationId: string,
  tool: string,
  args: JsonObject,
  ask: AskAboutCall,
): Promise<JsonObject> {
  if (app.place === 'tab') return callInTab(app, tool, args, ask);
  const send = (approved: boolean) =>
    api.post('/api/mcp/servers/{id}/apps/call', {
      params: { id: app.serverId },
      body: { conversationId, tool, arguments: args, ...(approved ? { approved } : {}) },
    });
  let call = await send(false);
  if (call.decision === 'ask') {
    if (!(await ask(tool, args, call.danger ?? null))) throw denied();
    call = await send(true);
  }
  if (call.decision === 'called') return toCallToolResult(call.result);
  throw call.decision === 'refused' ? new ToolyardError(call.error) : denied();
}

/** Servers of this tab have no stored permissions for apps: every call is asked about. */
async function callInTab(app: CallApp, tool: string, args: JsonObject, ask: AskAboutCall): Promise<JsonObject> {
  const { serverId } = app;
  const known = mcpStore
    .tools({ servers: { [serverId]: true } })
    .find((each) => each.tool.serverId === serverId && each.tool.name === tool);
  if (known === undefined || known.ui?.visibility.includes('app') === false) {
    throw new Error(`The server "${serverId}" offers apps no tool "${tool}".`);
  }
  if (!(await ask(tool, args, null))) throw denied();
  return toCallToolResult(await mcpStore.executeTool(known.tool, args));
}

function denied(): Error {
  return new Error('The user denied the call.');
}

/** Lists and reads for an app, of its own server only. */
export async function requestForApp(app: CallApp, method: string, params: JsonObject): Promise<JsonObject> {
  switch (method) {
    case 'tools/list':
      return { tools: toolsOf(app) };
    case 'resources/list':
      return { resources: (await listResources(app)) as unknown as JsonObject[] };
    case 'resources/templates/list':
      return { resourceTemplates: (await listTemplates(app)) as unknown as JsonObject[] };
    case 'prompts/list': {
      const prompts = await listPrompts(app.place);
      return { prompts: prompts.filter(({ serverId }) => serverId === app.serverId) as unknown as JsonObject[] };
    }
    default: {
      const { uri } = params;
      if (typeof uri !== 'string') throw new Error('"uri" must be a string.');
      return { contents: (await readResource(app, uri)).flatMap((part) => contentsOf(part) ?? []) };
    }
  }
}

function toolsOf({ place, serverId }: CallApp): JsonObject[] {
  const tools =
    place === 'tab'
      ? mcpStore.tools({ servers: { [serverId]: true } }).filter(({ tool }) => tool.serverId === serverId)
      : (servers.list.find(({ id }) => id === serverId)?.tools ?? []);
  return tools
    .filter(({ ui }) => ui?.visibility.includes('app') !== false)
    .map(({ tool, title, description }) => ({
      name: tool.name,
      title: title ?? formatToolReference(tool),
      description: description ?? '',
      inputSchema: { type: 'object' },
    }));
}

function contentsOf(part: Extract<ToolContentPart, { type: 'resource' }>): JsonObject | null {
  const [block] = (toCallToolResult({ content: [part], isError: false, outcome: 'done' })['content'] ??
    []) as JsonObject[];
  const contents = block?.['resource'];
  return typeof contents === 'object' && contents !== null && !Array.isArray(contents) ? contents : null;
}
