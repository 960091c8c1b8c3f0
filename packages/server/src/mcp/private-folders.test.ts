import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, needs, SANDBOX } from '@toolyard/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OWNER as me, useServerBench } from './test-fixtures/server-setup.ts';

const room = useServerBench();
let cache = '';
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'toolyard-cache-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true, force: true });
});

/** A server that writes a file to its private home folder and never responds. */
function leaving(name: string): object {
  const script = `require('node:fs').writeFileSync(process.env.HOME + '/${name}', ''); process.stdin.resume();`;
  return { command: process.execPath, args: ['-e', script], sandbox: {} };
}

const remaining = (): string[] =>
  existsSync(join(cache, 'toolyard'))
    ? readdirSync(join(cache, 'toolyard'), { recursive: true, encoding: 'utf8' }).flatMap(
        (path) => /(one|two|three)$/.exec(path)?.[1] ?? [],
      )
    : [];

it('deletes the private folder of a server that was removed or is no longer listed', needs(SANDBOX), async () => {
  const all = await room.start({ one: leaving('one'), two: leaving('two'), three: leaving('three') });
  await eventually(() => remaining().length === 3, { what: 'three private folders' });
  await all.editable.remove(me, 'one');
  await eventually(() => remaining().sort().join() === 'three,two', { what: 'the deletion of the removed one' });
  await room.start({ two: leaving('two') });
  await eventually(() => remaining().join() === 'two', { what: 'the deletion of the one that is no longer listed' });
  // An unreadable file does not tell which servers were removed.
  await room.start('{ broken');
  await room.start({ two: { ...leaving('two'), disabled: true } });
  expect(remaining()).toEqual(['two']);
});
