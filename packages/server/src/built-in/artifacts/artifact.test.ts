import type { FunctionTool } from '@toolyard/agent-host';
import type { JsonObject } from '@toolyard/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StorageOfTools } from '../test-fixtures/storage-of-tools.ts';
import { callContext, openStorageOfTools, getOutcome, OWNER } from '../test-fixtures/storage-of-tools.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { createArtifactStore } from './artifact-store.ts';
import { createArtifactTools } from './artifact.ts';
import { MAX_TEXT_BYTES, MAX_VERSIONS } from './limits.ts';

let home: StorageOfTools;
let store: ArtifactStore;
let artifact: FunctionTool | undefined;
let calls: number;

beforeEach(async () => {
  home = await openStorageOfTools();
  store = createArtifactStore(home);
  [artifact] = createArtifactTools(store, OWNER).tools;
  calls = 0;
});
afterEach(() => home[Symbol.asyncDispose]());

const call = (args: JsonObject, callId = `r1.1.${String(++calls)}`) => getOutcome(artifact, args, callContext(callId));
const NOTES = { title: 'Notes', kind: 'markdown', content: '# Notes\n\n- tea\n- tea time\n' };
const texts = async () => {
  const [found] = await store.exported(OWNER, 'c1');
  return found?.versions.map(({ text }) => text);
};

describe('artifact', () => {
  test('creates documents and changes them by full text or by an exact part, one version each', async () => {
    const created = await call(NOTES);
    expect(created.text).toMatch(/^Created document a1\./);
    expect(created.structured).toEqual({ artifact: { id: 'a1', version: 1, kind: 'markdown', title: 'Notes' } });
    expect((await call({ id: 'a1', old_text: '- tea\n', new_text: '- $& coffee\n' })).text).toMatch(/a1: version 2/);
    expect((await call({ id: 'a1', content: 'All new.', title: 'Plan' })).structured).toMatchObject({
      artifact: { version: 3, title: 'Plan' },
    });
    expect((await call({ title: 'App', kind: 'code', language: 'python', content: 'print(1)' })).text).toContain('a2');
    expect(await texts()).toEqual([NOTES.content, '# Notes\n\n- $& coffee\n- tea time\n', 'All new.']);
    expect(await store.list(OWNER, 'c1')).toMatchObject([
      { id: 'a1', kind: 'markdown', language: null, title: 'Plan', versions: [{}, {}, { version: 3 }] },
      { id: 'a2', kind: 'code', language: 'python' },
    ]);
    expect((await call({ id: 'a1' })).text).toBe('a1, version 3, "Plan":\n\nAll new.');
    expect(home.changed).toHaveLength(4);
    expect(home.changed[0]).toBe('artifacts c1');
  });

  test('says why a part cannot be replaced, and changes nothing', async () => {
    await call(NOTES);
    expect(await call({ id: 'a1', old_text: 'milk', new_text: 'x' })).toEqual({
      error: 'invalid_arguments',
      text: 'old_text was not found in a1, version 1, and nothing was changed. It must match exactly, with its white space.',
    });
    expect((await call({ id: 'a1', old_text: 'tea', new_text: 'x' })).text).toMatch(/occurs 2 times in a1, version 1/);
    expect((await call({ id: 'a7', content: 'x' })).text).toBe('There is no document "a7". This conversation has: a1.');
    expect((await call({ content: 'x' })).text).toMatch(/needs title, kind and content/);
    expect((await call({ id: 'a1', content: 'x', old_text: 'y', new_text: 'z' })).error).toBe('invalid_arguments');
    expect((await call({ id: 'a1', old_text: 'y' })).error).toBe('invalid_arguments');
    expect(await texts()).toEqual([NOTES.content]);
  });

  test('a call that is made again returns its version', async () => {
    await call(NOTES, 'r1.1.0');
    const again = await call(NOTES, 'r1.1.0');
    expect(again.structured).toMatchObject({ artifact: { id: 'a1', version: 1 } });
    const change = { id: 'a1', old_text: '# Notes', new_text: '# Tea' };
    await call(change, 'r1.2.0');
    expect((await call(change, 'r1.2.0')).structured).toMatchObject({ artifact: { version: 2 } });
    expect(await texts()).toHaveLength(2);
  });

  test('concurrent calls lose no version', async () => {
    await call({ title: 'List', kind: 'csv', content: 'start' });
    await Promise.all(
      ['one', 'two', 'three', 'four'].map((word) => call({ id: 'a1', content: word }).then(({ error }) => error)),
    );
    expect((await texts())?.toSorted()).toEqual(['four', 'one', 'start', 'three', 'two']);
    const created = await Promise.all([1, 2, 3].map((at) => call({ ...NOTES, title: `N${String(at)}` })));
    expect(new Set(created.map(({ structured }) => JSON.stringify(structured).slice(0, 25))).size).toBe(3);
  });

  test('has limits, and no version for a change that changes nothing', async () => {
    const large = await call({ title: 'Large', kind: 'html', content: 'é'.repeat(MAX_TEXT_BYTES / 2 + 1) });
    expect(large.text).toBe(
      `The document has ${String(MAX_TEXT_BYTES + 2)} bytes; ${String(MAX_TEXT_BYTES)} are the limit. Nothing was changed.`,
    );
    await call(NOTES);
    expect((await call({ id: 'a1', content: NOTES.content })).text).toMatch(/^Nothing differs from version 1 of a1/);
    const [first] = await home.storage.artifacts.list(OWNER, 'c1');
    if (first === undefined) throw new Error('there is one');
    for (let version = 2; version <= MAX_VERSIONS; version++) {
      await home.storage.artifacts.add(OWNER, { ...first, version, callId: `other.${String(version)}` });
    }
    expect(await call({ id: 'a1', content: 'more' })).toMatchObject({ error: 'tool_failed' });
    expect(await texts()).toHaveLength(MAX_VERSIONS);
  });

  test('belongs to a conversation, which takes it along when it is deleted', async () => {
    const { conversation: _none, ...outside } = callContext('r1.1.0');
    expect(await getOutcome(artifact, NOTES, outside)).toMatchObject({ error: 'tool_refused' });
    await call(NOTES);
    expect(await store.list(OWNER, 'c2')).toEqual([]);
    expect(await store.list({ ownerId: 'other' }, 'c1')).toEqual([]);
    await home.storage.conversations.remove(OWNER, 'c1', 5);
    expect((await call({ id: 'a1', content: 'x' })).text).toMatch(/its conversation was deleted/);
  });
});
