import { describe, expect, it } from 'vitest';
import { pathsToAllow, refusedAccess } from './hidden-paths.ts';

describe('what the sandbox of a new server will hide', () => {
  it.each([
    [['/home/ann/proj/server.mjs'], [], ['/home/ann/proj']],
    [['-y', 'pkg', '/home/ann/notes'], [], ['/home/ann/notes']],
    [['--root=/srv/data/'], [], ['/srv/data']],
    [['~/proj/run.py', '~/proj/data'], [], ['~/proj', '~/proj/data']],
    [['/home/ann/server.py'], [], ['/home/ann/server.py']],
    [['~/server.py'], [], ['~/server.py']],
    [['/home/ann/proj/server.mjs'], ['/home/ann/proj/'], []],
    [['/home/ann/proj/server.mjs'], ['/home/ann'], []],
    [['/home/ann/project/server.mjs'], ['/home/ann/proj'], ['/home/ann/project']],
    [['/usr/lib/x.js', '/opt/tool', '--scratch=/tmp/'], [], []],
    // A server has a temporary folder of its own.
    [['/tmp/ann/project/server.mjs', '/tmp/a'], [], ['/tmp/ann/project', '/tmp/a']],
    [['/tmp/server.mjs'], [], ['/tmp/server.mjs']],
    [['relative/file.js', '--flag', 'https://a.example/x', '//double', '/', '/a/../b', '/x/${env:A}'], [], []],
  ])('is proposed from the arguments %j beside %j', (args, allowed, expected) => {
    expect(pathsToAllow(args, allowed)).toEqual(expected);
  });
});

it('lists what a sandbox refused once, however often it was refused', () => {
  const path = (target: string) => ({ kind: 'path' as const, target });
  const host = { kind: 'host' as const, target: 'a.example:443' };
  expect(
    refusedAccess({
      kind: 'sandboxed',
      network: 'on',
      proposed: ['/home/ann/proj'],
      blocked: [path('/home/ann/proj/server.mjs'), path('/home/ann/proj'), path('/home/ann/project'), host],
    }),
  ).toEqual([path('/home/ann/proj'), path('/home/ann/project'), host]);
  expect(refusedAccess({ kind: 'unsandboxed' })).toEqual([]);
});
