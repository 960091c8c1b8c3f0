// server-everything, the reference server of the protocol.
import { gunzipSync } from 'node:zlib';
import type { McpHost, SamplingRequest, TransportConfig } from '@toolyard/mcp-host';
import type { ToolResult } from '@toolyard/protocol';
import { eventually, ownPort } from '@toolyard/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getHealth, connectHost } from './connect-host.ts';
import type { Running } from './peer-commands.ts';
import { overStdio, getProgram, startOnPort } from './peer-commands.ts';

export type EverythingTransport = 'stdio' | 'Streamable HTTP' | 'HTTP+SSE';

const PACKAGE = '@modelcontextprotocol/server-everything';
const ID = 'everything';

const TOOLS = [
  'echo',
  'get-annotated-message',
  'get-env',
  'get-resource-links',
  'get-resource-reference',
  'get-roots-list',
  'get-structured-content',
  'get-sum',
  'get-tiny-image',
  'gzip-file-as-resource',
  'simulate-research-query',
  'toggle-simulated-logging',
  'toggle-subscriber-updates',
  'trigger-elicitation-request',
  'trigger-long-running-operation',
  'trigger-sampling-request',
  'trigger-url-elicitation',
];

/** The connection to the server, and the resources to dispose of. */
async function startOver(transport: EverythingTransport): Promise<{ config: TransportConfig; running?: Running }> {
  if (transport === 'stdio') return { config: overStdio(PACKAGE) };
  const port = await ownPort();
  const mode = transport === 'HTTP+SSE' ? 'sse' : 'streamableHttp';
  const running = await startOnPort([getProgram(PACKAGE), mode], port, { PORT: String(port) });
  return { config: { type: 'http', url: `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}` }, running };
}

