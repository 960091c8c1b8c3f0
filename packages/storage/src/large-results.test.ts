import { expect, test } from 'vitest';
import type { ToolResult } from '@toolyard/protocol';
import { MAX_INLINE_TEXT } from './large-results.ts';
import { mediaToBlobs } from './media.ts';

const LARGE = '一'.repeat(MAX_INLINE_TEXT + 1);
const result = (more: Partial<ToolResult>): ToolResult => ({ content: [], isError: false, outcome: 'done', ...more });

/** Keeps files of up to `most` bytes. */
function files(most = Infinity) {
  const kept: { text: string; mimeType: string }[] = [];
  const keep = async (bytes: Uint8Array, mimeType: string) => {
    if (bytes.byteLength > most) return { refused: 'files may have at most 1 MB' };
    kept.push({ text: Buffer.from(bytes).toString(), mimeType });
    return await Promise.resolve({ sha256: `hash${kept.length}` });
  };
  return { kept, keep };
}

test.each([
  ['a text', { content: [{ type: 'text', text: LARGE }] }, 'result.txt'],
  [
    'the text of a resource',
    { content: [{ type: 'resource', uri: 'a:b', text: LARGE, mimeType: 'text/csv' }] },
    'result.txt',
  ],
  ['structured content', { structured: { rows: [LARGE] } }, 'result.json'],
  [
    'structured content of many small values',
    { structured: Array.from({ length: 70_000 }, (_, i) => i) },
    'result.json',
  ],
] satisfies [string, Partial<ToolResult>, string][])(
  'stores %s of a result once, as a file',
  async (_of, more, name) => {
    const { kept, keep } = files();
    // As in an event, which has the result twice.
    const event = { type: 'tool_finished', result: result(more), message: { parts: [{ result: result(more) }] } };
    const stored = await mediaToBlobs(event, keep);
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(stored).length).toBeLessThan(3 * MAX_INLINE_TEXT);
    expect(stored.message.parts[0]?.result).toEqual(stored.result);
    const { content, structured } = stored.result;
    expect(structured).toBeUndefined();
    expect(content.at(-1)).toMatchObject({ type: 'resource', name, source: { blob: 'hash1' }, audience: ['user'] });
    expect(content[0]).toHaveProperty(
      'text',
      expect.stringMatching(/characters; the whole text is in the file below\]$/),
    );
  },
);

const many = <T>(count: number, part: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => part(at));
const pixels = Buffer.alloc(60_000).toString('base64');

test.each<[string, ToolResult['content'], string]>([
  ['many texts', many(9, (at) => ({ type: 'text', text: `${at}`.repeat(100_000) })), '8'.repeat(100_000)],
  ['very many short texts', many(100_000, (at) => ({ type: 'text', text: `${at}.` })), '99999.'],
  ['very many empty texts', many(100_000, () => ({ type: 'text', text: '' })), '\n\n\n'],
  ['many resources', many(9, (at) => ({ type: 'resource', uri: `a:${at}`, text: 'x'.repeat(100_000) })), '"a:8"'],
  ['many links', many(20_000, (at) => ({ type: 'resource', uri: `a:${at}` })), '"a:19999"'],
  ['a long URI', [{ type: 'resource', uri: `a:${LARGE}` }], LARGE],
  ['a long name', [{ type: 'resource', uri: 'a:b', name: LARGE }], LARGE],
  ['a long description', [{ type: 'resource', uri: 'a:b', description: LARGE, text: 'x' }], LARGE],
  ['a long type', [{ type: 'image', mimeType: `image/${LARGE}`, source: { data: 'AAAA' } }], LARGE],
  ['a long URL', [{ type: 'image', mimeType: 'image/png', source: { url: `https://a.example/${LARGE}` } }], LARGE],
  ['many small images', many(30, () => ({ type: 'image', mimeType: 'image/png', source: { data: pixels } })), pixels],
])('stores %s of a result within one limit, the rest as files', async (_of, content, last) => {
  const { kept, keep } = files();
  const stored = await mediaToBlobs(result({ content }), keep);
  expect(JSON.stringify(stored).length).toBeLessThan(1.5 * MAX_INLINE_TEXT);
  expect(kept.length).toBeLessThan(5);
  expect(kept.at(-1)?.text).toContain(last);
  expect(stored.content.at(-1)).toMatchObject({ source: { blob: `hash${kept.length}` }, audience: ['user'] });
  // Stored again, as in the message of the call, it stays as it is.
  expect(await mediaToBlobs({ message: { parts: [{ result: stored }] } }, keep)).toEqual({
    message: { parts: [{ result: stored }] },
  });
  const { keep: none } = files(0);
  const refused = await mediaToBlobs(result({ content }), none);
  expect(JSON.stringify(refused).length).toBeLessThan(1.5 * MAX_INLINE_TEXT);
  expect(JSON.stringify(refused.content.at(-1))).toContain('left out: files may have at most 1 MB');
});

test('keeps short parts after large texts', async () => {
  const { keep } = files();
  const text = (value: string) => ({ type: 'text', text: value }) as const;
  const { content } = await mediaToBlobs(result({ content: [text(LARGE), text(LARGE), text('The end.')] }), keep);
  expect(content.map((part) => (part.type === 'text' ? part.text.length > 9 : part.type))).toEqual([
    true,
    'resource',
    true,
    'resource',
    false,
  ]);
});

test('leaves small results and long texts of models as they are', async () => {
  const { keep } = files();
  const small = result({ content: [{ type: 'text', text: 'x'.repeat(MAX_INLINE_TEXT - 100) }], structured: { a: 1 } });
  const value = { small, message: { role: 'assistant', parts: [{ type: 'text', text: LARGE }] } };
  expect(await mediaToBlobs(value, keep)).toBe(value);
});

test('says what was left out because of a limit, for texts and media, and keeps the rest', async () => {
  const { kept, keep } = files(200_000);
  const image = (bytes: number) =>
    ({ type: 'image', mimeType: 'image/png', source: { data: Buffer.alloc(bytes).toString('base64') } }) as const;
  const stored = await mediaToBlobs(
    result({ content: [{ type: 'text', text: LARGE }, image(300_000), image(100_000)] }),
    keep,
  );
  expect(kept).toHaveLength(1);
  expect(stored.content).toMatchObject([
    { text: expect.stringContaining('the rest was left out: files may have at most 1 MB') as string },
    { type: 'text', text: '[image/png, 300000 bytes, was left out: files may have at most 1 MB]' },
    { type: 'image', source: { blob: 'hash1' } },
  ]);
});
