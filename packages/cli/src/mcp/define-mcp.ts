import type { Command } from 'commander';
import { actions } from '../actions.ts';
import type { Invocation } from '../command-io.ts';
import { port, repeatable } from '../options.ts';
import { onServer, serverActions } from '../server/on-server.ts';
import type { McpContext, McpFlags } from './mcp-source.ts';

/** Fixed, because many authorization servers accept only registered redirect URLs. */
const SIGN_IN_PORT = 8_719;

const SERVER = 'name in mcp.json, URL, or quoted command';

/** Defines `toolyard mcp`. */
export function defineMcp(program: Command, invocation: Invocation): void {
  const mcp = program
    .command('mcp')
    .description('Configure, test and use MCP servers')
    .addHelpText(
      'after',
      `
Commands use the Toolyard server that runs with the data folder. If none is running, they start the servers of mcp.json
for this one command. A note on stderr says which.

Examples:
  toolyard mcp add files -- npx -y @modelcontextprotocol/server-filesystem /my/documents
  toolyard mcp add docs https://example.com/mcp --header 'Authorization: Bearer \${env:DOCS_KEY}'
  toolyard mcp add mail --hosted klavis:Gmail
  toolyard mcp test https://example.com/mcp
  toolyard mcp call date get-date --arg timezone=Europe/Berlin`,
    )
    .exitOverride();

  defineServerCommands(mcp, invocation);
  defineToolCommands(mcp, invocation);
  defineResourceAndPromptCommands(mcp, invocation);
  defineServeCommand(program, mcp, invocation);
}

function defineServerCommands(mcp: Command, invocation: Invocation): void {
  withSourceOptions(mcp.command('list').description('List servers with their state')).action(
    sourceActions(invocation, () => import('./list.ts'))((commands) => commands.listServers),
  );

  withTransportOptions(
    withSourceOptions(
      mcp
        .command('add')
        .argument('<name>')
        .argument('[URL or command...]', 'URL, or "--" and a command with its arguments')
        .description('Add a server to mcp.json and test it'),
    ),
  )
    .option('--hosted <service:server>', 'hosted server of a service, such as klavis:Gmail')
    .option('--api-key <key>', 'with --hosted: API key of the service (default: ${env:KLAVIS_API_KEY})')
    .option('--user <name>', 'with --hosted: user ID at the service')
    .option('--plugin', 'the URL is the manifest or OpenAPI document of a legacy chat plugin')
    .option('--disabled', 'add the server disabled')
    .option('--no-test', 'do not test the server')
    .action(sourceActions(invocation, () => import('./change.ts'))((commands) => commands.addServerCommand));

  withSourceOptions(mcp.command('remove').argument('<name>').description('Remove a server from mcp.json')).action(
    sourceActions(invocation, () => import('./change.ts'))((commands) => commands.removeServerCommand),
  );

  withSourceOptions(
    mcp
      .command('approve')
      .argument('<name>')
      .description('Show and approve a server that was added to or changed in mcp.json outside Toolyard'),
  )
    .option('--hash <hash>', 'approve the entry with this hash, without a prompt')
    .action(sourceActions(invocation, () => import('./approve.ts'))((commands) => commands.approveServer));

  onServer(mcp.command('unsandboxed').description('List enabled local servers without a sandbox'))
    .option('--confirm-auto', 'allow approval mode auto while these servers are enabled')
    .option('--yes', 'skip the confirmation prompt')
    .option('--json', 'print JSON')
    .action(serverActions(invocation, () => import('./unsandboxed.ts'))((commands) => commands.listUnsandboxed));

  withTransportOptions(
    withSourceOptions(
      mcp
        .command('test')
        .argument('<server...>', `${SERVER}; or "--" and a command with its arguments`)
        .description('Connect to a server and report timing, capabilities, token cost and problems'),
    ),
  ).action(actions(invocation, () => import('./run.ts'))((commands) => commands.testServerCommand));

  withSourceOptions(
    mcp
      .command('auth')
      .argument('<server>', 'name in mcp.json, or URL')
      .description('Sign in to a server (OAuth), or sign out'),
  )
    .option('--no-open', 'do not open a browser, only print the URL')
    .option('--sign-out', 'sign out instead')
    .option('--port <n>', 'port of the redirect URL if no Toolyard server is running', port, SIGN_IN_PORT)
    .action(targetActions(invocation, () => import('./auth.ts'))((commands) => commands.signInTo));

  withSourceOptions(mcp.command('log').argument('<server>', SERVER).description('Show the log of a server'))
    .option('--follow', 'keep printing new entries until Ctrl-C')
    .option('--no-wire', 'omit JSON-RPC messages')
    .action(targetActions(invocation, () => import('./log.ts'))((commands) => commands.showLog));
}

