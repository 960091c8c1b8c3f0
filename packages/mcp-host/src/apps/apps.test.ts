import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { connected, listen } from '../node/test-fixtures/peers.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import { readToolUi } from './app-extension.ts';
import { readApp } from './read-app.ts';

const APP = 'ui://clock/app.html';
const TYPE = 'text/html;profile=mcp-app';

let host: McpHost | undefined;
let stop = async (): Promise<void> => undefined;
afterEach(async () => {
  await host?.close();
  await stop();
});

/** A server with a tool for models, one for its app alone, and the app. `capabilities`: what the client can do. */
async function connectClock(handlers: ServerRequestHandlers): Promise<{ host: McpHost; capabilities: unknown[] }> {
  const capabilities: unknown[] = [];
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const mcp = new McpServer({ name: 'clock', version: '1.0.0' });
      mcp.registerTool('show-clock', { _meta: { ui: { resourceUri: APP } } }, () => {
        capabilities.push(mcp.server.getClientCapabilities());
        return { content: [{ type: 'text', text: 'noon' }] };
      });
      mcp.registerTool('tick', { _meta: { ui: { visibility: ['app'] } } }, () => ({
        content: [{ type: 'text', text: 'tock' }],
      }));
      mcp.registerResource('app', APP, { mimeType: TYPE }, () => ({
        contents: [
          {
            uri: APP,
            mimeType: TYPE,
            text: '<p>12:00</p>',
            _meta: { ui: { csp: { connectDomains: ['https://time.example'] } } },
          },
        ],
      }));
      mcp.registerResource('page', 'ui://clock/page', { mimeType: 'text/html' }, () => ({
        contents: [{ uri: 'ui://clock/page', mimeType: 'text/html', text: '<p>' }],
      }));
      return mcp;
    }),
  );
  const { url, close } = await listen((request, response) => {
    void handle(request as Parameters<typeof handle>[0], response);
  });
  stop = close;
  host = await connected([{ id: 'clock', transport: { type: 'http', url } }], { handlers });
  return { host, capabilities };
}

describe('a server with an app', () => {
  test('keeps tools for apps from models, and offers them to users', async () => {
    const { host: clock } = await connectClock({ apps: true });
    const forModel = clock.select('all');
    expect(clock.tools().map(({ name, ui }) => [name, ui])).toEqual([
      ['show-clock', { resourceUri: APP, visibility: ['model', 'app'] }],
      ['tick', { visibility: ['app'] }],
    ]);
    expect(forModel.tools().map(({ name }) => name)).toEqual(['show-clock']);
    expect(forModel.resolve('tick')).toBeUndefined();
    expect(await forModel.callTool({ serverId: 'clock', name: 'tick' }, {})).toMatchObject({
      outcome: 'not_sent',
      error: { code: 'tool_not_found', message: 'Only apps of "clock" may call its tool "tick".' },
    });
    expect(await clock.callTool({ serverId: 'clock', name: 'tick' }, {})).toMatchObject({ outcome: 'done' });
  });

  test('reads the app with what it declares, and nothing that is no app', async () => {
    const { host: clock } = await connectClock({ apps: true });
    expect(await clock.readApp('clock', APP)).toEqual({
      uri: APP,
      html: '<p>12:00</p>',
      connect: ['https://time.example'],
      resources: [],
      frames: [],
      baseUris: [],
      permissions: [],
    });
    await expect(clock.readApp('clock', 'ui://clock/page')).rejects.toMatchObject({ code: 'bad_response' });
  });

  test.each([
    [{ apps: true } as const, { mimeTypes: [TYPE] }],
    [{}, undefined],
  ])('is capabilities whether the client shows apps (%o)', async (handlers, declared) => {
    const { host: clock, capabilities } = await connectClock(handlers);
    await clock.callTool({ serverId: 'clock', name: 'show-clock' }, {});
    expect(capabilities).toHaveLength(1);
    const { extensions } = capabilities[0] as { extensions: Record<string, unknown> };
    expect(extensions['io.modelcontextprotocol/ui']).toEqual(declared);
  });
});

describe('the declarations of an app', () => {
  const declared = (ui: object) =>
    readApp('s', APP, { contents: [{ uri: APP, mimeType: TYPE, text: '', _meta: { ui } }] });

  test('contain valid origins only: nothing that ends a directive or a header', () => {
    const connectDomains = [
      'https://ok.example',
      'https://*.ok.example:8443/',
      'wss://ok.example',
      "'unsafe-eval'",
      '*',
      'https:',
      'https://a.example; script-src *',
      'https://a.example\r\nx: y',
      'data:',
      7,
    ];
    expect(declared({ csp: { connectDomains } }).connect).toEqual([
      'https://ok.example',
      'https://*.ok.example:8443',
      'wss://ok.example',
    ]);
  });

  test('contain known permissions only', () => {
    const permissions = { camera: {}, clipboardWrite: {}, usb: {}, microphone: true };
    expect(declared({ permissions }).permissions).toEqual(['camera', 'clipboard-write']);
  });

  test('may be in base64, with another spelling of the type', () => {
    const content = { uri: APP, mimeType: 'TEXT/HTML; charset=utf-8; profile=mcp-app', blob: 'PHA+w6Q8L3A+' };
    expect(readApp('s', APP, { contents: [content] }).html).toBe('<p>ä</p>');
  });
});

test.each([
  [{ ui: { resourceUri: APP } }, { resourceUri: APP, visibility: ['model', 'app'] }],
  [{ 'ui/resourceUri': APP }, { resourceUri: APP, visibility: ['model', 'app'] }],
  [{ ui: { visibility: ['app', 'other'] } }, { visibility: ['app'] }],
  [{ ui: { resourceUri: 'https://example.com/app' } }, undefined],
  [{ ui: 'ui://x' }, undefined],
  [undefined, undefined],
])('reads the app of a tool from %o', (meta, ui) => {
  expect(readToolUi(meta)).toEqual(ui);
});
