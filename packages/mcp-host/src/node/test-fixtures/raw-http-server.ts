import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { listen } from './peers.ts';

export type RawHttpServer = {
  /** Results by method, as the text that goes out: it need not be anything a library would write. */
  results?: Record<string, string>;
  /** Takes a request with this method into its own hands. */
  instead?: Record<string, (response: ServerResponse, message: JsonObject) => void>;
  /** Whoever wants its announcements; 405 by default. */
  onGet?: (response: ServerResponse) => void;
};

/** A legacy server over Streamable HTTP with the tool `go`, every byte of it written here. `methods` are those of HTTP. */
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
      const takeOver = hands.instead?.[method];
      if (takeOver !== undefined) return takeOver(response, message);
      if (message['id'] === undefined) return void response.writeHead(202).end();
      const known = results[method];
      const answer = known === undefined ? '"error":{"code":-32601,"message":"Method not found"}' : `"result":${known}`;
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message['id'])},${answer}}`);
    });
  });
  return { ...listening, methods };
}
