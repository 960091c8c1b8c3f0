import { defined } from '@toolyard/protocol';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelReply, ModelServer } from '@toolyard/testing';
import { reply, startModelServer } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../test-fixtures/run-command.ts';
import { runCommand } from '../../test-fixtures/run-command.ts';
import { Served } from '../../test-fixtures/served.ts';

const KEY = 'canary-of-the-command';

let folder: string;
let upstream: ModelServer;
/** The next responses of the model server. */
let script: ModelReply[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-ability-'));
  script = [];
  upstream = await startModelServer(() => script.shift() ?? reply.error(500, 'nothing more'), {
    models: ['m', 'other'],
    requireKey: KEY,
  });
});
afterEach(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => join(folder, name);

/** `toolyard model ...` on this machine, with one provider in the environment. */
async function model(args: readonly string[], input?: string | Uint8Array): Promise<CommandResult> {
  const env = { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: KEY };
  const ran = await runCommand(['model', ...args, '--data-dir', at('data')], {
    env,
    ...defined({ input }),
  });
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  return ran;
}

const vectors = reply.json({
  data: [
    { index: 1, embedding: [3, 4] },
    { index: 0, embedding: [1, 2] },
  ],
  usage: { prompt_tokens: 5 },
});
/** Media are sent by their first bytes. */
const CAT = '\x89PNG\r\n\x1a\na cat';
const pictures = (...contents: string[]): ModelReply =>
  reply.json({ data: contents.map((content) => ({ b64_json: Buffer.from(content, 'latin1').toString('base64') })) });
const sound = reply.raw(['some sound'], { headers: { 'content-type': 'audio/mpeg' } });

describe('toolyard model embed', () => {
  it('prints one vector per argument or line, in order', async () => {
    script = [vectors, vectors];
    expect(await model(['embed', '--model', 'm', 'one', 'two'])).toMatchObject({ code: 0, stdout: '[1,2]\n[3,4]\n' });
    const piped = await model(['embed', '--model', 'm', '--json', '--dimensions', '2'], 'one\n\ntwo\n');
    expect(JSON.parse(piped.stdout)).toEqual({
      model: 'm',
      vectors: [
        [1, 2],
        [3, 4],
      ],
      usage: { inputTokens: 5 },
    });
    const bodies = upstream.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(bodies).toMatchObject([{ input: ['one', 'two'] }, { input: ['one', 'two'], dimensions: 2 }]);
  });
});

describe('toolyard model image', () => {
  it('writes one image to a file or a pipe, and several to numbered files', async () => {
    script = [pictures(CAT), pictures('a dog'), pictures('1', '2')];
    expect(await model(['image', '--model', 'm', 'a cat', '-o', at('cat.png')])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(at('cat.png'), 'latin1')).toBe(CAT);
    expect(await model(['image', '--model', 'm', '--from', at('cat.png')], 'now a dog')).toMatchObject({
      code: 0,
      stdout: 'a dog',
    });
    expect(upstream.requests.at(-1)?.path).toBe('/v1/images/edits');
    const several = await model(['image', '--model', 'm', 'cats', '--count', '2', '-o', at('two.png')]);
    expect(several.stderr).toBe(`${at('two-1.png')}\n${at('two-2.png')}\n`);
    expect([readFileSync(at('two-1.png'), 'utf8'), readFileSync(at('two-2.png'), 'utf8')]).toEqual(['1', '2']);
  });
});

describe('toolyard model speak and transcribe', () => {
  it('create audio in the format of the file name, and transcribe it', async () => {
    script = [sound, sound, reply.json({ text: 'Good\u001b[31m day.' }), reply.json({ text: 'Good day.' })];
    expect((await model(['speak', '--model', 'm', 'Good day.', '--voice', 'nova', '-o', at('a.wav')])).code).toBe(0);
    expect(upstream.requests.at(-1)?.body).toMatchObject({ input: 'Good day.', voice: 'nova', response_format: 'wav' });
    expect(readFileSync(at('a.wav'), 'utf8')).toBe('some sound');
    expect((await model(['speak', '--model', 'm', '-'], 'Good day.')).stdout).toBe('some sound');

    expect(await model(['transcribe', '--model', 'm', at('a.wav'), '--language', 'en'])).toMatchObject({
      code: 0,
      stdout: 'Good[31m day.\n',
    });
    const piped = await model(['transcribe', '--model', 'm', '-', '--type', 'audio/mpeg', '--json'], 'some sound');
    expect(JSON.parse(piped.stdout)).toEqual({ model: 'm', text: 'Good day.' });
    expect(upstream.requests.at(-1)?.text).toContain('some sound');
  });
});

describe('toolyard model object', () => {
  it('prints JSON that matches an inline schema or a schema file', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    writeFileSync(at('schema.json'), JSON.stringify(schema));
    script = [reply.text('{"n": 3}'), reply.text('{"n": 4}')];
    const first = await model(['object', '--model', 'm', '--schema', at('schema.json'), 'a number']);
    expect(JSON.parse(first.stdout)).toEqual({ n: 3 });
    const more = ['--schema', JSON.stringify(schema), '--name', 'number', '--json'];
    expect(JSON.parse((await model(['object', '--model', 'm', ...more], 'a number')).stdout)).toMatchObject({
      model: 'm',
      object: { n: 4 },
      by: 'native',
    });
    expect(upstream.requests.at(-1)?.text).toContain('a number');
  });
});

