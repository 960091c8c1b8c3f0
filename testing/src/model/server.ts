import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parseJson, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { reply } from './reply.ts';
import type { ModelReply } from './wire.ts';
import { listenOnLoopback } from '../loopback.ts';

/** A request as received. */
export type RecordedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw body; empty for GET. */
  text: string;
  /** The body parsed as JSON; undefined if it is not JSON. */
  body: JsonValue | undefined;
  /** True once the client has left before the reply was complete, which is how an abort appears here. */
  clientLeft: boolean;
};

/** The replies to model requests, in order, or a function that creates each (index from 0). */
export type ModelScript =
  | readonly ModelReply[]
  | ((request: RecordedRequest, index: number) => ModelReply | Promise<ModelReply>);

export type ModelServerOptions = {
  /** The answer to `GET models`: ids, records, or a whole reply. Default: one model, `scripted`. */
  models?: readonly (string | JsonObject)[] | ModelReply;
  /** Where the endpoints are: under `/v1`, under `/v1beta`, at the root, or (default) everywhere. */
  serveAt?: 'v1' | 'v1beta' | 'root' | 'both';
  /** Requests without this key, in the header of any provider, are answered with 401. */
  requireKey?: string;
  /** The reply to every other path; default 404. */
  otherwise?: ModelReply;
  /** False records no requests, for benchmarks. */
  record?: boolean;
};

/** A running model server. */
export type ModelServer = AsyncDisposable & {
  /** The base URL to configure: with `/v1`, unless it serves the root only. */
  url: string;
  /** Scheme, host and port. */
  origin: string;
  /** All requests, oldest first. */
  requests: readonly RecordedRequest[];
  /** Drops all connections and stops listening; idempotent. */
  close(): Promise<void>;
};

/**
 * Starts a scripted model server on a free port of 127.0.0.1, with the paths of OpenAI's, Anthropic's, Google's and
 * Bedrock's APIs. After the last reply it answers 500 with an explanation.
 *
 * @example
 * await using server = await startModelServer([
 * reply.toolCalls([{ name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } }]),
 * reply.text('It is noon in Tokyo.'),
 * ]);
 */
export async function startModelServer(script: ModelScript, options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const stopping = new AbortController();
  const models = modelsReply(options.models ?? ['scripted']);
  let chats = 0;

  async function chooseReply(request: RecordedRequest): Promise<ModelReply> {
    const endpoint = findEndpoint(request, options.serveAt ?? 'both');
    if (endpoint === undefined) return options.otherwise ?? reply.error(404, `Unknown path: ${request.path}`);
    if (options.requireKey !== undefined && !listKeys(request).includes(options.requireKey)) {
      return reply.error(401, { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } });
    }
    if (endpoint === 'models') return models;
    const index = chats++;
    if (typeof script === 'function') return script(request, index);
    return script[index] ?? reply.error(500, `The script has ${script.length} replies; this is request ${index + 1}.`);
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    if (options.record !== false) requests.push(request);
    response.once('close', () => (request.clientLeft = !response.writableFinished));
    await sendReply(response, await chooseReply(request), stopping.signal);
  }

  // A keep-alive timeout would close a connection on which a request has arrived while this process was blocked.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      // A script that throws is a defect of the test, so it is reported in the expected answer.
      if (response.headersSent) response.destroy();
      else void sendReply(response, reply.error(500, `The script threw: ${String(error)}`), stopping.signal);
    });
  });
  const listening = await listenOnLoopback(server);

  const origin = listening.origin;
  async function close(): Promise<void> {
    stopping.abort();
    await listening.close();
  }
  const version = options.serveAt === 'both' ? 'v1' : (options.serveAt ?? 'v1');
  const url = version === 'root' ? origin : `${origin}/${version}`;
  return { url, origin, requests, close, [Symbol.asyncDispose]: close };
}

/** Sends a reply write by write. Resolves when it is complete, the client has left, or `signal` aborts. */
async function sendReply(response: ServerResponse, scripted: ModelReply, signal: AbortSignal): Promise<void> {
  response.writeHead(scripted.status, scripted.headers);
  // A cut or silent reply may have no body, so the head must be flushed separately.
  if (scripted.ending !== 'end') response.flushHeaders();
  const { hold } = scripted;
  const middle = hold?.behind ?? Math.ceil(scripted.writes.length / 2);
  let isHeld = hold !== undefined;
  void hold?.until.then(() => (isHeld = false));
  for (const [index, bytes] of scripted.writes.entries()) {
    if (index === middle && hold?.talking !== true) await hold?.until;
    do {
      if (index > 0) await pause(scripted.delayMs, signal);
      if (response.destroyed || signal.aborted) return;
      if (!response.write(bytes)) await drained(response, signal);
    } while (index === middle && isHeld);
  }
  switch (scripted.ending) {
    case 'end':
      response.end();
      return;
    case 'silence':
      return;
    case 'cut':
      await flushed(response);
      response.destroy();
  }
}

/** Even without a delay each write is flushed separately, because Node merges those of one turn. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, { signal });
  else await nextTurn();
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (!response.writableNeedDrain) return;
  const closed = new AbortController();
  const onClose = () => closed.abort();
  response.once('close', onClose);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, closed.signal]) });
  } catch {
    // The client left or the server is closing: the loop sees it.
  } finally {
    response.off('close', onClose);
  }
}

/** Resolves when the socket has accepted the data, so that a cut loses nothing scripted. */
async function flushed(response: ServerResponse): Promise<void> {
  const { socket } = response;
  while (socket !== null && !socket.destroyed && socket.writableLength > 0) await nextTurn();
  await nextTurn();
}

async function readRequest(incoming: IncomingMessage): Promise<RecordedRequest> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const piece of incoming) text += String(piece);
  const parsed = parseJson(text);
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: incoming.headers,
    text,
    body: parsed.ok ? parsed.value : undefined,
    clientLeft: false,
  };
}

/** The model endpoints of the providers, relative to their version. */
const ASKED = [
  '/chat/completions',
  '/responses',
  '/messages',
  '/embeddings',
  '/images/generations',
  '/images/edits',
  '/audio/speech',
  '/audio/transcriptions',
];

function findEndpoint(
  request: RecordedRequest,
  serveAt: 'v1' | 'v1beta' | 'root' | 'both',
): 'chat' | 'models' | undefined {
  const path = request.path.split('?')[0] ?? '';
  const version = /^\/(v1beta|v1)(?=\/)/.exec(path);
  if (serveAt !== 'both' && (version?.[1] ?? 'root') !== serveAt) return undefined;
  const below = path.slice(version?.[0].length ?? 0);
  if (request.method === 'GET') return below === '/models' ? 'models' : undefined;
  const isAsked =
    ASKED.includes(below) || /^\/((models|tunedModels)\/[^/]+:\w+|model\/[^/]+\/converse-stream)$/.test(below);
  return request.method === 'POST' && isAsked ? 'chat' : undefined;
}

/** The API keys in a request, in any header. */
function listKeys({ headers }: RecordedRequest): (string | undefined)[] {
  const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  return [headers.authorization?.replace(/^Bearer /, ''), one(headers['x-api-key']), one(headers['x-goog-api-key'])];
}

function modelsReply(models: NonNullable<ModelServerOptions['models']>): ModelReply {
  if ('writes' in models) return models;
  const data = models.map((model) =>
    typeof model === 'string' ? { id: model, object: 'model', created: 0, owned_by: 'scripted' } : model,
  );
  return reply.json({ object: 'list', data });
}
