import type { Command } from 'commander';
import { Option } from 'commander';
import type { Invocation } from '../command-io.ts';
import { repeatable } from '../options.ts';

/** Flags that do not stand for a setting which may also be said in the environment. */
type OwnFlags = {
  open?: boolean;
  allowHost: string[];
  proxyAllow: string[];
  mcp: string[];
  mcpConfig?: string;
  date: boolean;
};

/** Defines `toolyard serve`. */
export function defineServe(program: Command, invocation: Invocation): void {
  const serve = program
    .command('serve')
    .description('Run the server and its page until Ctrl-C')
    .option('--port <n>', 'the port (or PORT; default 8710, 0 takes any free one)')
    .option('--host <address>', 'the address to listen on (or TOOLYARD_HOST; default 127.0.0.1)')
    .option('--token <text>', 'access token (better: TOOLYARD_TOKEN); by default one is created on first start')
    .option('--no-token', 'require no access token; on this machine only')
    .option('--data-dir <folder>', 'where everything is kept (or TOOLYARD_DATA_DIR)')
    .option('--database-url <url>', 'keep conversations and runs in this PostgreSQL (better: DATABASE_URL)')
    .option('--blobs-url <s3://...>', 'with a database: store files in this bucket (or TOOLYARD_BLOBS_URL)')
    .option('--no-database-notify', 'other processes are not notified but look once a second')
    .option('--role <role>', 'all, or a part over one PostgreSQL: web, worker, tools (or TOOLYARD_ROLE; default all)')
    .option('--internal-url <url>', 'where other processes reach this one (or TOOLYARD_INTERNAL_URL)')
    .option('--metrics', 'tell at /metrics how this process fares (or TOOLYARD_METRICS; default off)')
    .addOption(repeatable('--allow-host <name>', 'a further name this server is reached by'))
    .addOption(repeatable('--proxy-allow <origin>', 'where the MCP proxy may go, or "public" (the default)'))
    .option('--open', 'open the page in the browser')
    .addOption(repeatable('--mcp <command or url>', 'an MCP server; [name=] may stand before it'))
    .option('--mcp-config <file>', 'an mcp.json with servers, besides the one in the data folder')
    .option('--no-date', 'leave out the bundled date server');
  for (const [flags, description] of [
    ['--ui', 'serve the page (or TOOLYARD_UI; default on)'],
    ['--no-ui', 'serve the API only'],
    ['--ui-config <json>', 'settings of the page (or TOOLYARD_UI_CONFIG)'],
    ['--ui-config-file <file>', 'the same from a file (or TOOLYARD_UI_CONFIG_FILE)'],
    ['--ui-mcp-proxy', 'let the page reach MCP servers through this one (or TOOLYARD_UI_MCP_PROXY; default off)'],
    ['--no-ui-mcp-proxy', 'do not'],
  ] as const) {
    serve.addOption(new Option(flags, description));
    serve.addOption(new Option(flags.replace(/^--(no-)?ui/, '--$1webui')).hideHelp());
  }
  serve.addHelpText('after', OLDER_NAMES);
  serve.exitOverride().action(async (own: OwnFlags, command: Command) => {
    const { serveCommand } = await import('./serve-command.ts');
    invocation.exitCode = await serveCommand(invocation.io, { ...own, settings: givenFlags(command) });
  });
}

const OLDER_NAMES = `
Older names that still work, with a warning: --webui, --no-webui, --webui-config, --webui-config-file,
--webui-mcp-proxy; and of llama-server the variables LLAMA_ARG_UI, LLAMA_ARG_UI_CONFIG, LLAMA_ARG_UI_CONFIG_FILE and
LLAMA_ARG_UI_MCP_PROXY (or LLAMA_ARG_WEBUI...).`;

/** What was really typed, by name; commander's own defaults are not among it. */
function givenFlags(command: Command): Record<string, string | boolean> {
  const given: Record<string, string | boolean> = {};
  for (const option of command.options) {
    const key = option.attributeName();
    const value: unknown = command.getOptionValue(key);
    if (command.getOptionValueSource(key) !== 'cli') continue;
    if (typeof value === 'string' || typeof value === 'boolean') given[nameOf(option)] = value;
  }
  return given;
}

function nameOf(option: Option): string {
  return option.name().replace(/^no-/, '');
}
