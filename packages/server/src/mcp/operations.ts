import { readSignInResponse, testCall } from '@toolyard/mcp-host';
import type {
  CallFromMcpApp,
  CallMcpTool,
  McpAppCall,
  McpResourceView,
  McpTaskList,
  McpTemplateView,
  McpTestedCall,
  McpToolDetail,
  McpToolTest,
  Owner,
  TestMcpTool,
  ToolyardError,
} from '@toolyard/protocol';
import { defined, say } from '@toolyard/protocol';
import type { McpRouteKey, RouteAnswer, RouteBody, RouteParams, RouteQuery, Routes } from '@toolyard/protocol/schemas';
import { createConflictError, createNotFoundError } from '../errors.ts';
import type { ListedSkills, RunServers, ServerLists, SkillFileOf } from '../services.ts';
import type { EditableServers } from './editable-servers.ts';
import { readServerIcon } from './read-icon.ts';
import { logPage } from './server-log-page.ts';
import type { ServerRequests } from './server-requests.ts';
import { truncateContents, truncateMessages, truncateResult, truncateTest } from './truncate.ts';

type OfServer = { params: { id: string } };

/** What processes ask of one another without a route. */
type InternalOperations = {
  tools: [request: OfServer, answer: McpToolDetail[]];
  resources: [request: OfServer, answer: McpResourceView[]];
  templates: [request: OfServer, answer: McpTemplateView[]];
  /** Calls a tool without any check; see `testTool` in `check-tool-test.ts`. */
  uncheckedTest: [request: OfServer & { body: CallMcpTool }, answer: McpTestedCall];
  skills: [request: OfServer, answer: ListedSkills];
  /** The bytes in base64; `bad_response` if they differ from what the server lists. */
  skillFile: [request: OfServer & { body: SkillFileOf }, answer: string];
};

/** The key of an operation: a route, except the page that a tab completes its sign-in with. */
export type McpOperationKey = Exclude<McpRouteKey, 'GET /api/mcp/sign-in/tab'> | keyof InternalOperations;

type QueryOf<Key extends keyof Routes> = Routes[Key] extends { query: object } ? { query: RouteQuery<Key> } : unknown;
type BodyOf<Key extends keyof Routes> = Routes[Key] extends { body: object } ? { body: RouteBody<Key> } : unknown;
/** The authorization server redirects the user to this URL. */
type RedirectOf<Key> = Key extends 'POST /api/mcp/servers/{id}/sign-in' ? { redirectUrl: string } : unknown;

/** A validated request. */
export type McpRequest<Key extends McpOperationKey> = Key extends keyof InternalOperations
  ? InternalOperations[Key][0]
  : Key extends McpRouteKey
    ? { params: RouteParams<Key> } & QueryOf<Key> & BodyOf<Key> & RedirectOf<Key>
    : never;

/** The result of an operation; the callback of a sign-in returns the server id. */
export type McpAnswer<Key extends McpOperationKey> = Key extends keyof InternalOperations
  ? InternalOperations[Key][1]
  : Key extends 'GET /api/mcp/sign-in/callback'
    ? string
    : Key extends McpRouteKey
      ? RouteAnswer<Key>
      : never;

type Operation<Key extends McpOperationKey, Context> = (
  context: Context,
  request: McpRequest<Key>,
  signal?: AbortSignal,
) => Promise<McpAnswer<Key>>;

/** Executes an operation that needs a connection, in the process that has it. */
export type AskHolder = <Key extends HolderKey>(
  key: Key,
  principal: Owner,
  request: McpRequest<Key>,
  signal?: AbortSignal,
) => Promise<McpAnswer<Key>>;

/** The MCP servers of a process, whether it has the connections or another one. */
export type Servers = RunServers & {
  readonly editable: EditableServers;
  readonly lists: ServerLists;
  readonly ask: AskHolder;
};

/** Calls of users and apps that are checked like calls of models. */
export type CheckedCalls = {
  testTool(principal: Owner, id: string, test: TestMcpTool, signal?: AbortSignal): Promise<McpToolTest>;
  callFromApp(principal: Owner, id: string, call: CallFromMcpApp, signal?: AbortSignal): Promise<McpAppCall>;
};

type HolderContext = { requests: ServerRequests; principal: Owner };
type HereContext = { servers: Servers; calls: CheckedCalls; principal: Owner };