/** Tests of all its features over one transport. */
export function describeEverything(transport: EverythingTransport): void {
  describe(`server-everything over ${transport}`, () => {
    let host: McpHost;
    let running: Running | undefined;
    const sampled: SamplingRequest[] = [];
    const asked: string[] = [];
    const called = new Set<string>();

    const call = (name: string, args = {}, options = {}): Promise<ToolResult> => {
      called.add(name);
      return host.callTool({ serverId: ID, name }, args, options);
    };
    const getText = (result: ToolResult): string =>
      result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

    beforeAll(async () => {
      const started = await startOver(transport);
      running = started.running;
      host = await connectHost([{ id: ID, transport: started.config }], {
        handlers: {
          form: ({ message, requestedSchema }, { serverId }) => {
            asked.push(`form of ${serverId}: ${message} ${Object.keys(requestedSchema.properties).join(' ')}`);
            return Promise.resolve({ action: 'accept', content: { name: 'Ada', check: true } });
          },
          url: ({ url }, { serverId }) => {
            asked.push(`address of ${serverId}: ${url}`);
            return Promise.resolve('accept');
          },
          sampling: (request) => {
            sampled.push(request);
            return Promise.resolve({
              role: 'assistant',
              model: 'a-model',
              content: { type: 'text', text: 'what the model says' },
            });
          },
          roots: () => [{ uri: 'file:///srv/project', name: 'project' }],
        },
      });
      // Some tools are added after it has received the client capabilities.
      await eventually(() => host.toolCount === TOOLS.length, { what: `${host.toolCount} tools being all` });
    });

    afterAll(async () => {
      await host.close();
      await running?.stop();
    });

    test('lists everything and skips nothing', async () => {
      await eventually(() => getHealth(host, ID).promptCount === 4);
      expect(getHealth(host, ID)).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25', skipped: [] });
      expect(
        host
          .tools()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(TOOLS);
      expect(getHealth(host, ID).instructions).toContain('Everything');
    });

    test('returns text, images, annotations, links, embedded resources and structured content unchanged', async () => {
      expect(await call('echo', { message: 'hi' })).toEqual({
        content: [{ type: 'text', text: 'Echo: hi' }],
        isError: false,
        outcome: 'done',
      });
      expect(getText(await call('get-sum', { a: 2, b: 3 }))).toContain('5');
      expect((await call('get-tiny-image')).content).toContainEqual({
        type: 'image',
        mimeType: 'image/png',
        source: { data: expect.stringMatching(/^iVBOR/) as string },
      });
      expect((await call('get-annotated-message', { messageType: 'error', includeImage: true })).content).toMatchObject(
        [
          { type: 'text', audience: ['user', 'assistant'], priority: 1 },
          { type: 'image', audience: ['user'], priority: 0.5 },
        ],
      );
      const links = (await call('get-resource-links', { count: 2 })).content.filter(({ type }) => type === 'resource');
      expect(links).toMatchObject([
        {
          uri: expect.stringContaining('demo://') as string,
          name: expect.any(String) as string,
          mimeType: 'text/plain',
        },
        { uri: expect.stringContaining('demo://') as string },
      ]);
      for (const [resourceType, holds] of [
        ['Text', { text: expect.stringContaining('Resource 1') as string }],
        ['Blob', { source: { data: expect.any(String) as string } }],
      ] as const) {
        const { content } = await call('get-resource-reference', { resourceType, resourceId: 1 });
        expect(content[1]).toMatchObject({ type: 'resource', uri: expect.any(String) as string, ...holds });
      }
      expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({
        isError: false,
        structured: { temperature: expect.any(Number) as number, humidity: expect.any(Number) as number },
      });
    });

    test('links, lists and reads a resource created by a call', async () => {
      const data = `data:text/plain;base64,${btoa('packed')}`;
      const packed = await call('gzip-file-as-resource', { name: 'one.gz', data, outputType: 'resource' });
      expect(unpacked(packed.content[0])).toBe('packed');
      const linked = await call('gzip-file-as-resource', { name: 'two.gz', data, outputType: 'resourceLink' });
      const [link] = linked.content;
      if (link?.type !== 'resource') throw new Error('no link came');
      const [contents] = await host.resources.read(ID, link.uri);
      expect(unpacked(contents)).toBe('packed');
      await eventually(() => host.resources.resources(ID).some(({ uri }) => uri === link.uri));
    });

    test('passes only the configured environment', async () => {
      const seen = getText(await call('get-env'));
      expect(seen).toContain('PATH');
      expect(seen).not.toContain('VITEST');
    });

    test('reports progress and cancels a call', async () => {
      const seen: unknown[] = [];
      const onProgress = (progress: unknown): void => void seen.push(progress);
      const done = await call('trigger-long-running-operation', { duration: 0.4, steps: 4 }, { onProgress });
      expect(done.outcome).toBe('done');
      expect(seen.at(-1)).toMatchObject({ progress: 4, total: 4 });
      const stopper = new AbortController();
      const cancelled = call(
        'trigger-long-running-operation',
        { duration: 60, steps: 600 },
        { signal: stopper.signal, onProgress: () => stopper.abort() },
      );
      expect(await cancelled).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
      expect(await call('echo', { message: 'still here' })).toMatchObject({ outcome: 'done' });
    });

    test('handles sampling, elicitation of forms and URLs, and roots', async () => {
      expect(getText(await call('trigger-sampling-request', { prompt: 'tides', maxTokens: 20 }))).toContain(
        'what the model says',
      );
      expect(sampled).toMatchObject([{ maxTokens: 20, messages: [{ role: 'user' }] }]);
      expect(getText(await call('trigger-elicitation-request'))).toContain('Ada');
      expect(asked.at(-1)).toMatch(/^form of everything: .*name/);
      expect(getText(await call('trigger-url-elicitation', { url: 'https://example.com/one' }))).toContain('accept');
      expect(asked.at(-1)).toBe('address of everything: https://example.com/one');
      const args = { url: 'https://example.com/two', errorPath: true };
      expect(await call('trigger-url-elicitation', args)).toMatchObject({ isError: false, outcome: 'done' });
      expect(asked.at(-1)).toBe('address of everything: https://example.com/two');
      expect(getText(await call('get-roots-list'))).toContain('file:///srv/project');
    });

    test('reports a tool that requires a task, without affecting others', async () => {
      expect(await call('simulate-research-query', { topic: 'tides' })).toMatchObject({ outcome: 'done' });
    });

    test('receives log messages and list changes', async () => {
      await host.setLogLevel('debug');
      const [first] = host.resources.resources(ID);
      if (first === undefined) throw new Error('it lists no resource');
      const updates: string[] = [];
      const end = await host.resources.follow(ID, first.uri, () => updates.push(first.uri));
      const lines = getHealth(host, ID).log.length;
      await call('toggle-simulated-logging');
      await call('toggle-subscriber-updates');
      await eventually(() => updates.length > 0);
      await eventually(() =>
        getHealth(host, ID)
          .log.slice(lines)
          .some(({ text }) => /level message/i.test(text)),
      );
      await call('toggle-simulated-logging');
      await call('toggle-subscriber-updates');
      await end();
    });

    test('lists and reads resources and templates', async () => {
      expect(host.resources.templates(ID).map(({ uriTemplate }) => uriTemplate)).toEqual([
        'demo://resource/dynamic/text/{resourceId}',
        'demo://resource/dynamic/blob/{resourceId}',
      ]);
      const document = host.resources.resources(ID).find(({ name }) => name === 'features.md');
      expect(await host.resources.read(ID, document?.uri ?? '')).toMatchObject([
        { mimeType: 'text/markdown', text: expect.stringContaining('Features') as string },
      ]);
      expect(await host.resources.read(ID, 'demo://resource/dynamic/blob/3')).toMatchObject([
        { source: { data: expect.any(String) as string } },
      ]);
      await expect(host.resources.read(ID, 'demo://no/such/thing')).rejects.toThrow('everything');
    });

    test('gets prompts, and completes arguments with context', async () => {
      const { prompts, failures } = await host.getAllPrompts();
      expect(failures).toEqual([]);
      expect(prompts.map(({ name }) => name)).toEqual([
        'simple-prompt',
        'args-prompt',
        'completable-prompt',
        'resource-prompt',
      ]);
      expect((await host.getPrompt(ID, 'args-prompt', { city: 'Rome' })).messages[0]?.content).toMatchObject({
        text: "What's weather in Rome?",
      });
      const embedded = await host.getPrompt(ID, 'resource-prompt', { resourceType: 'Text', resourceId: '1' });
      expect(embedded.messages.map(({ content }) => content.type)).toEqual(['text', 'resource']);
      await expect(host.getPrompt(ID, 'args-prompt')).rejects.toThrow('city');
      const target = { prompt: 'completable-prompt' };
      const departments = await host.complete(ID, target, { name: 'department', value: 'S' });
      expect(departments.values).toEqual(['Sales', 'Support']);
      const names = await host.complete(ID, target, { name: 'name', value: 'D' }, { department: 'Sales' });
      expect(names.values).toEqual(['David']);
      const template = { uriTemplate: 'demo://resource/dynamic/text/{resourceId}' };
      expect((await host.complete(ID, template, { name: 'resourceId', value: '1' })).values).toEqual(['1']);
    });

    test('has called every tool', () => {
      expect([...called].toSorted()).toEqual(TOOLS);
    });
  });
}

function unpacked(part: unknown): string {
  const { source } = part as { source?: { data?: string } };
  return gunzipSync(Buffer.from(source?.data ?? '', 'base64')).toString('utf8');
}