describe('errors', () => {
  it.each<[string, string[], RegExp, number]>([
    [
      'an unknown model',
      ['embed', '--model', 'nobody', 'x'],
      /No provider lists the model "nobody"[\s\S]*--provider/,
      1,
    ],
    ['an unknown provider', ['embed', '--model', 'm', '--provider', 'nobody', 'x'], /provider "nobody"/, 1],
    ['a provider without this capability', ['embed', '--model', 'demo', 'x'], /"demo" cannot create embeddings/, 1],
    ['no model', ['embed', 'x'], /--model/, 2],
    ['no text', ['speak', '--model', 'm'], /The text is empty/, 1],
    ['a missing file', ['transcribe', '--model', 'm', '/nowhere/a.wav'], /File not found: \/nowhere\/a\.wav/, 1],
    ['an unknown media type', ['transcribe', '--model', 'm', '/nowhere/a.xyz'], /Unknown media type/, 1],
    ['an invalid schema', ['object', '--model', 'm', '--schema', '{oops', 'x'], /--schema: invalid JSON Schema/, 1],
    ['several images on stdout', ['image', '--model', 'm', '--count', '2', 'x'], /--output/, 1],
    ['a file that cannot be written', ['speak', '--model', 'm', 'x', '-o', '/nowhere/a.mp3'], /Cannot write/, 1],
  ])('%s', async (_, args, message, code) => {
    script = [sound];
    const refused = await model(args, '');
    expect(refused.stderr).toMatch(message);
    expect(refused).toMatchObject({ code, stdout: '' });
  });

  it('reports an error of the provider with a hint, and writes nothing', async () => {
    script = [reply.error(400, { error: { message: 'no such voice' } })];
    const refused = await model(['speak', '--model', 'm', 'x', '-o', at('a.mp3')]);
    expect(refused.stderr).toMatch(/no such voice/);
    expect(refused.code).toBe(1);
    expect(existsSync(at('a.mp3'))).toBe(false);
  });
});

it('sends the request through a running server that has the key', async () => {
  await using served = await Served.start({ args: ['--token', 'token-of-the-server'] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer token-of-the-server' };
  const body = JSON.stringify({ id: 'kept', label: 'Kept', baseUrl: upstream.url, apiKey: KEY });
  expect((await fetch(`${served.url}/api/providers`, { method: 'POST', headers, body })).status).toBe(201);
  script = [vectors, pictures('a cat'), sound, reply.json({ text: 'Good day.' }), reply.text('{"n": 5}')];
  const asked = (...args: string[]): Promise<CommandResult> =>
    runCommand(['model', ...args, '--model', 'm', '--server', '--data-dir', served.dataDir]);
  expect((await asked('embed', 'one', 'two')).stdout).toBe('[1,2]\n[3,4]\n');
  expect((await asked('image', 'a cat', '-o', at('cat.png'))).code).toBe(0);
  expect(readFileSync(at('cat.png'), 'utf8')).toBe('a cat');
  expect((await asked('speak', 'Good day.', '-o', at('a.mp3'))).code).toBe(0);
  expect((await asked('transcribe', at('a.mp3'))).stdout).toBe('Good day.\n');
  expect(JSON.parse((await asked('object', 'a number', '--schema', '{"type":"object"}')).stdout)).toEqual({ n: 5 });
  expect(served.log).not.toContain(KEY);
});
