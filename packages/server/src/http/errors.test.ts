import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { errorCode } from '@toolyard/protocol/schemas';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestModels } from './test-fixtures/providers-and-servers.ts';
import type { TestServer } from './test-fixtures/test-server.ts';
import { startTestServer } from './test-fixtures/test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const JSON_TYPE = { 'content-type': 'application/json' };

describe('bodies', () => {
  test.each([
    ['{"title": "x",}', 'line 1, column 15'],
    ['{"title":\n  nonsense}', 'line 2, column 3'],
    ['{"title": "x"', 'line 1, column 14'],
    ['a=b', 'line 1, column 1'],
  ])('rejects invalid JSON with the position: %j', async (body, place) => {
    const answer = await server.ask('/api/conversations', { body, headers: JSON_TYPE });
    expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(answer.json).toMatchObject({ code: 'bad_request', detail: expect.stringContaining(place) as string });
  });

  test.each([
    ['empty', '   '],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['nested without limit', '['.repeat(200_000)],
    ['nested too deep', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
  ])('rejects one that is %s', async (_what, body) => {
    expect(await server.ask('/api/settings/x', { method: 'PUT', body, headers: JSON_TYPE })).toMatchObject({
      status: 400,
      json: { code: 'bad_request' },
    });
    expect(server.logged).toEqual([]);
  });

  test('reports every invalid field with its path', async () => {
    const answer = await server.ask('/api/conversations', {
      json: { title: 7, configuration: { limits: { maxTurns: 'x' } } },
    });
    expect(answer).toMatchObject({
      status: 400,
      json: {
        detail: expect.stringContaining('title in the body') as string,
        issues: [{ path: 'title' }, { path: 'configuration.limits.maxTurns' }],
      },
    });
  });

  test.each([
    [
      { configuration: { limits: { maxTurns: 'x' } } },
      'configuration.limits.maxTurns',
      'must be an integer (got a string)',
    ],
    [{ configuration: { limits: { maxTurns: 1.5 } } }, 'configuration.limits.maxTurns', 'must be an integer (got 1.5)'],
    [
      { configuration: { intervention: 'yolo' } },
      'configuration.intervention',
      '"manual", "allow-list", "auto" or "headless"',
    ],
    [{ configuration: { model: { providerId: 'demo' } } }, 'configuration.model.modelId', ' is missing'],
    [{ configuration: { model: { providerId: '', modelId: 'x' } } }, 'providerId', 'at least 1 character.'],
    [{ configuration: { parameters: { topP: 2 } } }, 'configuration.parameters.topP', 'at most 1.'],
    [{ configuration: { budgets: [{ of: 'week', dollars: 1 }] } }, 'configuration.budgets.0.of', ' must be "turn"'],
    [{ titel: 'x' }, 'The body', 'has the unknown field "titel"'],
  ])('explains an invalid value in plain words: %j', async (json, place, text) => {
    const { status, json: problem } = await server.ask('/api/conversations', { json });
    const { detail } = problem as { detail: string };
    expect([status, detail]).toEqual([400, expect.stringContaining(place)]);
    expect(detail).toContain(text);
    expect(detail).not.toMatch(/Invalid|received|expected|Unrecognized|Too (?:big|small)/);
  });

  test.each([
    [{ sha256: 'a'.repeat(64) }, 'parts.0.source in the body must have one of the fields "data", "url" or "blob".'],
    [{ base64: 'aGk=' }, 'must have one of the fields "data", "url" or "blob"'],
    [{}, 'must have one of the fields "data", "url" or "blob"'],
    [{ data: 7 }, '"data" must be a string (got 7)'],
    [{ blob: 'x', size: 3 }, 'has the unknown field "size"'],
    ['a.png', 'parts.0.source in the body must be an object'],
  ])('explains which forms of a value are accepted: %j', async (source, text) => {
    const parts = [{ type: 'image', mimeType: 'image/png', source }];
    expect(await server.ask('/api/runs', { json: { parts } })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining(text) as string },
    });
  });

  test('is not read if its declared length is too large', async () => {
    const headers = { ...JSON_TYPE, 'content-length': String(1024 * 1024 + 1), connection: 'close' };
    const answer = await server.ask('/api/conversations', { method: 'POST', headers });
    expect(answer).toMatchObject({ status: 413, json: { code: 'too_large' } });
    expect((await server.ask('/health')).status).toBe(200);
  });

  test.each([
    ['/api/conversations', 'application/json', 1],
    ['/api/files', 'image/png', 20],
  ])('is cut off when one for %s exceeds the limit', async (target, type, megabytes) => {
    const body = Buffer.alloc(megabytes * 1024 * 1024 + 1, 0x20);
    const answer = await server.ask(target, { body, headers: { 'content-type': type } });
    expect(answer).toMatchObject({ status: 413, json: { code: 'too_large' } });
    expect((await server.ask('/health')).status).toBe(200);
  });

  test('is cut off when one of unknown length exceeds the limit', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
    });
    const sending = fetch(`${server.url}/api/conversations`, {
      method: 'POST',
      body: endless,
      duplex: 'half',
      headers: JSON_TYPE,
    }).then(
      ({ status }) => status,
      () => 413,
    );
    expect(await sending).toBe(413);
    expect((await server.ask('/health')).status).toBe(200);
  });

  test('is accepted at exactly the limit', async () => {
    const body = JSON.stringify({ title: 'x' }).padEnd(1024 * 1024, ' ');
    expect((await server.ask('/api/conversations', { body, headers: JSON_TYPE })).status).toBe(201);
  });
});

