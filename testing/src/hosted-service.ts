import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import type { McpBehaviour, McpBehaviourName } from './scripted-mcp/behaviour.ts';
import { startScriptedMcp } from './scripted-mcp/http.ts';
import { listenOnLoopback } from './loopback.ts';

export type HostedServiceOptions = {
  /** The accepted API key; default `key-of-the-test`. */
  apiKey?: string;
  /** The behaviour of the servers it creates. */
  behaviour?: McpBehaviourName | McpBehaviour;
  /** Servers require a sign-in first. */
  needsSignIn?: boolean;
  /** False creates another server with every request, instead of returning the one that the user has. */
  oneEach?: boolean;
  /** Responses to requests whose path has this prefix, which override all others. */
  answers?: { [path: string]: { status: number; body: JsonObject; headers?: Record<string, string> } };
};

/** A service that creates MCP servers on demand, with the endpoints and formats of Klavis. */
export type HostedService = AsyncDisposable & {
  url: string;
  /** Every request to the service itself: method, path and body. */
  asked: readonly { method: string; path: string; body: JsonObject }[];
  /** The ids of existing servers, oldest first. */
  readonly instances: string[];
  /** Completes the sign-in of {@link HostedServiceOptions.needsSignIn}. */
  signIn(): void;
  /** Deletes every server: their URLs stop working. */
  expire(): void;
  /** Gives every server another URL; the old ones stop working. */
  move(): void;
  close(): Promise<void>;
};

/** Starts a scripted service on a free port of 127.0.0.1. */
export async function startHostedService(options: HostedServiceOptions = {}): Promise<HostedService> {
  const { apiKey = 'key-of-the-test' } = options;
  const asked: { method: string; path: string; body: JsonObject }[] = [];
  const instances = new Map<string, { server: string; user: string; signedIn: boolean }>();
  const mcp = await startScriptedMcp(options.behaviour ?? 'plain');
  let created = 0;
  let url = '';
  let place = 'at';

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const [, kind, instanceId = ''] = path.split('/');
    if (kind === place) return instances.has(instanceId) ? forwardRequest(request, response) : say(response, 404, {});
    const body = await readBody(request);
    asked.push({ method, path, body });
    const scripted = Object.entries(options.answers ?? {}).find(([start]) => path.startsWith(start))?.[1];
    if (scripted !== undefined) return say(response, scripted.status, scripted.body, scripted.headers);
    if (request.headers.authorization !== `Bearer ${apiKey}`) return say(response, 401, { detail: 'Invalid API key' });
    if (method === 'POST' && path === '/mcp-server/instance/create') return make(body, response);
    const id = /^\/mcp-server\/instance\/([^/]+)$/.exec(path)?.[1] ?? '';
    const instance = instances.get(id);
    if (instance === undefined) return say(response, 404, { detail: 'Instance not found' });
    if (method === 'DELETE') {
      instances.delete(id);
      return say(response, 200, { success: true });
    }
    say(response, 200, {
      instanceId: id,
      serverName: instance.server,
      authNeeded: options.needsSignIn === true,
      isAuthenticated: instance.signedIn,
      oauthUrl: signInUrl(id),
    });
  }

  function make({ serverName, userId }: JsonObject, response: ServerResponse): void {
    if (typeof serverName !== 'string' || typeof userId !== 'string' || serverName === 'No Such Server') {
      return say(response, 422, {
        detail: [{ loc: ['body', 'serverName'], msg: 'unknown server name', type: 'enum' }],
      });
    }
    const [known] = [...instances].find(([, one]) => one.server === serverName && one.user === userId) ?? [];
    const instanceId = options.oneEach === false || known === undefined ? `instance-${++created}` : known;
    if (instanceId !== known) instances.set(instanceId, { server: serverName, user: userId, signedIn: false });
    const signIn = options.needsSignIn === true ? { oauthUrl: signInUrl(instanceId) } : {};
    say(response, 200, { serverUrl: `${url}/${place}/${instanceId}/mcp`, instanceId, ...signIn });
  }

  const signInUrl = (id: string): string => `https://sign-in.example/${id}`;

  function forwardRequest(request: IncomingMessage, response: ServerResponse): void {
    const forwarded = forward(mcp.url, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.once('close', () => forwarded.destroy());
    request.pipe(forwarded);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server);
  url = listening.origin;

  async function close(): Promise<void> {
    await mcp.close();
    await listening.close();
  }

  return {
    url,
    asked,
    get instances() {
      return [...instances.keys()];
    },
    signIn() {
      for (const instance of instances.values()) instance.signedIn = true;
    },
    expire: () => instances.clear(),
    move: () => void (place = `${place}-moved`),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function say(response: ServerResponse, status: number, body: JsonObject, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
