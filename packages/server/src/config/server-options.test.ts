import { describe, expect, it } from 'vitest';
import type { ServerOptions } from './server-options.ts';
import { resolveOptions, isLoopback } from './server-options.ts';

const good: ServerOptions = {
  dataDir: '/data',
  host: '127.0.0.1',
  port: 8710,
  allowHosts: ['toolyard.example.com', 'box:8710', '[::1]:80'],
  ui: true,
  uiSettings: {},
  uiMcpProxy: false,
  builtInServers: [],
  flagServers: [],
  env: {},
  log: () => {},
};

describe('resolveOptions', () => {
  const { dataDir, builtInServers, flagServers, env, log } = good;
  const required = { dataDir, builtInServers, flagServers, env, log };

  it('adds the defaults', () => {
    const { host, port, role, ui, uiMcpProxy, metrics, databaseNotify, token } = resolveOptions(required);
    expect({ host, port, role, ui, uiMcpProxy, metrics, databaseNotify, token }).toEqual({
      host: '127.0.0.1',
      port: 8710,
      role: 'all',
      ui: true,
      uiMcpProxy: false,
      metrics: false,
      databaseNotify: true,
      token: undefined,
    });
  });

  it('merges lists and objects with those of the configuration file, options first', () => {
    const file = { allowHosts: ['of-file'], uiSettings: { theme: 'dark', language: 'en' } };
    const { allowHosts, uiSettings } = resolveOptions(
      { ...required, allowHosts: ['given'], uiSettings: { theme: 'light' } },
      file,
    );
    expect(new Set(allowHosts)).toEqual(new Set(['of-file', 'given']));
    expect(uiSettings).toEqual({ theme: 'light', language: 'en' });
    expect(resolveOptions(required, file)).toMatchObject(file);
  });
});

describe('server options', () => {
  it.each<Partial<ServerOptions>>([
    {},
    { port: 0 },
    { host: 'localhost' },
    { databaseUrl: 'postgres://x/y', blobsUrl: 's3://files', token: null },
    { databaseUrl: 'postgres://x/y', token: 'sixteen-letters!' },
    { databaseUrl: 'postgres://x/y', role: 'worker' as const },
    { host: '::1' },
    { host: '0.0.0.0' },
    { host: '0.0.0.0', token: 'sixteen-letters!' },
  ])('accept %j', (change) => {
    expect(() => resolveOptions({ ...good, ...change })).not.toThrow();
  });

  it.each<[Partial<ServerOptions>, RegExp]>([
    [{ host: '0.0.0.0', token: null }, /0\.0\.0\.0 with --no-token/],
    [{ host: '192.168.1.4', token: null }, /with --no-token/],
    [{ host: '127.0.0.1.example.com', token: null }, /with --no-token/],
    [{ host: '::', token: null }, /with --no-token/],
    [{ databaseUrl: 'postgres://x/y' }, /With DATABASE_URL.*none is set/],
    [{ host: 'http://x' }, /must be a name or an address/],
    [{ host: '' }, /must be a name or an address/],
    [{ token: '' }, /0 characters; the minimum is 16/],
    [{ token: 'fifteen-letters' }, /15 characters; the minimum is 16/],
    [{ token: 'two words of a token' }, /cannot contain/],
    [{ port: -1 }, /must be an integer/],
    [{ port: 65_536 }, /must be an integer/],
    [{ port: Number.NaN }, /must be an integer/],
    [{ dataDir: ' ' }, /data folder/],
    [{ blobsUrl: 's3://files' }, /without a database/],
    [{ allowHosts: ['http://x.example'] }, /--allow-host/],
    [{ allowHosts: ['*'] }, /--allow-host/],
    [{ allowHosts: [''] }, /--allow-host/],
    [{ proxyAllow: ['somewhere'] }, /--proxy-allow: "somewhere" is not an origin/],
    [{ proxyAllow: ['https://mcp.example.com/path'] }, /not an origin/],
  ])('reject %j with the reason and a solution', (change, message) => {
    let thrown: unknown;
    try {
      resolveOptions({ ...good, ...change });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'bad_config', hint: expect.stringMatching(/./) });
    expect(String(thrown)).toMatch(message);
  });

  it('classify loopback hosts', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]']) {
      expect(isLoopback(host), host).toBe(true);
    }
    for (const host of ['0.0.0.0', '::', 'localhost.example.com', '127.evil.example', '10.0.0.1']) {
      expect(isLoopback(host), host).toBe(false);
    }
  });
});
