import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { ServeValues } from '@toolyard/server/serve-flags';
import { serveFlags } from '@toolyard/server/serve-flags';
import { addServeFlags, givenFlags } from './define-serve.ts';
import { readServeFlags } from './read-serve-flags.ts';

function read(argv: string[], env: NodeJS.ProcessEnv = {}): { values: ServeValues; warnings: string[] } {
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  let values: ServeValues = {};
  const command = new Command().action(() => {
    values = readServeFlags({ flags: givenFlags(command), env, cwd: process.cwd(), warn });
  });
  addServeFlags(command, warn);
  command.parse(argv, { from: 'user' });
  return { values, warnings };
}

describe('the flags of toolyard serve', () => {
  it('have no value by default', () => {
    expect(read([])).toEqual({ values: {}, warnings: [] });
  });

  it('have unique names, including deprecated ones', () => {
    const names = serveFlags().flatMap(([, { flag, aliases }]) => [flag, ...(aliases?.flags ?? [])]);
    const variables = serveFlags().flatMap(([, { env, aliases }]) => [env ?? [], aliases?.env ?? []].flat());
    expect([names, variables].map((all) => all.filter((name, at) => all.indexOf(name) !== at))).toEqual([[], []]);
  });

  it('reads each kind', () => {
    const { values } = read([
      ...['--port', '9000', '--role', 'web', '--internal-url', 'http://10.0.0.5:1', '--metrics', '--no-date'],
      ...['--allow-host', 'a', '--allow-host', 'b', '--ui-config', '{"a":1}', '--no-token'],
    ]);
    expect(values).toEqual({
      port: 9000,
      role: 'web',
      internalUrl: 'http://10.0.0.5:1',
      metrics: true,
      date: false,
      allowHosts: ['a', 'b'],
      uiSettings: { a: 1 },
      token: null,
    });
  });

  it('take precedence over variables', () => {
    expect(read(['--port', '9000'], { PORT: '9001' }).values.port).toBe(9000);
    expect(read([], { PORT: '9001' }).values.port).toBe(9001);
    expect(read(['--data-dir', '/a'], { TOOLYARD_DATA_DIR: '/b' }).values.dataDir).toBe('/a');
    expect(read(['--blobs-url', 's3://a'], { TOOLYARD_BLOBS_URL: 's3://b' }).values.blobsUrl).toBe('s3://a');
    expect(read(['--ui'], { TOOLYARD_UI: 'off' }).values.ui).toBe(true);
    expect(read([], { TOOLYARD_ROLE: 'worker', TOOLYARD_UI: ' ' }).values).toEqual({ role: 'worker' });
  });

  it('accept deprecated names with a warning that names the current one', () => {
    expect(read(['--no-webui'])).toEqual({
      values: { ui: false },
      warnings: ['--webui is deprecated; use --ui.'],
    });
    expect(read([], { LLAMA_ARG_WEBUI: '0' })).toEqual({
      values: { ui: false },
      warnings: ['LLAMA_ARG_WEBUI is deprecated; use TOOLYARD_UI.'],
    });
  });

  it.each(serveFlags().flatMap(([, { env, aliases }]) => (aliases?.env ?? []).map((alias) => [alias, env] as const)))(
    'accept the variable %s with a warning that names %s',
    (alias, current) => {
      const file = join(mkdtempSync(join(tmpdir(), 'toolyard-ui-')), 'ui.json');
      writeFileSync(file, '{"a":1}');
      const value = alias.endsWith('_FILE') ? file : alias.endsWith('_CONFIG') ? '{"a":1}' : '0';
      const { values, warnings } = read([], { [alias]: value });
      expect(warnings).toEqual([`${alias} is deprecated; use ${current ?? ''}.`]);
      expect(values).toEqual(read([], { [current ?? '']: value }).values);
      expect(Object.keys(values)).toHaveLength(1);
    },
  );

  it('prefer a current name to a deprecated one, and a deprecated flag to a current variable', () => {
    expect(read(['--webui-config', '{"a":2}', '--ui-config', '{"a":1}'])).toEqual({
      values: { uiSettings: { a: 1 } },
      warnings: [],
    });
    expect(read([], { TOOLYARD_UI: 'on', LLAMA_ARG_UI: 'off' })).toEqual({ values: { ui: true }, warnings: [] });
    expect(read(['--no-webui'], { TOOLYARD_UI: 'on' }).values.ui).toBe(false);
  });

  it('read an object from a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'toolyard-ui-')), 'ui.json');
    writeFileSync(file, '{"theme":"dark","title":"Lab"}');
    expect(read(['--ui-config-file', file]).values.uiSettingsFile).toEqual({ theme: 'dark', title: 'Lab' });
  });

  it.each([
    [['--port', 'http'], /--port must be .*\(got "http"\)/],
    [['--port', '70000'], /from 0 to 65535/],
    [['--role', 'boss'], /--role must be one of all, web, worker, tools \(got "boss"\)\./],
    [['--ui-config', '{'], /--ui-config: invalid JSON/],
    [['--webui-config', '{'], /--ui-config: invalid JSON/],
    [['--ui-config', '[]'], /not an object/],
    [['--port', ''], /--port is empty/],
    [['--data-dir', ''], /--data-dir is empty/],
    [['--ui-config-file', '/does/not/exist'], /file not found: \/does\/not\/exist/],
  ])('reject %j', (argv, message) => {
    expect(() => read(argv)).toThrow(message);
  });

  it('name the variable at fault', () => {
    expect(() => read([], { TOOLYARD_UI_MCP_PROXY: 'perhaps' })).toThrow(
      /TOOLYARD_UI_MCP_PROXY must be on or off \(got "perhaps"\)/,
    );
  });
});
