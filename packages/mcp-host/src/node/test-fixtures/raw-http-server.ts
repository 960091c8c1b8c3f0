import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { listen } from './peers.ts';

export type RawHttpServer = {
  /** Results by method, as raw text, which need not be valid. */
  results?: Record<string, string>;
  /** Handles requests with this method itself. */
  instead?: Record<string, (response: ServerResponse, message: JsonObject) => void>;
  /** Handles the GET stream; default: 405. */
  onGet?: (response: ServerResponse) => void;
};

/**
 * A legacy server over Streamable HTTP with the tool `go`, whose every byte is written here. `methods` are those of
 * HTTP.
 */
export async function startRawHttpServer(
  hands: RawHttpServer,
): Promise<{ url: string; methods: string[]; close: () => Promise<void> }> {
  const methods: string[] = [];
  const results: Record<string, string> = {
    initialize:
      '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"by hand","version":"1"}}',
    'tools/list': '{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}',
    'tools/call': '{"content":[]}',
    ...hands.results,
  };
  const listening = await listen((request, response) => {
    methods.push(request.method ?? '');
    if (request.method === 'GET' && hands.onGet) return hands.onGet(response);
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const parsed = parseJson(text);
      const message: JsonObject = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
      const method = typeof message['method'] === 'string' ? message['method'] : '';
      const intercept = hands.instead?.[method];
      if (intercept !== undefined) return intercept(response, message);
      if (message['id'] === undefined) return void response.writeHead(202).end();
      const known = results[method];
      const answer = known === undefined ? '"error":{"code":-32601,"message":"Method not found"}' : `"result":${known}`;
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message['id'])},${answer}}`);
    });
  });
  return { ...listening, methods };
}
