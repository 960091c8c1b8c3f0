import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import { port, repeatable } from '../options.ts';
import type { ApproveFlags } from './approve.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { AuthFlags } from './auth.ts';
import type { AddFlags } from './change.ts';
import type { McpFlags } from './mcp-source.ts';
import type { SourceCommand, ServerCommand } from './run.ts';
import type { TargetFlags } from './target.ts';
import type { UnsandboxedFlags } from './unsandboxed.ts';

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
  const { io } = invocation;
  withSourceOptions(mcp.command('list').description('List servers with their state')).action(
    async (flags: McpFlags) => {
      const { listServers } = await import('./list.ts');
      await runWithSource(invocation, flags, (source) => listServers(io, source, flags));
    },
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
    .action(async (name: string, words: string[], flags: McpFlags & AddFlags) => {
      const { addServerCommand } = await import('./change.ts');
      await runWithSource(invocation, flags, (source, signal) =>
        addServerCommand(io, source, { id: name, words, signal }, flags),
      );
    });

  withSourceOptions(mcp.command('remove').argument('<name>').description('Remove a server from mcp.json')).action(
    async (name: string, flags: McpFlags) => {
      const { removeServerCommand } = await import('./change.ts');
      await runWithSource(invocation, flags, (source) => removeServerCommand(io, source, name));
    },
  );

  withSourceOptions(
    mcp
      .command('approve')
      .argument('<name>')
      .description('Show and approve a server that was added to or changed in mcp.json outside Toolyard'),
  )
    .option('--hash <hash>', 'approve the entry with this hash, without a prompt')
    .action(async (name: string, flags: McpFlags & ApproveFlags) => {
      const { approveServer } = await import('./approve.ts');
      await runWithSource(invocation, flags, (source, signal) =>
        approveServer(io, source, { id: name, signal }, flags),
      );
    });

  onServer(mcp.command('unsandboxed').description('List enabled local servers without a sandbox'))
    .option('--confirm-auto', 'allow approval mode auto while these servers are enabled')
    .option('--yes', 'skip the confirmation prompt')
    .option('--json', 'print JSON')
    .action(async (flags: ServerFlags & UnsandboxedFlags) => {
      const { listUnsandboxed } = await import('./unsandboxed.ts');
      invocation.exitCode = await listUnsandboxed(io, await clientOf(io, flags), flags);
    });

  withTransportOptions(
    withSourceOptions(
      mcp
        .command('test')
        .argument('<server...>', `${SERVER}; or "--" and a command with its arguments`)
        .description('Connect to a server and report timing, capabilities, token cost and problems'),
    ),
  ).action(async (words: string[], flags: McpFlags & TargetFlags) => {
    const { testServerCommand } = await import('./run.ts');
    invocation.exitCode = await testServerCommand(io, flags, words);
  });

  withSourceOptions(
    mcp
      .command('auth')
      .argument('<server>', 'name in mcp.json, or URL')
      .description('Sign in to a server (OAuth), or sign out'),
  )
    .option('--no-open', 'do not open a browser, only print the URL')
    .option('--sign-out', 'sign out instead')
    .option('--port <n>', 'port of the redirect URL if no Toolyard server is running', port, SIGN_IN_PORT)
    .action(async (server: string, flags: AuthFlags) => {
      const { signInTo } = await import('./auth.ts');
      await runWithServer(invocation, flags, server, (source, id, signal) =>
        signInTo(io, source, { id, signal }, flags),
      );
    });

  withSourceOptions(mcp.command('log').argument('<server>', SERVER).description('Show the log of a server'))
    .option('--follow', 'keep printing new entries until Ctrl-C')
    .option('--no-wire', 'omit JSON-RPC messages')
    .action(async (server: string, flags: McpFlags & { follow?: boolean; wire?: boolean }) => {
      const { showLog } = await import('./log.ts');
      await runWithServer(invocation, flags, server, (source, id, signal) =>
        showLog(io, source, { id, signal }, flags),
      );
    });
}