function defineToolCommands(mcp: Command, invocation: Invocation): void {
  const onOffers = targetActions(invocation, () => import('./offers.ts'));
  withSourceOptions(
    mcp.command('tools').argument('<server>', SERVER).description('List tools and their token cost'),
  ).action(onOffers((commands) => commands.listTools));

  withSourceOptions(
    mcp
      .command('call')
      .argument('<server>', SERVER)
      .argument('<tool>')
      .argument('[arguments]', 'arguments as JSON; "-" reads stdin')
      .description('Call a tool; exits with 1 if it fails'),
  )
    .addOption(repeatable('--arg <name=value>', 'argument'))
    .action(onOffers((commands) => commands.callTool));
}

function defineResourceAndPromptCommands(mcp: Command, invocation: Invocation): void {
  const onOffers = targetActions(invocation, () => import('./offers.ts'));
  const onAllOffers = sourceActions(invocation, () => import('./offers.ts'));
  withSourceOptions(
    mcp.command('resources').argument('<server>', SERVER).description('List resources and resource templates'),
  ).action(onOffers((commands) => commands.listResources));

  withSourceOptions(mcp.command('read').argument('<server>', SERVER).argument('<uri>').description('Read a resource'))
    .option('--output <file>', 'write to this file, which must not exist')
    .action(onOffers((commands) => commands.readResource));

  withSourceOptions(
    mcp.command('prompts').argument('[server]', SERVER).description('List prompts of all servers, or of one'),
  ).action((server: string | undefined, ...rest: unknown[]) =>
    server === undefined
      ? onAllOffers(
          ({ listPrompts }) =>
            (context, flags: McpFlags) =>
              listPrompts(context, undefined, flags),
        )(...rest)
      : onOffers((commands) => commands.listPrompts)(server, ...rest),
  );

  withSourceOptions(
    mcp
      .command('get')
      .argument('<server>', SERVER)
      .argument('<prompt>')
      .description('Get a prompt with its arguments filled in'),
  )
    .addOption(repeatable('--arg <name=value>', 'argument'))
    .action(onOffers((commands) => commands.getPrompt));

  withSourceOptions(
    mcp
      .command('complete')
      .argument('<server>', SERVER)
      .argument('<prompt or template>', 'prompt name or URI template')
      .argument('<argument>')
      .argument('[value]', 'start of the value', '')
      .description('Complete an argument of a prompt or template'),
  )
    .addOption(repeatable('--arg <name=value>', 'other argument with a value'))
    .action(onOffers((commands) => commands.completeArgument));
}

function defineServeCommand(program: Command, mcp: Command, invocation: Invocation): void {
  mcp
    .command('serve')
    .description('Run a bundled MCP server over stdio, or HTTP with --http')
    .addArgument(program.createArgument('<server>', 'bundled server').choices(['date']))
    .option('--http', 'serve Streamable HTTP on 127.0.0.1 instead of stdio')
    .option('--port <n>', 'with --http: port; 0 for any free port')
    .exitOverride()
    .action(actions(invocation, () => import('../mcp-serve.ts'))((commands) => commands.mcpServeCommand));
}

function withSourceOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--server [url]', 'use a running server (default: the server of the data folder)')
    .option('--standalone', 'start the servers for this command, even if a Toolyard server is running')
    .option('--token <text>', 'access token or API key of the server (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'data folder of mcp.json and the server (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}

function withTransportOptions(command: Command): Command {
  return command
    .addOption(repeatable('--header <name: value>', 'HTTP header for a remote server'))
    .addOption(repeatable('--env <NAME=value>', 'environment variable for a local server'))
    .option('--cwd <folder>', 'working folder of a local server')
    .addOption(repeatable('--read <path>', 'let a local server read this path'))
    .addOption(repeatable('--write <folder>', 'let a local server write to this folder'))
    .option('--network <on|off|hosts>', 'network access of a local server: on (default), off, or comma-separated hosts')
    .option('--no-sandbox', 'run a local server without a sandbox')
    .option('--sse', 'use the older HTTP+SSE transport')
    .option('--ws', 'use a WebSocket');
}

/** Actions of commands that use the configured servers. */
function sourceActions<Module>(invocation: Invocation, load: () => Promise<Module>) {
  const action = actions(invocation, load);
  return <Args extends unknown[]>(
    pick: (module: Module) => (mcp: McpContext, ...args: Args) => Promise<number | void>,
  ) =>
    action((module) => async (io, ...args: Args) => {
      const { withSource } = await import('./run.ts');
      return withSource(io, args.at(-1) as McpFlags, (mcp) => pick(module)(mcp, ...args));
    });
}

/** Actions of commands for one server, which their first argument names. */
function targetActions<Module>(invocation: Invocation, load: () => Promise<Module>) {
  const action = actions(invocation, load);
  return <Args extends unknown[]>(
    pick: (module: Module) => (mcp: McpContext, id: string, ...args: Args) => Promise<number | void>,
  ) =>
    action((module) => async (io, server: string, ...args: Args) => {
      const { withServer } = await import('./run.ts');
      return withServer(io, args.at(-1) as McpFlags, server, (mcp, id) => pick(module)(mcp, id, ...args));
    });
}
