import type { ToolContentPart } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { decodeBase64, contentView, getFileName } from './content-view.ts';
import { listImages } from './media-content.ts';

const HELD = { data: 'AAEC' };
const file = (uri: string, more: object = {}): ToolContentPart => ({ type: 'resource', uri, ...more });

describe('result content', () => {
  test.each<[string, ToolContentPart, object]>([
    ['text', { type: 'text', text: 'hello' }, { kind: 'text' }],
    ['text that is JSON', { type: 'text', text: '{"a":1}' }, { kind: 'json' }],
    ['an image', { type: 'image', mimeType: 'image/png', source: HELD }, { kind: 'image' }],
    ['audio', { type: 'audio', mimeType: 'audio/ogg; codecs=opus', source: { blob: 'ab' } }, { kind: 'audio' }],
    ['a video', file('x://film', { mimeType: 'video/mp4', source: { blob: 'ab' } }), { kind: 'video' }],
    ['a text resource', file('x://a/notes.md', { text: '# Hi' }), { kind: 'document', name: 'notes.md', json: null }],
    ['a JSON resource', file('x://a.json', { text: '[1]' }), { kind: 'document', json: '[1]' }],
    [
      'text as bytes',
      file('x://a.txt', { mimeType: 'text/plain', source: { data: 'aGk=' } }),
      { kind: 'document', text: 'hi' },
    ],
    [
      'bytes that are no text',
      file('x://a.txt', { mimeType: 'text/plain', source: { data: '/w==' } }),
      { kind: 'file' },
    ],
    ['a binary resource', file('x://a/b.zip', { source: HELD }), { kind: 'file', name: 'b.zip' }],
  ])('%s', (_name, part, view) => {
    expect(contentView(part)).toMatchObject(view);
  });

  test('shows hidden characters in names, URLs and descriptions as escapes', () => {
    const hidden = { name: 'a\u202etxt.exe', title: 'a\u200bb', mimeType: 'x/\u2066y', description: 'c\u00add' };
    const [title, mimeType, description] = ['a⟨U+200B⟩b', 'x/⟨U+2066⟩y', 'c⟨U+00AD⟩d'];
    const address = { kind: 'other', uri: 'x://⟨U+202E⟩z' };
    const uri = 'x://\u202ez';
    expect(contentView(file(uri, hidden))).toMatchObject({ title, mimeType, description, address });
    expect(contentView(file(uri, { ...hidden, text: 'text' }))).toMatchObject({
      ...{ kind: 'document', title, mimeType, uri: address.uri, name: 'atxt.exe' },
    });
    expect(contentView(file(uri, { ...hidden, source: HELD }))).toMatchObject({
      kind: 'file',
      title,
      uri: address.uri,
    });
  });

  test.each(['image/svg+xml', 'text/html', 'image/x-anything', 'IMAGE/SVG+XML'])(
    'offers an image of type %s as a download only',
    (mimeType) => {
      expect(contentView({ type: 'image', mimeType, source: HELD }).kind).toBe('file');
    },
  );

  test.each<[ToolContentPart, object]>([
    [
      { type: 'image', mimeType: 'image/png', source: { url: 'https://evil.example/pixel.png?secret' } },
      { kind: 'web', host: 'evil.example' },
    ],
    [file('https://user@example.org:8443/report.pdf'), { kind: 'web', host: 'example.org:8443' }],
    [file('javascript:alert(1)'), { kind: 'other', uri: 'javascript:alert(1)' }],
    [file('data:text/html,<script>'), { kind: 'other', uri: 'data:text/html,<script>' }],
    [file('demo://static/1'), { kind: 'other', uri: 'demo://static/1' }],
    [file('not an address'), { kind: 'other', uri: 'not an address' }],
  ])('shows remote content as a link at most', (part, address) => {
    expect(contentView(part)).toMatchObject({ kind: 'link', address });
  });
});

test('shows thumbnails in a collapsed card only for images of this server', () => {
  const content: ToolContentPart[] = [
    { type: 'text', text: 'Here it is.' },
    { type: 'image', mimeType: 'image/PNG', source: HELD },
    { type: 'image', mimeType: 'image/svg+xml', source: HELD },
    { type: 'image', mimeType: 'image/png', source: { url: 'https://evil.example/pixel.png' } },
    file('x://picture', { mimeType: 'image/webp', source: { blob: 'ab' } }),
    file('x://text', { mimeType: 'image/png', text: 'no picture' }),
  ];
  expect(listImages({ content, isError: false, outcome: 'done' })).toEqual([
    { type: 'image', mimeType: 'image/png', source: HELD },
    { type: 'image', mimeType: 'image/webp', source: { blob: 'ab' } },
  ]);
});

test.each([
  ['demo://a/b/report.pdf?x=1#y', 'report.pdf'],
  ['C:\\secret\\..\\boot.ini', 'boot.ini'],
  ['../../etc/passwd', 'passwd'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['..', 'file'],
  ['', 'file'],
  ['會議記錄.txt', '會議記錄.txt'],
])('%j is saved as %j', (name, saved) => {
  expect(getFileName(name)).toBe(saved);
});

test('returns no bytes for invalid base64', () => {
  expect(decodeBase64('AAEC')).toEqual(new Uint8Array([0, 1, 2]));
  expect(decodeBase64('%%%')).toBeNull();
});
