import { describe, expect, it } from 'vitest';
import { toUserParts } from './attachments.ts';
import { isText, prepareFile, type PrepareFileDeps } from './prepare-file.ts';

const sha256 = 'ab'.repeat(32);

function deps(changes: Partial<PrepareFileDeps> = {}): PrepareFileDeps & { uploaded: Blob[] } {
  const uploaded: Blob[] = [];
  return {
    uploaded,
    upload: async (file) => {
      uploaded.push(file);
      return { sha256, size: file.size, mimeType: file.type };
    },
    convertImage: async () => null,
    ...changes,
  };
}

describe('attachments', () => {
  it('puts a small image into the message, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);
    const prepared = await prepareFile(new File([bytes], 'dot.png', { type: 'image/png' }), deps());
    if (!prepared.ok || prepared.part.type !== 'image' || !('data' in prepared.part.source))
      throw new Error('no image');
    expect(Uint8Array.from(atob(prepared.part.source.data), (char) => char.charCodeAt(0))).toEqual(bytes);
  });

  it('uploads a large file and stores only its URL', async () => {
    const testDeps = deps();
    const file = new File([new Uint8Array(40_000)], 'photo.jpg', { type: 'image/jpeg' });
    expect(await prepareFile(file, testDeps)).toEqual({
      ok: true,
      kind: 'image',
      part: { type: 'image', mimeType: 'image/jpeg', name: 'photo.jpg', source: { blob: sha256 } },
    });
    expect(testDeps.uploaded.map((blob) => blob.type)).toEqual(['image/jpeg']);
  });

  it('attaches a file of unknown type as text if it is text, and rejects it otherwise', async () => {
    const text = await prepareFile(new File(['fn main() {} // 你好'], 'main.rs'), deps());
    expect(text).toMatchObject({
      ok: true,
      kind: 'text',
      part: { type: 'file', mimeType: 'text/plain', name: 'main.rs' },
    });
    const binary = await prepareFile(new File([new Uint8Array([80, 75, 3, 4, 0, 0])], 'a.zip'), deps());
    expect(binary).toEqual({ ok: false, problem: 'unsupported' });
  });

  it('treats SVG as text, never as an image', async () => {
    const svg = await prepareFile(new File(['<svg/>'], 'a.svg', { type: 'image/svg+xml' }), deps());
    expect(svg).toMatchObject({ kind: 'text', part: { type: 'file', mimeType: 'text/plain' } });
  });

  it('converts an image that models do not read, and reports it if the browser cannot', async () => {
    const heic = new File([new Uint8Array([1, 2])], 'a.heic', { type: 'image/heic' });
    expect(await prepareFile(heic, deps())).toEqual({ ok: false, problem: 'unsupported' });
    const png = new Blob([new Uint8Array([3])], { type: 'image/png' });
    const converted = await prepareFile(heic, deps({ convertImage: async () => png }));
    expect(converted).toMatchObject({ ok: true, part: { mimeType: 'image/png' } });
  });

  it('distinguishes empty files, files that are too large and failed uploads', async () => {
    expect(await prepareFile(new File([], 'a.txt'), deps())).toEqual({ ok: false, problem: 'empty' });
    const huge = new File([new Uint8Array(21 * 1024 * 1024)], 'a.png', { type: 'image/png' });
    expect(await prepareFile(huge, deps())).toEqual({ ok: false, problem: 'too_large' });
    const long = new File(['a'.repeat(1024 * 1024 + 1)], 'a.log');
    expect(await prepareFile(long, deps())).toEqual({ ok: false, problem: 'text_too_large' });
    const image = new File([new Uint8Array(40_000)], 'a.png', { type: 'image/png' });
    const failing = deps({ upload: () => Promise.reject(new Error('The disk is full.')) });
    expect(await prepareFile(image, failing)).toEqual({
      ok: false,
      problem: 'upload_failed',
      detail: 'The disk is full.',
    });
  });

  it('reads text cut in the middle of a character as text', () => {
    expect(isText(new TextEncoder().encode('時間').subarray(0, 4))).toBe(true);
    expect(isText(Uint8Array.of(0xff, 0xfe, 0x41))).toBe(false);
  });

  it('sends the text first and leaves out files that are not ready', () => {
    const part = { type: 'image', mimeType: 'image/png', source: { blob: sha256 } } as const;
    expect(
      toUserParts('look', [
        { id: '1', name: 'a', size: 1, state: 'failed', problem: 'empty' },
        { id: '2', name: 'b', size: 1, state: 'ready', kind: 'image', parts: [part] },
      ]),
    ).toEqual([{ type: 'text', text: 'look' }, part]);
    expect(toUserParts('  \n', [])).toEqual([]);
  });
});
