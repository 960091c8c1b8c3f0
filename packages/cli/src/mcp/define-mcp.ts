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

/** The same each time: many sign-in servers know only the addresses that were registered with them. */
const SIGN_IN_PORT = 8_719;

const SERVER = 'its name in mcp.json, or an address or quoted command';

/** Defines `toolyard mcp ...`: what is configured, what servers offer, and the servers that come with Toolyard. */
export function defineMcp(program: Command, invocation: Invocation): void {
  const mcp = program
    .command('mcp')
    .description('MCP servers: configure them, try them, use what they offer')
    .addHelpText(
      'after',
      `
Where a Toolyard is running with the data folder, it is asked; else the servers of mcp.json are started for the
command alone. Which of the two is said on stderr.

Examples:
  toolyard mcp add files -- npx -y @modelcontextprotocol/server-filesystem /my/documents
  toolyard mcp add docs https://example.com/mcp --header 'Authorization: Bearer \${env:DOCS_KEY}'
  toolyard mcp add mail --hosted klavis:Gmail
  toolyard mcp test https://example.com/mcp
  toolyard mcp call date get-date --arg timezone=Europe/Berlin`,
    )
    .exitOverride();

  defineConfiguring(mcp, invocation);
  defineTools(mcp, invocation);
  defineResourcesAndPrompts(mcp, invocation);
  defineServing(program, mcp, invocation);
}

function defineConfiguring(mcp: Command, invocation: Invocation): void {
  const { io } = invocation;
  withSourceOptions(mcp.command('list').description('All servers and how they are')).action(async (flags: McpFlags) => {
    const { listServers } = await import('./list.ts');
    await exit(invocation, flags, (source) => listServers(io, source, flags));
  });

  reachedBy(
    withSourceOptions(
      mcp
        .command('add')
        .argument('<name>')
        .argument('[address or command...]', 'an address, or behind -- a program and its arguments')
        .description('Write a server to mcp.json and try it'),
    ),
  )
    .option('--hosted <service:server>', 'one that a service makes, such as klavis:Gmail')
    .option('--api-key <key>', 'with --hosted: the key of the service (default: ${env:KLAVIS_API_KEY})')
    .option('--user <name>', "with --hosted: for whom of the key's users it is made")
    .option('--disabled', 'switched off for now')
    .option('--no-test', 'do not try it')
    .action(async (name: string, words: string[], flags: McpFlags & AddFlags) => {
      const { addServerCommand } = await import('./change.ts');
      await exit(invocation, flags, (source, signal) =>
        addServerCommand(io, source, { id: name, words, signal }, flags),
      );
    });

  withSourceOptions(mcp.command('remove').argument('<name>').description('Take a server out of mcp.json')).action(
    async (name: string, flags: McpFlags) => {
      const { removeServerCommand } = await import('./change.ts');
      await exit(invocation, flags, (source) => removeServerCommand(io, source, name));
    },
  );

  withSourceOptions(
    mcp
      .command('approve')
      .argument('<name>')
      .description('Print what a local server that was written to mcp.json by other means starts, and approve it'),
  )
    .option('--hash <hash>', 'approve the text that was printed with this hash, without asking')
    .action(async (name: string, flags: McpFlags & ApproveFlags) => {
      const { approveServer } = await import('./approve.ts');
      await exit(invocation, flags, (source, signal) => approveServer(io, source, { id: name, signal }, flags));
    });

  onServer(
    mcp
      .command('unsandboxed')
      .description('List the enabled local servers of a running Toolyard that run without a sandbox'),
  )
    .option('--confirm-auto', 'confirm that approval mode auto counts beside them')
    .option('--yes', 'without asking')
    .option('--json', 'as JSON')
    .action(async (flags: ServerFlags & UnsandboxedFlags) => {
      const { listUnsandboxed } = await import('./unsandboxed.ts');
      invocation.exitCode = await listUnsandboxed(io, await clientOf(io, flags), flags);
    });

  reachedBy(
    withSourceOptions(
      mcp
        .command('test')
        .argument('<server...>', `${SERVER}; or behind -- a program and its arguments`)
        .description('Connect once and tell how it went, what the server offers and costs, and what is wrong with it'),
    ),
  ).action(async (words: string[], flags: McpFlags & TargetFlags) => {
    const { testServerCommand } = await import('./run.ts');
    invocation.exitCode = await testServerCommand(io, flags, words);
  });

  withSourceOptions(
    mcp
      .command('auth')
      .argument('<server>', 'its name in mcp.json, or an address')
      .description('Sign in to a server (OAuth)'),
  )
    .option('--no-open', 'do not open a browser, only print the address')
    .option('--out', 'sign out instead')
    .option('--port <n>', 'where you are sent back to while no Toolyard is running', port, SIGN_IN_PORT)
    .action(async (server: string, flags: AuthFlags) => {
      const { signInTo } = await import('./auth.ts');
      await exitOf(invocation, flags, server, (source, id, signal) => signInTo(io, source, { id, signal }, flags));
    });

  withSourceOptions(mcp.command('log').argument('<server>', SERVER).description('What happened with a server'))
    .option('--follow', 'and what goes on happening, until Ctrl-C')
    .option('--no-wire', 'without the messages that went over the wire')
    .action(async (server: string, flags: McpFlags & { follow?: boolean; wire?: boolean }) => {
      const { showLog } = await import('./log.ts');
      await exitOf(invocation, flags, server, (source, id, signal) => showLog(io, source, { id, signal }, flags));
    });
}

