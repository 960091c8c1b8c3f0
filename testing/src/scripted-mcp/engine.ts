import { appendFileSync, existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { listTools } from './tool-list.ts';
import type { McpBehaviour, ScriptedTool, ToolAction } from './behaviour.ts';

/** What the engine needs from its transport. */
export type EngineHost = {
  /** Stops the server at once; unsent data is lost. */
  exit(code: number, stderr: string): void;
  /** Writes a line that is not a message, if the transport supports that. */
  noise(line: string): void;
  /** Sends a message to every client that listens for notifications. */
  broadcast(message: JsonObject): void;
  /** The file for `count`. */
  countFile: string | undefined;
};

/** Sends a message to the client of a request; `last` marks the answer. */
type Send = (message: JsonObject, last: boolean) => void;

export type ScriptedEngine = {
  /**
   * Receives one message. `client` distinguishes the request ids of several clients.
   *
   * @returns a function that stops what the message started, without an answer
   */
  receive(message: JsonValue, send: Send, client: string): () => void;
  /** Sends a notification: to everyone in the legacy era, to subscribers in the modern one. */
  announce(message: JsonObject): void;
  /** Stops everything in progress. */
  stop(): void;
};

type Answer = { result: JsonObject } | { error: JsonObject } | 'none';

const MODERN_VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const POLL_MS = 10;

/**
 * The server itself, behind any transport. It implements JSON-RPC without the SDK, because its purpose is to do what
 * the SDK prevents.
 */
export function createEngine(behaviour: McpBehaviour, host: EngineHost): ScriptedEngine {
  const running = new Map<string, AbortController>();
  /** Requests of the server, by client and id. */
  const awaited = new Map<string, (answer: JsonValue) => void>();
  let requests = 0;
  const barrier = { arrived: 0, open: new AbortController() };
  const subscriptions = new Map<string, (message: JsonObject) => void>();
  const era = behaviour.era ?? 'legacy';
  const serverInfo = behaviour.serverInfo ?? { name: 'scripted', version: '1.0.0' };
  let tools: readonly ScriptedTool[] = behaviour.tools ?? [];

  function receive(message: JsonValue, send: Send, client: string): () => void {
    if (!isJsonObject(message)) return () => {};
    const { id, method } = message;
    if (typeof method !== 'string') {
      const { result = null, error = null } = message;
      awaited.get(`${client}/${JSON.stringify(id)}`)?.(error === null ? result : { error });
      return () => {};
    }
    if (id === undefined) {
      if (method === 'notifications/cancelled') cancelled(message, client);
      return () => {};
    }
    const key = `${client}/${JSON.stringify(id)}`;
    const stopping = new AbortController();
    running.set(key, stopping);
    void answerTo(method, message, key, send, stopping.signal)
      .catch((error: unknown): Answer => ({ error: { code: INTERNAL_ERROR, message: String(error) } }))
      .then((answer) => {
        // A subscription stays open until it is cancelled.
        if (!subscriptions.has(key)) running.delete(key);
        if (answer === 'none' || stopping.signal.aborted) return;
        send({ jsonrpc: '2.0', id, ...answer }, true);
      });
    return () => stop(key);
  }

  function cancelled(message: JsonObject, client: string): void {
    const requestId = readParams(message)['requestId'];
    if (requestId !== undefined) stop(`${client}/${JSON.stringify(requestId)}`);
  }

  function stop(key: string): void {
    running.get(key)?.abort();
    running.delete(key);
    subscriptions.delete(key);
  }

  async function answerTo(
    method: string,
    message: JsonObject,
    key: string,
    send: Send,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (behaviour.silentOn?.includes(method) === true) return 'none';
    const scripted = behaviour.answers?.[method];
    if (scripted !== undefined) return scripted as Answer;
    const isModern = versionClaimed(message) !== undefined;
    if (!isServed(method, isModern)) return unknownMethod(method);
    const answer = await ownAnswer(method, message, key, send, signal);
    if (!isModern || answer === 'none' || !('result' in answer)) return answer;
    return { result: stampModern(method, answer.result) };
  }

  async function ownAnswer(
    method: string,
    message: JsonObject,
    key: string,
    send: Send,
    signal: AbortSignal,
  ): Promise<Answer> {
    const params = readParams(message);
    switch (method) {
      case 'initialize':
        return { result: { protocolVersion: versionFor(params), ...introduction(), serverInfo } };
      case 'server/discover':
        return { result: { supportedVersions: [MODERN_VERSION], ...introduction() } };
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return { result: listTools(behaviour, tools, params['cursor']) };
      case 'tools/call':
        return callTool(params, send, signal, key.slice(0, key.indexOf('/')));
      case 'subscriptions/listen':
        subscribe(key, message['id'] ?? null, params['notifications'] ?? {}, send);
        return 'none';
      default:
        return unknownMethod(method);
    }
  }

  function isServed(method: string, isModern: boolean): boolean {
    if (isModern) return era !== 'legacy' && method !== 'initialize';
    return era !== 'modern' && method !== 'server/discover' && method !== 'subscriptions/listen';
  }

  function versionFor(params: JsonObject): JsonValue {
    return behaviour.protocolVersion ?? params['protocolVersion'] ?? '2025-11-25';
  }

  function introduction(): JsonObject {
    const { instructions } = behaviour;
    const capabilities = { tools: { listChanged: true }, ...behaviour.capabilities };
    return instructions === undefined ? { capabilities } : { capabilities, instructions };
  }

  function unknownMethod(method: string): Answer {
    if (behaviour.onUnknownMethod === 'silence') return 'none';
    if (behaviour.onUnknownMethod === 'exit') {
      host.exit(1, `fatal: unknown method ${method}\n`);
      return 'none';
    }
    return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
  }

  function stampModern(method: string, result: JsonObject): JsonObject {
    const isCacheable = method === 'tools/list' || method === 'server/discover';
    return {
      resultType: 'complete',
      ...(isCacheable ? { ttlMs: 0, cacheScope: 'private' } : {}),
      _meta: { [`${META}serverInfo`]: serverInfo },
      ...result,
    };
  }

  function subscribe(key: string, id: JsonValue, notifications: JsonValue, send: Send): void {
    const sendTo = (message: JsonObject) =>
      send({ ...message, params: { ...readParams(message), _meta: { [`${META}subscriptionId`]: id } } }, false);
    subscriptions.set(key, sendTo);
    sendTo({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications } });
  }

  async function callTool(params: JsonObject, send: Send, signal: AbortSignal, client: string): Promise<Answer> {
    const tool = tools.find((candidate) => candidate.name === params['name']);
    if (tool === undefined) {
      return { error: { code: INVALID_PARAMS, message: `Unknown tool ${JSON.stringify(params['name'])}` } };
    }
    let last = 'done';
    const answers: JsonValue[] = [];
    for (const action of tool.does ?? []) {
      if (action.do === 'count') {
        last = String(count());
        continue;
      }
      if (action.do === 'request') {
        answers.push(await sendRequest(action, send, signal, client));
        continue;
      }
      if (action.do === 'tell_answers') return { result: textResult(JSON.stringify(answers)) };
      if (action.do === 'ask' && isContent(action, tool.does ?? [], params)) continue;
      const answer = await execute(action, params, send, signal);
      if (signal.aborted) return 'none';
      if (answer !== undefined) return answer;
    }
    return { result: textResult(last) };
  }

  /** Undefined continues with the next action. */
  async function execute(
    action: Exclude<ToolAction, { do: 'count' | 'request' | 'tell_answers' }>,
    params: JsonObject,
    send: Send,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    switch (action.do) {
      case 'result':
        return { result: action.result };
      case 'text':
        return { result: textResult(action.text) };
      case 'echo':
        return { result: textResult(JSON.stringify(params['arguments'] ?? {})) };
      case 'ask': {
        const { inputRequests, requestState } = action;
        const input = { ...(inputRequests && { inputRequests }), ...(requestState !== undefined && { requestState }) };
        return { result: { resultType: 'input_required', ...input } };
      }
      case 'echo_input': {
        const { arguments: args = {}, inputResponses = null, requestState = null } = params;
        return { result: textResult(JSON.stringify({ arguments: args, inputResponses, requestState })) };
      }
      case 'fail':
        return { result: { ...textResult(action.text), isError: true } };
      case 'error':
        return { error: { code: action.code, message: action.message } };
      case 'huge':
        return { result: textResult('x'.repeat(action.bytes)) };
      case 'never':
        return 'none';
      case 'exit':
        host.exit(action.code ?? 1, action.stderr ?? '');
        return 'none';
      case 'wait':
        await pause(action.ms, signal);
        return undefined;
      case 'barrier':
        barrier.arrived++;
        if (barrier.arrived >= action.calls) barrier.open.abort();
        await untilAborted(AbortSignal.any([barrier.open.signal, signal]));
        return undefined;
      case 'wait_for_file':
        await fileThere(action.file, signal);
        return undefined;
      case 'progress':
        await reportProgress(action, params, send, signal);
        return undefined;
      case 'set_tools':
        tools = action.tools;
        announceTools();
        return undefined;
      case 'noise':
        host.noise(action.line);
        return undefined;
    }
  }

  function sendRequest(
    { method, params = {}, withdrawAtFile }: Extract<ToolAction, { do: 'request' }>,
    send: Send,
    signal: AbortSignal,
    client: string,
  ): Promise<JsonValue> {
    const id = `request-${++requests}`;
    const key = `${client}/${JSON.stringify(id)}`;
    return new Promise<JsonValue>((resolve) => {
      awaited.set(key, resolve);
      signal.addEventListener('abort', () => resolve(null), { once: true });
      send({ jsonrpc: '2.0', id, method, params }, false);
      if (withdrawAtFile === undefined) return;
      void fileThere(withdrawAtFile, signal).then(() => {
        if (!awaited.has(key)) return;
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }, false);
        resolve(null);
      });
    }).finally(() => awaited.delete(key));
  }

  function announceTools(): void {
    announce({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  function announce(message: JsonObject): void {
    if (era !== 'modern') host.broadcast(message);
    for (const sendTo of subscriptions.values()) sendTo(message);
  }

  /** Written first, so that no crash can hide that the tool ran. */
  function count(): number {
    if (host.countFile === undefined) throw new Error('A tool is to count, but COUNT_FILE_VARIABLE is not set.');
    appendFileSync(host.countFile, '.');
    return statSync(host.countFile).size;
  }

  return {
    receive,
    announce,
    stop() {
      for (const key of [...running.keys()]) stop(key);
    },
  };
}

async function reportProgress(
  action: { steps: number; everyMs: number },
  params: JsonObject,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const meta = params['_meta'];
  const progressToken = isJsonObject(meta) ? meta['progressToken'] : undefined;
  for (let progress = 1; progress <= action.steps; progress++) {
    await pause(action.everyMs, signal);
    if (signal.aborted) return;
    if (progressToken === undefined) continue;
    const report = { progressToken, progress, total: action.steps, message: `step ${progress}` };
    send({ jsonrpc: '2.0', method: 'notifications/progress', params: report }, false);
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function fileThere(file: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(file) && !signal.aborted) await pause(POLL_MS, signal);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** True if the input was given: its own state came back, or that of a later one. */
function isContent(ask: Extract<ToolAction, { do: 'ask' }>, all: readonly ToolAction[], params: JsonObject): boolean {
  if (ask.always === true) return false;
  if (ask.requestState === undefined) return params['inputResponses'] !== undefined;
  const asked = all.findIndex((one) => one.do === 'ask' && one.requestState === params['requestState']);
  return asked >= all.indexOf(ask);
}

function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

function readParams(message: JsonObject): JsonObject {
  const params = message['params'];
  return isJsonObject(params) ? params : {};
}

/** The version in a stateless request; undefined for a request of the legacy era. */
export function versionClaimed(message: JsonValue): JsonValue | undefined {
  if (!isJsonObject(message)) return undefined;
  const meta = readParams(message)['_meta'];
  return isJsonObject(meta) ? meta[`${META}protocolVersion`] : undefined;
}