describe('not found', () => {
  test.each(['/api', '/api/', '/api/nowhere', '/api/conversations/', '/api//conversations', '/API/conversations'])(
    '%s',
    async (target) => {
      const answer = await server.ask(target);
      expect(target.startsWith('/api') ? answer.status : 404).toBe(404);
      if (target.startsWith('/api')) expect(answer.json).toMatchObject({ code: 'not_found' });
    },
  );

  test('names the unknown id', async () => {
    expect(await server.ask('/api/conversations/nobody')).toMatchObject({
      status: 404,
      json: { code: 'not_found', detail: 'There is no conversation "nobody".' },
    });
    for (const id of ['%00', '%F0%9F', '..%2f..', "'; DROP TABLE runs; --", 'x'.repeat(5000), '%E2%80%AE']) {
      const answer = await server.ask(`/api/runs/${encodeURI(id).replaceAll('%25', '%')}`);
      expect([id, answer.status]).toEqual([id, 404]);
    }
    expect(server.logged).toEqual([]);
  });

  test('lists the supported methods', async () => {
    const answer = await server.ask('/api/conversations/x', { method: 'PUT', json: {} });
    expect(answer).toMatchObject({
      status: 405,
      headers: { allow: 'GET, PATCH, DELETE, HEAD' },
      json: { code: 'bad_request' },
    });
  });

  test('rejects an unknown query parameter', async () => {
    expect(await server.ask('/api/conversations?limitt=3')).toMatchObject({ status: 400 });
    expect(await server.ask('/api/conversations?limit=many')).toMatchObject({
      status: 400,
      json: { issues: [{ path: 'limit' }] },
    });
    expect(await server.ask('/health?x=1')).toMatchObject({ status: 400 });
  });
});

describe('internal errors', () => {
  async function listModels(thrown: Error) {
    const models = { ...createTestModels(), list: () => Promise.reject(thrown) };
    const failing = await startTestServer({ change: { models } });
    try {
      return { answer: await failing.ask('/api/models'), logged: failing.logged };
    } finally {
      await failing.close();
    }
  }

  test('are reported without their message, with a number that the log has too', async () => {
    const { answer, logged } = await listModels(new Error('sk-secret at /home/anne', { cause: new Error('deep') }));
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal' } });
    expect(answer.text).not.toMatch(/secret|home|errors\.test/);
    const number = /Error (\S+);/.exec(answer.text)?.[1] ?? 'none';
    expect(logged.join('\n')).toContain(`error ${number} at GET /api/models`);
    expect(logged.join('\n')).toMatch(/sk-secret[^]*caused by[^]*deep/);
  });

  test.each<[ErrorCode, number]>([
    ['not_found', 404],
    ['conflict', 409],
    ['storage_full', 507],
    ['rate_limited', 429],
    ['invalid_key', 422],
    ['not_a_model_server', 422],
    ['command_not_found', 422],
    ['quota_exceeded', 402],
    ['needs_sign_in', 502],
    ['network', 502],
    ['bad_config', 422],
    ['timed_out', 504],
  ])('reports %s with status %i', async (code, status) => {
    const { answer } = await listModels(new ToolyardError({ code, message: 'In plain words.', hint: 'Do this.' }));
    expect(answer).toMatchObject({ status, json: { status, code, hint: 'Do this.' } });
    expect(answer.text).toContain('In plain words.');
  });

  test('are those of Toolyard and its data only', async () => {
    const defects = [];
    for (const code of errorCode.options) {
      const { answer } = await listModels(new ToolyardError({ code, message: 'In plain words.' }));
      if (answer.status === 500 || answer.status === 507) defects.push(code);
      else expect([code, answer.text]).toEqual([code, expect.not.stringContaining('log of the server')]);
    }
    expect(defects).toEqual(['storage_full', 'storage_failed', 'internal']);
  });

  test('reports a full disk without the path of the data', async () => {
    const full = await startTestServer({ storage: { maxPages: 120 } });
    try {
      const answers = [];
      for (let n = 0; n < 400 && answers.at(-1)?.status !== 507; n++) {
        answers.push(await full.ask('/api/conversations', { json: { title: 'x'.repeat(500) } }));
      }
      expect(answers.at(-1)).toMatchObject({ status: 507, json: { code: 'storage_full' } });
      expect(answers.at(-1)?.text).not.toContain(full.storage.folder);
      expect(full.logged.join()).toContain(full.storage.folder);
      // The operator needs the path to free space, but no stack trace.
      expect(full.logged.join('\n')).not.toMatch(/^ +at /m);
      expect((await full.ask('/api/conversations')).status).toBe(200);
    } finally {
      await full.close();
    }
  });

  test('reports a missing file without its path', async () => {
    const uploaded = await server.ask('/api/files', { body: 'x', headers: { 'content-type': 'image/png' } });
    rmSync(join(server.storage.folder, 'blobs'), { recursive: true });
    const { sha256 } = uploaded.json as { sha256: string };
    const answer = await server.ask(`/api/files/${sha256}`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(server.storage.folder);
  });
});
