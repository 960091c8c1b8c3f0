import type { JsonObject, McpAppDocument, McpToolView, ToolContentPart } from '@toolyard/protocol';
import { defined, formatToolReference, ToolyardError } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { currentTools } from '../composer/current.svelte.ts';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { toTabServers } from '../mcp/tab-servers.ts';
import { listPrompts, listResources, listTemplates, readResource } from '../resources/server-requests.ts';
import { serverApi } from '../servers/server-api.ts';
import { isToolOn } from '../servers/tool-switches.ts';
import { servers } from '../state/servers.svelte.ts';
import { tabId } from '../live/tab-id.ts';
import type { CallApp } from './app-of-call.ts';
import type { AppAnswer, AppApprovalReasons, LastingAnswer } from './app-approvals.svelte.ts';
import { isAllowed } from './app-approvals.svelte.ts';
import { toCallToolResult } from './call-result.ts';
import { getRequestLimit } from './request-limit.ts';

type AppTool = Pick<McpToolView, 'tool' | 'title' | 'description' | 'annotations'> & {
  inputSchema: JsonObject;
  ui?: { visibility: readonly ('model' | 'app')[] };
};

/** The HTML of an app, and what it declares to need. */
export async function readApp({ place, serverId, uri }: CallApp): Promise<McpAppDocument> {
  if (place === 'tab') return (await mcpStore.host()).readApp(serverId, uri);
  return api.post('/api/mcp/servers/{id}/apps/read', { params: { id: serverId }, body: { uri } });
}

export type CallOfApp = { app: CallApp; conversationId: string; tool: string; args: JsonObject };
/** Asks the user about a call of an app. `lasting`: the answers for later calls that have an effect. */
export type AskAboutCall = (why: AppApprovalReasons, lasting: readonly LastingAnswer[]) => Promise<AppAnswer>;

/**
 * Calls a tool for an app: only tools of its own server that the server offers to apps, and only as a call of the model
 * could be made in this conversation.
 */
export function callForApp(call: CallOfApp, ask: AskAboutCall): Promise<JsonObject> {
  return getRequestLimit(call.app).run(() =>
    call.app.place === 'tab' ? callInTab(call, ask) : callOnServer(call, ask),
  );
}

async function callOnServer({ app, conversationId, tool, args }: CallOfApp, ask: AskAboutCall): Promise<JsonObject> {
  const { serverId } = app;
  const send = (approved: boolean) =>
    api.post('/api/mcp/servers/{id}/apps/call', {
      params: { id: serverId },
      body: { conversationId, tool, arguments: args, ...(approved ? { approved } : {}) },
    });
  let call = await send(false);
  if (call.decision === 'ask') {
    const { decision: _decision, ...why } = call;
    const answer = await ask(why, isOneTime(why) ? [] : ['conversation', 'always', 'never']);
    if (answer === 'conversation' || answer === 'always' || answer === 'never') {
      await api.put('/api/permissions', {
        body: {
          tool: { serverId, name: tool },
          conversationId: answer === 'conversation' ? conversationId : null,
          decision: answer === 'never' ? 'never' : 'allow',
        },
      });
      void servers.load();
    }
    if (!isAllowed(answer)) throw createDeniedError();
    call = await send(true);
  }
  if (call.decision === 'called') return toCallToolResult(call.result);
  throw call.decision === 'refused' ? new ToolyardError(call.error) : createDeniedError();
}

/**
 * The tab makes the call, Toolyard checks it. Nothing is stored about allowed tools of a tab, whose definition only the
 * tab knows: `ask` remembers them while the app is open.
 */
async function callInTab({ app, conversationId, tool, args }: CallOfApp, ask: AskAboutCall): Promise<JsonObject> {
  const { serverId } = app;
  const host = await mcpStore.host();
  const known = host.tools().find((each) => each.tool.serverId === serverId && each.tool.name === tool);
  if (known === undefined || known.ui?.visibility.includes('app') === false) {
    throw new Error(`The server "${serverId}" offers apps no tool "${tool}".`);
  }
  if (!mcpStore.idsOn(currentTools().servers).has(serverId)) {
    throw new Error(`The server "${serverId}" is disabled in this conversation.`);
  }
  const [offered] = toTabServers([known], mcpStore.list);
  const [definition] = offered?.tools ?? [];
  if (offered === undefined || definition === undefined) throw new Error(`The server "${serverId}" was removed.`);
  const { tools: _tools, instructions: _instructions, ...server } = offered;
  const verdict = await api.post('/api/tabs/{tab}/conversations/{conversation}/apps/check', {
    params: { tab: tabId, conversation: conversationId },
    body: { server, tool: definition, arguments: args },
  });
  if (verdict.decision === 'refused') throw new ToolyardError(verdict.error);
  if (verdict.decision === 'ask') {
    const { decision: _decision, ...why } = verdict;
    if (!isAllowed(await ask(why, isOneTime(why) ? [] : ['open']))) throw createDeniedError();
  }
  return toCallToolResult(await mcpStore.executeTool(known.tool, args));
}

/** Only the answer to this very call counts. */
function isOneTime({ danger, byRule }: AppApprovalReasons): boolean {
  return danger !== undefined || byRule !== undefined;
}

function createDeniedError(): Error {
  return new Error('The user denied the call.');
}

/** Lists and reads for an app, of its own server only. */
export function requestForApp(app: CallApp, method: string, params: JsonObject): Promise<JsonObject> {
  return getRequestLimit(app).run(() => answerRequest(app, method, params));
}

async function answerRequest(app: CallApp, method: string, params: JsonObject): Promise<JsonObject> {
  switch (method) {
    case 'tools/list': {
      const choices = currentTools();
      const offered = (await listTools(app)).filter(
        ({ tool, ui }) => ui?.visibility.includes('app') !== false && isToolOn(tool, choices),
      );
      return { tools: offered.map(toMcpTool) };
    }
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
      return { contents: (await readResource(app, uri)).flatMap((part) => toContents(part) ?? []) };
    }
  }
}

/** The tool whose calls the app shows, as MCP describes it; only its name if it is not listed any more. */
export async function describeTool(app: CallApp): Promise<JsonObject> {
  const tools = await listTools(app).catch(() => []);
  const known = tools.find(({ tool }) => tool.name === app.tool);
  return known === undefined ? { name: app.tool, inputSchema: { type: 'object' } } : toMcpTool(known);
}

async function listTools({ place, serverId }: CallApp): Promise<AppTool[]> {
  if (place === 'server') return (await serverApi.tools(serverId)).filter(({ enabled }) => enabled);
  const all = (await mcpStore.host()).tools();
  return all.filter(({ tool }) => tool.serverId === serverId);
}

function toMcpTool({ tool, title, description, inputSchema, annotations }: AppTool): JsonObject {
  const { readOnly, destructive, idempotent, openWorld } = annotations ?? {};
  const hints = defined({
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  });
  return {
    name: tool.name,
    title: title ?? formatToolReference(tool),
    ...defined({ description }),
    inputSchema,
    ...(annotations === undefined ? {} : { annotations: hints }),
  };
}

function toContents(part: Extract<ToolContentPart, { type: 'resource' }>): JsonObject | null {
  const [block] = (toCallToolResult({ content: [part], isError: false, outcome: 'done' })['content'] ??
    []) as JsonObject[];
  const contents = block?.['resource'];
  return typeof contents === 'object' && contents !== null && !Array.isArray(contents) ? contents : null;
}