function defineTools(mcp: Command, invocation: Invocation): void {
  const { io } = invocation;
  withSourceOptions(
    mcp.command('tools').argument('<server>', SERVER).description('Its tools and what they cost'),
  ).action(async (server: string, flags: McpFlags) => {
    const { listTools } = await import('./offers.ts');
    await exitOf(invocation, flags, server, (source, id) => listTools(io, source, id, flags));
  });

  withSourceOptions(
    mcp
      .command('call')
      .argument('<server>', SERVER)
      .argument('<tool>')
      .argument('[arguments]', 'as JSON; "-" reads them from stdin')
      .description('Call a tool; 1 where it fails'),
  )
    .addOption(repeatable('--arg <name=value>', 'one argument'))
    .action(async (server: string, tool: string, json: string | undefined, flags: McpFlags & { arg: string[] }) => {
      const { callTool } = await import('./offers.ts');
      await exitOf(invocation, flags, server, (source, id, signal) =>
        callTool(io, source, { id, tool, json, args: flags.arg, signal }, flags),
      );
    });
}

function defineResourcesAndPrompts(mcp: Command, invocation: Invocation): void {
  const { io } = invocation;
  withSourceOptions(
    mcp.command('resources').argument('<server>', SERVER).description('Its resources, and the templates of others'),
  ).action(async (server: string, flags: McpFlags) => {
    const { listResources } = await import('./offers.ts');
    await exitOf(invocation, flags, server, (source, id) => listResources(io, source, id, flags));
  });

  withSourceOptions(mcp.command('read').argument('<server>', SERVER).argument('<uri>').description('Read a resource'))
    .option('--output <file>', 'a file that does not exist yet')
    .action(async (server: string, uri: string, flags: McpFlags & { output?: string }) => {
      const { readResource } = await import('./offers.ts');
      const { output } = flags;
      await exitOf(invocation, flags, server, (source, id, signal) =>
        readResource(io, source, { id, uri, output, signal }, flags),
      );
    });

  withSourceOptions(
    mcp.command('prompts').argument('[server]', SERVER).description('The prompts of all servers, or of one'),
  ).action(async (server: string | undefined, flags: McpFlags) => {
    const { listPrompts } = await import('./offers.ts');
    if (server === undefined) await exit(invocation, flags, (source) => listPrompts(io, source, undefined, flags));
    else await exitOf(invocation, flags, server, (source, id) => listPrompts(io, source, id, flags));
  });

  withSourceOptions(
    mcp.command('get').argument('<server>', SERVER).argument('<prompt>').description('Fill in a prompt'),
  )
    .addOption(repeatable('--arg <name=value>', 'one argument'))
    .action(async (server: string, name: string, flags: McpFlags & { arg: string[] }) => {
      const { getPrompt } = await import('./offers.ts');
      await exitOf(invocation, flags, server, (source, id, signal) =>
        getPrompt(io, source, { id, name, args: flags.arg, signal }, flags),
      );
    });

  withSourceOptions(
    mcp
      .command('complete')
      .argument('<server>', SERVER)
      .argument('<prompt or template>', 'what the argument is for')
      .argument('<argument>')
      .argument('[value]', 'what is there of it', '')
      .description('What an argument may become'),
  )
    .addOption(repeatable('--arg <name=value>', 'an argument that is filled in already'))
    .action(
      async (server: string, subject: string, argument: string, value: string, flags: McpFlags & { arg: string[] }) => {
        const { completeArgument } = await import('./offers.ts');
        await exitOf(invocation, flags, server, (source, id, signal) =>
          completeArgument(io, source, { id, subject, argument, value, others: flags.arg, signal }, flags),
        );
      },
    );
}

function defineServing(program: Command, mcp: Command, invocation: Invocation): void {
  mcp
    .command('serve')
    .description('Run an MCP server that comes with Toolyard, over stdio unless --http is given')
    .addArgument(program.createArgument('<server>', 'which one').choices(['date']))
    .option('--http', 'serve Streamable HTTP on 127.0.0.1 instead of stdio')
    .option('--port <n>', 'with --http: the port; 0 takes any free one')
    .exitOverride()
    .action(async (_server: 'date', options: { http?: boolean; port?: string }) => {
      const { mcpServeCommand } = await import('../mcp-serve.ts');
      invocation.exitCode = (await mcpServeCommand(options)) ?? invocation.exitCode;
    });
}

function withSourceOptions(command: Command): Command {
  return command
    .option('--json', 'as JSON')
    .option('--server [url]', 'ask this running server; without an address the one that has the data folder')
    .option('--alone', 'ask no running server')
    .option('--token <text>', 'its token (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'the data folder whose mcp.json or server is meant (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}

function reachedBy(command: Command): Command {
  return command
    .addOption(repeatable('--header <name: value>', 'sent to an address'))
    .addOption(repeatable('--env <NAME=value>', 'in the environment of a program'))
    .option('--cwd <folder>', 'where a program works')
    .addOption(repeatable('--read <path>', 'what a program may read in its sandbox'))
    .addOption(repeatable('--write <folder>', 'what a program may change in its sandbox'))
    .option('--network <on|off|hosts>', 'what a program may reach: on (default), off, or hosts with commas between')
    .option('--no-sandbox', 'run a program without a sandbox')
    .option('--sse', 'the address knows only the older HTTP+SSE')
    .option('--ws', 'the address is that of a WebSocket');
}

async function exit(invocation: Invocation, flags: McpFlags, work: SourceCommand): Promise<void> {
  const { withSource } = await import('./run.ts');
  invocation.exitCode = await withSource(invocation.io, flags, work);
}

async function exitOf(invocation: Invocation, flags: McpFlags, server: string, work: ServerCommand): Promise<void> {
  const { withServer } = await import('./run.ts');
  invocation.exitCode = await withServer(invocation.io, flags, server, work);
}
