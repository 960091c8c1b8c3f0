import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServeSettings } from './serve-settings.ts';
import type { ServeSettings } from './serve-settings.ts';

function read(
  flags: Record<string, string | boolean>,
  env: NodeJS.ProcessEnv = {},
): { settings: ServeSettings; warnings: string[] } {
  const warnings: string[] = [];
  return {
    settings: readServeSettings({ flags, env, cwd: process.cwd(), warn: (line) => warnings.push(line) }),
    warnings,
  };
}

describe('the settings of toolyard serve', () => {
  it('listen on this machine alone, with the page and without the proxy, unless told otherwise', () => {
    expect(read({}).settings).toMatchObject({
      host: '127.0.0.1',
      port: 8710,
      ui: true,
      uiSettings: {},
      uiMcpProxy: false,
    });
  });

  it('name the role of the process, and refuse one there is not', () => {
    expect(read({}).settings.role).toBe('all');
    expect(read({}, { TOOLYARD_ROLE: 'worker' }).settings.role).toBe('worker');
    expect(read({ role: 'web', 'internal-url': 'http://10.0.0.5:1' }).settings).toMatchObject({
      role: 'web',
      internalUrl: 'http://10.0.0.5:1',
    });
    expect(() => read({ role: 'boss' })).toThrow('--role is "boss": a role is one of all, web, worker, tools.');
  });

  it('take flags over the environment', () => {
    expect(read({ port: '9000' }, { PORT: '9001' }).settings.port).toBe(9000);
    expect(read({}, { PORT: '9001' }).settings.port).toBe(9001);
    expect(read({ 'data-dir': '/a' }, { TOOLYARD_DATA_DIR: '/b' }).settings.dataDir).toBe('/a');
    expect(read({ 'blobs-url': 's3://a' }, { TOOLYARD_BLOBS_URL: 's3://b' }).settings.blobsUrl).toBe('s3://a');
    expect(read({ ui: true }, { TOOLYARD_UI: 'off' }).settings.ui).toBe(true);
  });

  it('hear the names of llama-server, with a warning that names the new one', () => {
    const { settings, warnings } = read({ webui: false });
    expect(settings.ui).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('use --ui')]);
    const byEnv = read({}, { LLAMA_ARG_WEBUI: '0' });
    expect(byEnv.settings.ui).toBe(false);
    expect(byEnv.warnings).toEqual([expect.stringContaining('use TOOLYARD_UI')]);
  });

  it('take a new name over an old one, and an old flag over a new variable', () => {
    expect(read({ 'ui-config': '{"a":1}', 'webui-config': '{"a":2}' })).toMatchObject({
      settings: { uiSettings: { a: 1 } },
      warnings: [],
    });
    expect(read({}, { TOOLYARD_UI: 'on', LLAMA_ARG_UI: 'off' })).toMatchObject({
      settings: { ui: true },
      warnings: [],
    });
    expect(read({ webui: false }, { TOOLYARD_UI: 'on' }).settings.ui).toBe(false);
  });

  it('join the file of the page with what was typed, which wins', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'toolyard-ui-')), 'ui.json');
    writeFileSync(file, '{"theme":"dark","title":"Lab"}');
    const { settings } = read({ 'ui-config-file': file, 'ui-config': '{"theme":"light"}' });
    expect(settings.uiSettings).toEqual({ theme: 'light', title: 'Lab' });
  });

  it.each([
    [{ port: 'http' }, /--port is "http"/],
    [{ port: '70000' }, /from 0 to 65535/],
    [{ 'ui-config': '{' }, /--ui-config cannot be read as JSON/],
    [{ 'ui-config': '[]' }, /not an object/],
    [{ port: '' }, /--port is empty/],
    [{ 'data-dir': '' }, /--data-dir is empty/],
    [{ 'ui-config-file': '/does/not/exist' }, /there is no file \/does\/not\/exist/],
  ])('say what is wrong with %j', (flags, message) => {
    expect(() => read(flags as Record<string, string>)).toThrow(message);
  });

  it('say which variable is wrong', () => {
    expect(() => read({}, { TOOLYARD_UI_MCP_PROXY: 'perhaps' })).toThrow(/TOOLYARD_UI_MCP_PROXY is "perhaps"/);
  });
});
