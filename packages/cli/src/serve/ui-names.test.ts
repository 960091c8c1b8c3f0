import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PropsView } from '@toolyard/protocol';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-ui-names-'));
const file = join(folder, 'ui.json');
writeFileSync(file, '{"from":"file","kept":true}');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Started = { props: PropsView; start: string; proxy: number; alias: number; warnings: string[] };

/** Properties of a `toolyard serve` with these flags and variables. */
async function start(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  await using served = await Served.start({ args, env });
  const status = async (path: string): Promise<number> => (await fetch(`${served.url}${path}`)).status;
  return {
    props: await served.get<PropsView>('/props'),
    start: await (await fetch(served.url)).text(),
    // Without a URL, the proxy answers 400; a server without the proxy answers 404.
    proxy: await status('/api/proxy'),
    alias: await status('/cors-proxy'),
    warnings: served.log.split('\n').filter((line) => line.includes('is deprecated')),
  };
}

const WITHOUT_PAGE = /runs without its page/;
const ON = { proxy: 400, alias: 400 };
const OFF = { proxy: 404, alias: 404 };

describe('the page, its settings and its proxy', () => {
  it('are on, empty and off by default', async () => {
    const { props, start: page, ...rest } = await start([]);
    expect(props).toMatchObject({ ui: true, webui: true, ui_settings: {}, cors_proxy_enabled: false });
    expect(page).not.toMatch(WITHOUT_PAGE);
    expect(rest).toEqual({ ...OFF, warnings: [] });
  });

  it('are set by --ui, --ui-config, --ui-config-file and --ui-mcp-proxy', async () => {
    const {
      props,
      start: page,
      ...rest
    } = await start([...['--ui', '--ui-mcp-proxy', '--ui-config', '{"from":"flag"}', '--ui-config-file', file]]);
    const settings = { from: 'flag', kept: true };
    expect(props).toMatchObject({ ui: true, webui: true, cors_proxy_enabled: true });
    expect([props.ui_settings, props.webui_settings]).toEqual([settings, settings]);
    expect(page).not.toMatch(WITHOUT_PAGE);
    expect(rest).toEqual({ ...ON, warnings: [] });
  });

  it('are disabled by --no-ui and --no-ui-mcp-proxy; the API remains', async () => {
    const {
      props,
      start: page,
      ...rest
    } = await start(['--no-ui', '--no-ui-mcp-proxy'], {
      TOOLYARD_UI_MCP_PROXY: 'on',
    });
    expect(props).toMatchObject({ ui: false, webui: false, cors_proxy_enabled: false });
    expect(page).toMatch(WITHOUT_PAGE);
    expect(rest).toEqual({ ...OFF, warnings: [] });
  });

  it('are set by deprecated flags, with a warning that names the current one', async () => {
    const { props, warnings, ...rest } = await start([
      ...['--webui', '--webui-mcp-proxy', '--webui-config', '{"from":"flag"}', '--webui-config-file', file],
    ]);
    expect(props).toMatchObject({ ui: true, ui_settings: { from: 'flag', kept: true }, cors_proxy_enabled: true });
    expect(rest).toMatchObject(ON);
    expect(warnings.map((line) => /(--\S+) is deprecated.* use (--\S+)\./.exec(line)?.slice(1)).sort()).toEqual([
      ['--webui', '--ui'],
      ['--webui-config', '--ui-config'],
      ['--webui-config-file', '--ui-config-file'],
      ['--webui-mcp-proxy', '--ui-mcp-proxy'],
    ]);
  });

  it('are disabled by deprecated flags', async () => {
    const { props, start: page, warnings, ...rest } = await start(['--no-webui', '--no-webui-mcp-proxy']);
    expect(props).toMatchObject({ ui: false, webui: false, cors_proxy_enabled: false });
    expect(page).toMatch(WITHOUT_PAGE);
    expect(rest).toEqual(OFF);
    expect(warnings).toHaveLength(2);
  });

  it('are set by the variables of llama-server, with a warning that names the current one', async () => {
    const {
      props,
      start: page,
      warnings,
      ...rest
    } = await start([], {
      LLAMA_ARG_UI: 'off',
      LLAMA_ARG_UI_CONFIG: '{"from":"variable"}',
      LLAMA_ARG_UI_CONFIG_FILE: file,
      LLAMA_ARG_UI_MCP_PROXY: '1',
    });
    expect(props).toMatchObject({
      ui: false,
      ui_settings: { from: 'variable', kept: true },
      cors_proxy_enabled: true,
    });
    expect(page).toMatch(WITHOUT_PAGE);
    expect(rest).toEqual(ON);
    expect(warnings.map((line) => /(\w+) is deprecated.* use (\w+)\./.exec(line)?.slice(1)).sort()).toEqual([
      ['LLAMA_ARG_UI', 'TOOLYARD_UI'],
      ['LLAMA_ARG_UI_CONFIG', 'TOOLYARD_UI_CONFIG'],
      ['LLAMA_ARG_UI_CONFIG_FILE', 'TOOLYARD_UI_CONFIG_FILE'],
      ['LLAMA_ARG_UI_MCP_PROXY', 'TOOLYARD_UI_MCP_PROXY'],
    ]);
  });

  it('use the current name if both are given', async () => {
    const { props, warnings } = await start(
      ['--ui-config', '{"a":1}', '--webui-config', '{"a":2}', '--no-ui-mcp-proxy', '--webui-mcp-proxy'],
      { TOOLYARD_UI: 'on', LLAMA_ARG_UI: 'off' },
    );
    expect(props).toMatchObject({ ui: true, ui_settings: { a: 1 }, cors_proxy_enabled: false });
    expect(warnings).toEqual([]);
  });

  it('appear in the help, with deprecated names', async () => {
    const { stdout } = await runCommand(['serve', '--help']);
    for (const name of ['--ui', '--no-ui', '--ui-config', '--ui-config-file', '--ui-mcp-proxy', '--proxy-allow']) {
      expect(stdout).toContain(`  ${name}`);
    }
    expect(stdout).toMatch(/Deprecated names[^]*--webui[^]*LLAMA_ARG_UI/);
  });
});
