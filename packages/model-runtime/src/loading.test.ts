import { fileURLToPath } from 'node:url';
import { runNode, SOURCE_CONDITION } from '@toolyard/testing';
import { expect, test } from 'vitest';

const entry = new URL('./index.ts', import.meta.url).href;

/** The modules of this package that a process has loaded: after the import, and after one request over a wire. */
async function loaded(wire: string): Promise<{ before: string[]; after: string[] }> {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
    const { createModelRuntime } = await import(${JSON.stringify(entry)});
    const before = [...seen];
    const clock = { now: Date.now, monotonic: Date.now, after: () => () => undefined };
    const fetch = () => Promise.reject(new Error('nobody'));
    const runtime = createModelRuntime({ wire: ${JSON.stringify(wire)}, baseUrl: 'http://127.0.0.1:9', fetch, clock });
    const request = { model: 'm', messages: [], tools: [], toolChoice: 'auto', toolMode: 'native', parameters: {} };
    for await (const _ of runtime.chat(request));
    console.log(JSON.stringify({ before, after: seen }));
  `;
  const { stdout } = await runNode([SOURCE_CONDITION, '--input-type=module', '-e', script]);
  return JSON.parse(stdout) as { before: string[]; after: string[] };
}

const getFolder = (url: string) => fileURLToPath(url).split('/').at(-2) ?? '';

const wires = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini', 'bedrock-converse'];

const source = new URL('./', import.meta.url).href;

test('importing the package loads nothing of requests: no wire, parser, provider records or demo answers', async () => {
  const { before } = await loaded('openai-chat');
  const sourceModules = before.filter((url) => url.startsWith(source)).map((url) => url.slice(source.length));
  for (const folder of ['tool-call-text/', 'providers/data/', 'object/', ...wires.map((wire) => `${wire}/`)]) {
    expect(sourceModules.filter((file) => file.startsWith(folder))).toEqual([]);
  }
  for (const file of ['demo/chat.ts', 'wire/runtime.ts', 'probe.ts']) expect(sourceModules).not.toContain(file);
  expect(sourceModules.length).toBeLessThan(18);
});

test.each(wires)('loads %s with its first request, and no other wire', async (wire) => {
  const { before, after } = await loaded(wire);
  const dialects = (urls: string[]) =>
    urls.filter((url) => url.endsWith('/dialect.ts') && wires.includes(getFolder(url)));
  expect(before.length).toBeGreaterThan(5);
  expect(dialects(before)).toEqual([]);
  expect(dialects(after).map(getFolder)).toEqual([wire]);
  expect(after.some((url) => url.includes('/object/'))).toBe(false);
});