/** The operations that need a connection: they run in the process that has it. */
const holderOperations = {
  // Never throws for errors of the server.
  'POST /api/mcp/test': ({ requests, principal }, { body }, signal) =>
    requests.inspect(requests.editable.toTestConfig(principal, body), signal),
  'POST /api/mcp/servers/{id}/reconnect': async ({ requests, principal }, { params: { id } }) => {
    requests.checkChange(principal, id);
    if (!requests.editable.serverList.isEnabled(id)) throw createDisabledError(id);
    // The view shows errors.
    requests.host.reconnect(id).catch(() => undefined);
    return requests.settled(principal, id);
  },
  'GET /api/mcp/servers/{id}/log': async ({ requests, principal }, { params: { id }, query: { after } }) => {
    const { editable, host } = requests;
    editable.check(principal, id);
    return logPage(host.log(id), host.wireLog(id), after, editable.redactor(id));
  },
  'GET /api/mcp/servers/{id}/icon': async ({ requests, principal }, { params: { id } }, signal) => {
    requests.editable.check(principal, id);
    const icon = requests.findHealth(id)?.icon;
    if (icon === undefined) throw createNotFoundError(say`"${id}" sent no icon.`);
    return readServerIcon(icon, signal);
  },
  // Never throws for errors of the server or the tool.
  'POST /api/mcp/servers/{id}/tools/call': async ({ requests, principal }, { params: { id }, body }, signal) => {
    const { tool, args, options } = toCall(principal, id, body, signal);
    return truncateResult(await requests.use(id, signal, (host) => host.callTool(tool, args, options)));
  },
  uncheckedTest: async ({ requests, principal }, { params: { id }, body }, signal) => {
    const call = toCall(principal, id, body, signal);
    return truncateTest(await requests.use(id, signal, (host) => testCall(host, requests.clock, call)));
  },
  'GET /api/mcp/servers/{id}/tasks': ({ requests }, { params: { id } }, signal) => listTasks(requests, id, signal),
  'POST /api/mcp/servers/{id}/tasks/result': async ({ requests }, { params: { id }, body: { taskId } }, signal) =>
    truncateResult(await requests.use(id, signal, (host) => host.taskResult(id, taskId, defined({ signal })))),
  'POST /api/mcp/servers/{id}/tasks/cancel': async ({ requests }, { params: { id }, body: { taskId } }) => {
    await requests.use(id, undefined, (host) => host.cancelTask(id, taskId));
    return listTasks(requests, id);
  },
  tools: ({ requests, principal }, { params: { id } }) => requests.tools(principal, id),
  resources: ({ requests, principal }, { params: { id } }) => requests.resources(principal, id),
  templates: ({ requests, principal }, { params: { id } }) => requests.templates(principal, id),
  'POST /api/mcp/servers/{id}/resources/read': async ({ requests }, { params: { id }, body }, signal) => {
    const options = defined({ fresh: body.fresh, signal });
    const contents = await requests.use(id, signal, (host) => host.resources.read(id, body.uri, options));
    return { contents: truncateContents(contents) };
  },
  'POST /api/mcp/servers/{id}/resources/follow': ({ requests }, { params: { id }, body: { uris } }) =>
    requests.use(id, undefined, () => requests.follows.follow(id, uris)),
  'POST /api/mcp/servers/{id}/apps/read': ({ requests }, { params: { id }, body: { uri } }, signal) =>
    requests.use(id, signal, (host) => host.readApp(id, uri, defined({ signal }))),
  'POST /api/mcp/servers/{id}/prompts/get': async ({ requests }, { params: { id }, body }, signal) => {
    const { name, arguments: args = {} } = body;
    const { messages, ...rest } = await requests.use(id, signal, (host) =>
      host.getPrompt(id, name, args, defined({ signal })),
    );
    return { ...rest, messages: truncateMessages(messages) };
  },
  'POST /api/mcp/servers/{id}/complete': ({ requests }, { params: { id }, body }, signal) => {
    const { target, argument, filledArguments = {} } = body;
    return requests.use(id, signal, (host) =>
      host.complete(id, target, argument, filledArguments, defined({ signal })),
    );
  },
  skills: ({ requests }, { params: { id } }, signal) =>
    requests.use(id, signal, (host) => host.skills(id, defined({ signal }))),
  skillFile: async ({ requests }, { params: { id }, body: { uri, path } }, signal) => {
    const { bytes } = await requests.use(id, signal, (host) => host.readSkill(id, uri, path, defined({ signal })));
    return Buffer.from(bytes).toString('base64');
  },
  'POST /api/mcp/servers/{id}/sign-in': async ({ requests, principal }, { params: { id }, redirectUrl }) => {
    requests.checkChange(principal, id);
    const { authorizationUrl, issuer } = await requests.host.signIn(id, { redirectUrl });
    return { url: authorizationUrl, issuer };
  },
  'DELETE /api/mcp/servers/{id}/sign-in': async ({ requests, principal }, { params: { id } }) => {
    requests.checkChange(principal, id);
    await requests.host.signOut(id);
    if (!requests.editable.serverList.isEnabled(id)) return requests.editable.view(principal, id);
    requests.connections.connect(id);
    return requests.settled(principal, id);
  },
  // The `state` authenticates the caller.
  'GET /api/mcp/sign-in/callback': ({ requests }, { query }) =>
    requests.host.finishSignIn(readSignInResponse(new URLSearchParams(readTexts(query)))),
} satisfies { [Key in McpOperationKey]?: Operation<Key, HolderContext> };

export type HolderKey = keyof typeof holderOperations;
export type HereKey = Exclude<McpOperationKey, HolderKey>;

