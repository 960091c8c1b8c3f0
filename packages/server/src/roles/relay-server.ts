import type { Progress, ServerContext } from '@modelcontextprotocol/server';
import { McpServer } from '@modelcontextprotocol/server';
import type { Caller, ForwardedServer, ServerRequestContext, ServerRequestHandlers } from '@toolyard/mcp-host';
import { relayMeta } from '@toolyard/mcp-host';
import type { Clock, JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, VERSION } from '@toolyard/protocol';
import { z } from 'zod';

/** Disables the SDK's timeout: a user may take an hour to answer. */
const NEVER = 2 ** 31 - 1;
/** Interval of progress notifications for a waiting call, so that the caller does not time out. Milliseconds. */
const PROGRESS_EVERY_MS = 15_000;

/** Metadata that is valid for one connection, and is created again for the next. */
const OF_THE_CONNECTION = ['progressToken', 'io.modelcontextprotocol/logLevel'];

/** The SDK assigns these to the older era; in the newer one they need explicit handlers. */
const OF_TASKS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

export type RelayServerOptions = {
  server: ForwardedServer;
  clock: Pick<Clock, 'after'>;
};

/** A server that forwards every request unchanged to the one behind it, and returns its responses. */
export function createRelayServer({ server, clock }: RelayServerOptions): McpServer {
  const { name = 'relayed', version = VERSION, ...introduction } = server.serverInfo ?? {};
  const mcp = new McpServer(
    { ...introduction, name, version },
    server.instructions === undefined ? {} : { instructions: server.instructions },
  );
  // Set explicitly so that the SDK does not replace forwarded lists by its own.
  mcp.server.registerCapabilities(passedOn(server.capabilities));
  const passOn = async (method: string, params: unknown, context: ServerContext): Promise<JsonObject> => {
    const quiet = startProgress(context, clock);
    try {
      return await server.request({
        method,
        params: readParams(params, context),
        options: {
          signal: context.mcpReq.signal,
          onProgress: ({ progress, total, text, waitsFor }) =>
            sendProgress(context, {
              progress,
              ...defined({ total, message: text }),
              ...relayMeta.waitMeta(waitsFor),
            }),
          handlers: requestHandlersFor(context),
          ...readCaller(params),
        },
      });
    } finally {
      quiet();
    }
  };
  mcp.server.fallbackRequestHandler = (request, context) => passOn(request.method, request.params, context);
  if (server.era === 'modern') {
    for (const method of OF_TASKS) {
      mcp.server.setRequestHandler(method, { params: anything }, (params, context) => passOn(method, params, context));
    }
  }
  return mcp;
}

/** The capabilities to forward. Subscriptions and logs stay with the process that hosts the server. */
function passedOn({ tools, resources, prompts, completions, tasks, extensions }: JsonObject): JsonObject {
  return {
    ...(tools === undefined ? {} : { tools: { listChanged: true } }),
    ...(resources === undefined ? {} : { resources: { listChanged: true } }),
    ...(prompts === undefined ? {} : { prompts: { listChanged: true } }),
    ...defined({ completions, tasks, extensions }),
  };
}

/** The caller on whose behalf another process sends a request; only that process knows the conversation. */
function readCaller(requestMeta: unknown): { caller?: Caller } {
  const caller = isJsonObject(requestMeta) ? relayMeta.callerIn(requestMeta['_meta']) : undefined;
  return caller === undefined ? {} : { caller };
}

function readParams(rawParams: unknown, { mcpReq }: ServerContext): JsonObject {
  const { _meta: meta, ...params } = isJsonObject(rawParams) ? rawParams : {};
  const kept = Object.entries(isJsonObject(meta) ? meta : {}).filter(
    ([key]) => !OF_THE_CONNECTION.includes(key) && !relayMeta.isRelayMeta(key),
  );
  const state = mcpReq.requestState();
  return {
    ...params,
    ...(kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }),
    ...(mcpReq.inputResponses === undefined ? {} : { inputResponses: mcpReq.inputResponses as JsonObject }),
    ...(typeof state === 'string' ? { requestState: state } : {}),
  };
}

const action = z.looseObject({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });
const anything = z.looseObject({});

/** Sends requests of a legacy server to the client that made the call. */
function requestHandlersFor(context: ServerContext): ServerRequestHandlers {
  const { mcpReq } = context;
  const ask = async <T>(
    method: string,
    params: object,
    schema: z.ZodType<T>,
    { signal, mayBelongTo }: ServerRequestContext,
  ): Promise<T> => {
    const { _meta: meta, ...rest } = params as JsonObject;
    const { progressToken: _token, ...kept } = isJsonObject(meta) ? meta : {};
    const sent = Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
    try {
      return await mcpReq.send({ method, params: relayMeta.withConversations(sent, mayBelongTo) }, schema, {
        signal,
        timeout: NEVER,
      });
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : '';
      throw new ToolyardError({ code: 'refused', message: message === '' ? 'The request was not answered.' : message });
    }
  };
  return {
    sampling: async (request, asked) => (await ask('sampling/createMessage', request, anything, asked)) as never,
    form: async (request, asked) => {
      const answer = await ask('elicitation/create', request, action, asked);
      if (answer.action !== 'accept') return { action: answer.action };
      return { action: 'accept', content: isJsonObject(answer.content) ? answer.content : {}, asIs: true };
    },
    url: async (request, asked) => {
      const { completed } = asked;
      const { elicitationId } = request;
      if (elicitationId !== undefined) {
        void completed
          .then(() => mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } }))
          .catch(() => undefined);
      }
      return (await ask('elicitation/create', request, action, asked)).action;
    },
  };
}

function sendProgress({ mcpReq }: ServerContext, update: Progress & { _meta?: JsonObject }): void {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return;
  // The client may have disconnected.
  mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } }).catch(() => undefined);
}

/** Only the process that hosts the server applies its timeout; progress keeps the others waiting. */
function startProgress(context: ServerContext, clock: RelayServerOptions['clock']): () => void {
  let callOff = (): void => undefined;
  const notify = (): void => {
    sendProgress(context, { progress: 0 });
    callOff = clock.after(PROGRESS_EVERY_MS, notify);
  };
  callOff = clock.after(PROGRESS_EVERY_MS, notify);
  return () => callOff();
}
