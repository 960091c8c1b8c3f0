import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needs, UNIX } from '@toolyard/testing';
import { resolvePath } from './resolve-path.ts';

describe('resolvePath', needs(UNIX), () => {
  it('follows links before it resolves "..", and keeps what does not exist', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-links-')));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'other/folder'), { recursive: true });
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, 'notes/a.md'), '');
    symlinkSync(join(root, 'other/folder'), join(root, 'notes/deep'));
    symlinkSync('../other', join(root, 'notes/near'));
    symlinkSync('round', join(root, 'notes/round'));
    const of = (path: string): string | undefined => resolvePath(`${root}/${path}`)?.slice(root.length);
    expect(of('notes/deep/../private.txt')).toBe('/other/private.txt');
    expect(of('notes/near/new/file.md')).toBe('/other/new/file.md');
    expect(of('notes/none/../b.md')).toBe('/notes/b.md');
    expect(of('notes/a.md/x')).toBe('/notes/a.md/x');
    expect(of('notes/round')).toBeUndefined();
    expect(resolvePath('notes')).toBeUndefined();
  });
});
