import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiKeyLimits, CreatedApiKey, JsonValue, KeyScope, McpServerList, ProviderView } from '@toolyard/protocol';
import { parseJson } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply, startModelServer, startScriptedMcp } from '@toolyard/testing';
import { startWholeServer } from '../../mcp/test-fixtures/whole-server.ts';

const TOKEN = 'token-of-the-operator';

export type Answer = { status: number; headers: Headers; text: string; json: JsonValue };

/** A whole server with an access token, a scripted model, and the MCP servers `left` and `right` with the tool `which`. */
export type ServerWithModel = {
  readonly url: string;
  /** The access token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Replies of the model, in order; then a short text. */
  replies: ModelReply[];
  /** Requests that the model has received. */
  asked(): Awaited<ReturnType<typeof startModelServer>>['requests'];
  /** Sends JSON with the access token, or another credential. */
  ask(method: string, path: string, json?: unknown, more?: { as?: string; headers?: object }): Promise<Answer>;
  createKey(limits?: ApiKeyLimits, scopes?: KeyScope[]): Promise<CreatedApiKey>;
  close(): Promise<void>;
};

export async function startServerWithModel(): Promise<ServerWithModel> {
  const stack = new AsyncDisposableStack();
  const replies: ModelReply[] = [];
  const model = stack.use(await startModelServer(() => replies.shift() ?? reply.text('Hello to you.')));
  const tools = (id: string) => ({ tools: [{ name: 'which', does: [{ do: 'text' as const, text: `I am ${id}.` }] }] });
  const left = stack.use(await startScriptedMcp(tools('left')));
  const right = stack.use(await startScriptedMcp(tools('right')));
  const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-whole-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startWholeServer({
    dataDir,
    token: TOKEN,
    databaseNotify: true,
    metrics: false,
    flagServers: [
      { id: 'left', transport: { type: 'http', url: left.url } },
      { id: 'right', transport: { type: 'http', url: right.url } },
    ],
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' },
  });
  stack.defer(() => server.close());

  const ask: ServerWithModel['ask'] = async (method, path, json, { as = TOKEN, headers = {} } = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${as}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    const parsed = parseJson(text);
    return { status: response.status, headers: response.headers, text, json: parsed.ok ? parsed.value : null };
  };

  await eventually(
    async () => {
      const { items } = (await ask('GET', '/api/mcp/servers')).json as unknown as McpServerList;
      return ['left', 'right'].every((id) => items.some((each) => each.id === id && each.state === 'ready'));
    },
    { what: 'both MCP servers' },
  );
  const { items } = (await ask('GET', '/api/providers')).json as { items: ProviderView[] };
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  await ask('PUT', '/api/settings/defaults', { model: { providerId, modelId: 'scripted' } });

  return {
    url: server.url,
    headers: { authorization: `Bearer ${TOKEN}` },
    replies,
    asked: () => model.requests.filter(({ method }) => method === 'POST'),
    ask,
    async createKey(limits, scopes = ['read', 'write']) {
      const created = await ask('POST', '/api/access/keys', { name: 'Program', scopes, ...(limits ? { limits } : {}) });
      return created.json as CreatedApiKey;
    },
    close: () => stack.disposeAsync(),
  };
}