/** The operations that any process executes itself. */
const hereOperations: { [Key in HereKey]: Operation<Key, HereContext> } = {
  'GET /api/mcp/servers': ({ servers, principal }) => servers.editable.list(principal),
  'POST /api/mcp/servers': ({ servers, principal }, { body }) => servers.editable.add(principal, body),
  'GET /api/mcp/servers/{id}/configuration': ({ servers, principal }, { params: { id } }) =>
    servers.editable.configuration(principal, id),
  'PUT /api/mcp/servers/{id}': ({ servers, principal }, { params: { id }, body }) =>
    servers.editable.edit(principal, id, body),
  'PATCH /api/mcp/servers/{id}': ({ servers, principal }, { params: { id }, body }) =>
    servers.editable.change(principal, id, body),
  'DELETE /api/mcp/servers/{id}': ({ servers, principal }, { params: { id } }) =>
    servers.editable.remove(principal, id),
  'GET /api/mcp/servers/{id}/plugin': ({ servers, principal }, { params: { id } }, signal) =>
    servers.editable.plugin(principal, id, signal),
  'PUT /api/mcp/servers/{id}/plugin': ({ servers, principal }, { params: { id }, body }, signal) =>
    servers.editable.setPlugin(principal, id, body, signal),
  'GET /api/mcp/servers/{id}/approval': ({ servers, principal }, { params: { id } }) =>
    servers.editable.approval(principal, id),
  'POST /api/mcp/servers/{id}/approval': ({ servers, principal }, { params: { id }, body }) =>
    servers.editable.approveEntry(principal, id, body),
  'GET /api/mcp/servers/{id}/tools': async ({ servers, principal }, { params: { id }, query }) =>
    toPage(await servers.lists.tools(principal, id), query),
  'GET /api/mcp/servers/{id}/resources': async ({ servers, principal }, { params: { id }, query }) =>
    toPage(await servers.lists.resources(principal, id), query),
  'GET /api/mcp/servers/{id}/resources/templates': async ({ servers, principal }, { params: { id }, query }) =>
    toPage(await servers.lists.templates(principal, id), query),
  'GET /api/mcp/prompts': ({ servers, principal }) => servers.lists.prompts(principal),
  'POST /api/mcp/servers/{id}/tools/test': ({ calls, principal }, { params: { id }, body }, signal) =>
    calls.testTool(principal, id, body, signal),
  'POST /api/mcp/servers/{id}/apps/call': ({ calls, principal }, { params: { id }, body }, signal) =>
    calls.callFromApp(principal, id, body, signal),
};

/** Executes operations with the connections of this process. */
export function askHere(requests: ServerRequests): AskHolder {
  const operations: { [Key in HolderKey]: Operation<Key, HolderContext> } = holderOperations;
  // Async, so that errors of checks reject too.
  return async (key, principal, request, signal) => operations[key]({ requests, principal }, request, signal);
}

/**
 * Executes an operation. Scopes and limits of a credential are checked before.
 *
 * @example
 * await executeOperation({ servers, calls, principal }, 'GET /api/mcp/servers', { params: {} });
 */
export function executeOperation<Key extends McpOperationKey>(
  context: HereContext,
  key: Key,
  request: McpRequest<Key>,
  signal?: AbortSignal,
): Promise<McpAnswer<Key>>;
export function executeOperation(
  context: HereContext,
  key: McpOperationKey,
  request: McpRequest<McpOperationKey>,
  signal?: AbortSignal,
): Promise<unknown> {
  // The signature ties the request to the key.
  if (isHolderKey(key)) return context.servers.ask(key, context.principal, request as McpRequest<HolderKey>, signal);
  return executeHere(context, key, request, signal);
}

function executeHere<Key extends HereKey>(
  context: HereContext,
  key: Key,
  request: McpRequest<Key>,
  signal?: AbortSignal,
): Promise<McpAnswer<Key>> {
  return hereOperations[key](context, request, signal);
}

/** All keys of operations. */
export const mcpOperationKeys = [...listKeys(holderOperations), ...listKeys(hereOperations)];

function listKeys<T extends object>(record: T): (keyof T)[] {
  return Object.keys(record) as (keyof T)[];
}

export function isOperationKey(key: string): key is McpOperationKey {
  return isHolderKey(key) || Object.hasOwn(hereOperations, key);
}

export function isHolderKey(key: string): key is HolderKey {
  return Object.hasOwn(holderOperations, key);
}

function toCall({ ownerId }: Owner, id: string, { tool, arguments: args = {} }: CallMcpTool, signal?: AbortSignal) {
  const options = { caller: { principal: ownerId }, ...defined({ signal }) };
  return { tool: { serverId: id, name: tool }, args, options };
}

async function listTasks(requests: ServerRequests, id: string, signal?: AbortSignal): Promise<McpTaskList> {
  return { items: await requests.use(id, signal, (host) => host.tasks(id, defined({ signal }))) };
}

function createDisabledError(id: string): ToolyardError {
  return createConflictError(say`The server "${id}" is disabled.`, say`Enable it first; it then connects by itself.`);
}

/** A page of a list that is complete in memory; `next` is the position of the next page. */
function toPage<T>(
  all: readonly T[],
  { after, limit }: { after: number; limit: number },
): { items: T[]; next?: string } {
  const end = after + limit;
  return { items: all.slice(after, end), ...(end < all.length ? { next: String(end) } : {}) };
}

function readTexts(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
