import { defined } from '@toolyard/protocol';
import type { Command } from 'commander';
import { Option } from 'commander';
import { actions } from '../actions.ts';
import type { Invocation } from '../command-io.ts';
import { openClient, onServer, serverActions } from './on-server.ts';
import type { ServerFlags } from './server-client.ts';

/** Defines the commands for conversations, runs, usage and the database. */
export function defineServerCommands(program: Command, invocation: Invocation): void {
  const { io } = invocation;
  const onConversations = serverActions(invocation, () => import('./conversations.ts'));
  const conversations = group(program, 'conversations', 'Manage conversations of a running server');
  onServer(conversations.command('list').description('List conversations, pinned and latest first'))
    .option('--search <words>', 'only conversations that contain these words')
    .option('--limit <n>', 'maximum number of results', '30')
    .option('--json', 'print JSON')
    .action(onConversations((commands) => commands.listConversations));
  onServer(conversations.command('show').argument('<id>').description('Print the messages of the current branch'))
    .option('--json', 'print JSON')
    .action(onConversations((commands) => commands.showConversation));
  onServer(conversations.command('export').argument('<id>').description('Export a conversation to stdout or a file'))
    .addOption(new Option('--format <format>', 'export format').choices(['json', 'markdown']).default('json'))
    .option('--output <file>', 'write to this file, which must not exist')
    .action(onConversations((commands) => commands.exportConversation));

  const onRuns = serverActions(invocation, () => import('./runs.ts'));
  const runs = group(program, 'runs', 'Manage runs of a running server');
  onServer(runs.command('list').description('List runs, newest first'))
    .option('--status <list>', 'only runs with one of these statuses, such as failed or parked,running')
    .option('--conversation <id>', 'only runs of this conversation')
    .option('--agent <id>', 'only runs of this agent')
    .addOption(
      new Option('--origin <origin>', 'only runs started by this').choices(['chat', 'sub_agent', 'schedule', 'api']),
    )
    .option('--waiting', 'only runs that wait for your answer')
    .option('--search <words>', 'only runs of conversations with these words')
    .option('--limit <n>', 'maximum number of results', '30')
    .option('--json', 'print JSON')
    .action(onRuns((commands) => commands.listRuns));
  onServer(runs.command('show').argument('<id>').description('Show the status of a run and the tree it belongs to'))
    .option('--json', 'print JSON')
    .action(onRuns((commands) => commands.showRun));
  onServer(runs.command('cancel').argument('<id>').description('Cancel a run; its messages are kept')).action(
    onRuns((commands) => commands.cancelRun),
  );
  onServer(runs.command('steps').argument('<id>').description('List the steps of a run'))
    .option('--json', 'print JSON, with arguments and results')
    .action(serverActions(invocation, () => import('./run-steps.ts'))((commands) => commands.showSteps));
  onServer(
    runs
      .command('request')
      .argument('<id>')
      .argument('[step]', 'step number (default: the last step with a model request)')
      .description('Show a model request of a run: instructions, messages, tools'),
  )
    .option('--json', 'print JSON, with the input schemas of the tools')
    .action(serverActions(invocation, () => import('./run-request.ts'))((commands) => commands.showRequest));
  onServer(
    runs
      .command('resume')
      .argument('<id>')
      .description('Resume a run that failed, was cancelled, or is parked with all its interrupts answered'),
  )
    .option('--json', 'print JSON')
    .action(onRuns((commands) => commands.resumeRunCommand));
  onServer(
    runs.command('export').argument('<id>').description('Export the steps and messages of a run to stdout or a file'),
  )
    .addOption(new Option('--format <format>', 'export format').choices(['json', 'markdown']).default('json'))
    .option('--output <file>', 'write to this file, which must not exist')
    .action(onRuns((commands) => commands.exportRun));

  const usage = onServer(program.command('usage').description('Show usage and cost of models and tools'))
    .addOption(
      new Option('--by <group>', 'group by').choices(['day', 'model', 'agent', 'tool', 'conversation']).default('day'),
    )
    .option('--from <day>', 'first day (UTC), such as 2026-11-01 (default: 29 days before --to)')
    .option('--to <day>', 'last day (UTC), inclusive (default: today)')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action(serverActions(invocation, () => import('./usage.ts'))((commands) => commands.usageCommand));
  onServer(usage.command('budgets').description('List budgets and how much of each is used'))
    .option('--conversation <id>', 'include the budgets of this conversation')
    .option('--json', 'print JSON')
    .action(async (_own: unknown, command: Command) => {
      const options = command.optsWithGlobals<ServerFlags & { conversation?: string; json?: boolean }>();
      const { budgetsCommand } = await import('./usage.ts');
      await budgetsCommand(io, await openClient(io, options), options);
    });

  const db = group(program, 'db', 'Check, back up and copy the data folder or database');
  db.command('check')
    .description('Check the stored data for corruption')
    .option('--data-dir <folder>', 'data folder (or TOOLYARD_DATA_DIR)')
    .option('--database-url <url>', 'check this PostgreSQL database instead (better: DATABASE_URL)')
    .exitOverride()
    .action(actions(invocation, () => import('./db.ts'))((commands) => commands.checkCommand));
  db.command('backup')
    .argument('<folder>', 'folder for the copy, which must not exist')
    .description('Back up the data folder, even while a server uses it')
    .option('--data-dir <folder>', 'data folder (or TOOLYARD_DATA_DIR)')
    .option(
      '--without-keys',
      'leave out secret.key and secret.salt, which decrypt the stored API keys, and the values in mcp.json',
    )
    .exitOverride()
    .action(async (to: string, { withoutKeys, dataDir }: { dataDir?: string; withoutKeys?: boolean }) => {
      const { backupCommand } = await import('./db.ts');
      invocation.exitCode = await backupCommand(io, to, {
        keys: withoutKeys !== true,
        ...defined({ dataDir }),
      });
    });
  db.command('copy')
    .description('Copy a data folder to an empty PostgreSQL database, or back; stop the server first')
    .option('--to <url>', 'PostgreSQL database to copy to')
    .option('--data-dir <folder>', 'with --to: data folder to copy from (or TOOLYARD_DATA_DIR)')
    .option('--from <url>', 'with --to-dir: PostgreSQL database to copy from')
    .option('--to-dir <folder>', 'with --from: new data folder to copy to')
    .addHelpText('after', COPY_HELP)
    .exitOverride()
    .action(actions(invocation, () => import('./db-copy.ts'))((commands) => commands.copyCommand));
}

const COPY_HELP = `
Run the same command again to continue an interrupted copy. Pass "-" as <url> to read it from DATABASE_URL, so that the
password does not appear in process lists.`;

function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).exitOverride();
}