function defineToolCommands(mcp: Command, invocation: Invocation): void {
  const { io } = invocation;
  withSourceOptions(
    mcp.command('tools').argument('<server>', SERVER).description('List tools and their token cost'),
  ).action(async (server: string, flags: McpFlags) => {
    const { listTools } = await import('./offers.ts');
    await runWithServer(invocation, flags, server, (source, id) => listTools(io, source, id, flags));
  });

  withSourceOptions(
    mcp
      .command('call')
      .argument('<server>', SERVER)
      .argument('<tool>')
      .argument('[arguments]', 'arguments as JSON; "-" reads stdin')
      .description('Call a tool; exits with 1 if it fails'),
  )
    .addOption(repeatable('--arg <name=value>', 'argument'))
    .action(async (server: string, tool: string, json: string | undefined, flags: McpFlags & { arg: string[] }) => {
      const { callTool } = await import('./offers.ts');
      await runWithServer(invocation, flags, server, (source, id, signal) =>
        callTool(io, source, { id, tool, json, args: flags.arg, signal }, flags),
      );
    });
}

function defineResourceAndPromptCommands(mcp: Command, invocation: Invocation): void {
  const { io } = invocation;
  withSourceOptions(
    mcp.command('resources').argument('<server>', SERVER).description('List resources and resource templates'),
  ).action(async (server: string, flags: McpFlags) => {
    const { listResources } = await import('./offers.ts');
    await runWithServer(invocation, flags, server, (source, id) => listResources(io, source, id, flags));
  });

  withSourceOptions(mcp.command('read').argument('<server>', SERVER).argument('<uri>').description('Read a resource'))
    .option('--output <file>', 'write to this file, which must not exist')
    .action(async (server: string, uri: string, flags: McpFlags & { output?: string }) => {
      const { readResource } = await import('./offers.ts');
      const { output } = flags;
      await runWithServer(invocation, flags, server, (source, id, signal) =>
        readResource(io, source, { id, uri, output, signal }, flags),
      );
    });

  withSourceOptions(
    mcp.command('prompts').argument('[server]', SERVER).description('List prompts of all servers, or of one'),
  ).action(async (server: string | undefined, flags: McpFlags) => {
    const { listPrompts } = await import('./offers.ts');
    if (server === undefined)
      await runWithSource(invocation, flags, (source) => listPrompts(io, source, undefined, flags));
    else await runWithServer(invocation, flags, server, (source, id) => listPrompts(io, source, id, flags));
  });

  withSourceOptions(
    mcp
      .command('get')
      .argument('<server>', SERVER)
      .argument('<prompt>')
      .description('Get a prompt with its arguments filled in'),
  )
    .addOption(repeatable('--arg <name=value>', 'argument'))
    .action(async (server: string, name: string, flags: McpFlags & { arg: string[] }) => {
      const { getPrompt } = await import('./offers.ts');
      await runWithServer(invocation, flags, server, (source, id, signal) =>
        getPrompt(io, source, { id, name, args: flags.arg, signal }, flags),
      );
    });

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
    .action(
      async (server: string, subject: string, argument: string, value: string, flags: McpFlags & { arg: string[] }) => {
        const { completeArgument } = await import('./offers.ts');
        await runWithServer(invocation, flags, server, (source, id, signal) =>
          completeArgument(io, source, { id, subject, argument, value, others: flags.arg, signal }, flags),
        );
      },
    );
}

function defineServeCommand(program: Command, mcp: Command, invocation: Invocation): void {
  mcp
    .command('serve')
    .description('Run a bundled MCP server over stdio, or HTTP with --http')
    .addArgument(program.createArgument('<server>', 'bundled server').choices(['date']))
    .option('--http', 'serve Streamable HTTP on 127.0.0.1 instead of stdio')
    .option('--port <n>', 'with --http: port; 0 for any free port')
    .exitOverride()
    .action(async (_server: 'date', options: { http?: boolean; port?: string }) => {
      const { mcpServeCommand } = await import('../mcp-serve.ts');
      invocation.exitCode = (await mcpServeCommand(options)) ?? invocation.exitCode;
    });
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

async function runWithSource(invocation: Invocation, flags: McpFlags, work: SourceCommand): Promise<void> {
  const { withSource } = await import('./run.ts');
  invocation.exitCode = await withSource(invocation.io, flags, work);
}

async function runWithServer(
  invocation: Invocation,
  flags: McpFlags,
  server: string,
  work: ServerCommand,
): Promise<void> {
  const { withServer } = await import('./run.ts');
  invocation.exitCode = await withServer(invocation.io, flags, server, work);
}
