import { defined } from '@toolyard/protocol';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Invocation } from '../command-io.ts';
import { clientOf, onServer } from './on-server.ts';
import type { RunFilters } from './runs.ts';
import type { ServerFlags } from './server-client.ts';
import type { UsageFlags } from './usage.ts';

/** Defines the commands that look into a running server, and those that look after its data folder. */
export function defineServerCommands(program: Command, invocation: Invocation): void {
  const { io } = invocation;
  const conversations = group(program, 'conversations', 'The conversations of a running server');
  onServer(conversations.command('list').description('The latest, pinned ones first'))
    .option('--search <words>', 'only those that hold these words')
    .option('--limit <n>', 'at most so many', '30')
    .option('--json', 'as JSON')
    .action(async (options: ServerFlags & { search?: string; limit: string; json?: boolean }) => {
      const { listConversations } = await import('./conversations.ts');
      await listConversations(io, await clientOf(io, options), options);
    });
  onServer(conversations.command('show').argument('<id>').description('What was said, on the current branch'))
    .option('--json', 'as JSON')
    .action(async (id: string, options: ServerFlags & { json?: boolean }) => {
      const { showConversation } = await import('./conversations.ts');
      await showConversation(io, await clientOf(io, options), id, options);
    });
  onServer(conversations.command('export').argument('<id>').description('The whole of it, to stdout or a file'))
    .addOption(new Option('--format <format>', 'how').choices(['json', 'markdown']).default('json'))
    .option('--output <file>', 'a file that does not exist yet')
    .action(async (id: string, options: ServerFlags & { format: 'json' | 'markdown'; output?: string }) => {
      const { exportConversation } = await import('./conversations.ts');
      await exportConversation(io, await clientOf(io, options), id, options);
    });

  const runs = group(program, 'runs', 'The runs of a running server');
  onServer(runs.command('list').description('The newest first'))
    .option('--status <states>', 'only those that stand so, such as failed or parked,running')
    .option('--conversation <id>', 'only those of this conversation')
    .option('--agent <id>', 'only those of this agent')
    .option('--limit <n>', 'at most so many', '30')
    .option('--json', 'as JSON')
    .action(async (options: ServerFlags & RunFilters) => {
      const { listRuns } = await import('./runs.ts');
      await listRuns(io, await clientOf(io, options), options);
    });
  onServer(runs.command('show').argument('<id>').description('How a run stands'))
    .option('--json', 'as JSON')
    .action(async (id: string, options: ServerFlags & { json?: boolean }) => {
      const { showRun } = await import('./runs.ts');
      await showRun(io, await clientOf(io, options), id, options);
    });
  onServer(runs.command('cancel').argument('<id>').description('Stop a run; what was said is kept')).action(
    async (id: string, options: ServerFlags) => {
      const { cancelRun } = await import('./runs.ts');
      await cancelRun(io, await clientOf(io, options), id);
    },
  );
  onServer(runs.command('steps').argument('<id>').description('What a run did, step by step'))
    .option('--json', 'as JSON, with arguments and results')
    .action(async (id: string, options: ServerFlags & { json?: boolean }) => {
      const { showSteps } = await import('./run-steps.ts');
      await showSteps(io, await clientOf(io, options), id, options);
    });
  onServer(
    runs
      .command('request')
      .argument('<id>')
      .argument('[step]', 'of this step (default: the last that asked a model)')
      .description('What a model was sent: instructions, messages, tools'),
  )
    .option('--json', 'as JSON, with what the tools take')
    .action(async (id: string, step: string | undefined, options: ServerFlags & { json?: boolean }) => {
      const { showRequest } = await import('./run-request.ts');
      await showRequest(io, await clientOf(io, options), { id, step }, options);
    });
  onServer(
    runs
      .command('resume')
      .argument('<id>')
      .description('Let a run go on that failed, was cancelled, or rests though its questions are answered'),
  )
    .option('--json', 'as JSON')
    .action(async (id: string, options: ServerFlags & { json?: boolean }) => {
      const { resumeRunCommand } = await import('./runs.ts');
      await resumeRunCommand(io, await clientOf(io, options), id, options);
    });
  onServer(runs.command('export').argument('<id>').description('Its steps and messages, to stdout or a file'))
    .addOption(new Option('--format <format>', 'how').choices(['json', 'markdown']).default('json'))
    .option('--output <file>', 'a file that does not exist yet')
    .action(async (id: string, options: ServerFlags & { format: 'json' | 'markdown'; output?: string }) => {
      const { exportRun } = await import('./runs.ts');
      await exportRun(io, await clientOf(io, options), id, options);
    });

  const usage = onServer(program.command('usage').description('What calls of models and tools came to'))
    .addOption(
      new Option('--by <what>', 'added up by')
        .choices(['day', 'model', 'agent', 'tool', 'conversation'])
        .default('day'),
    )
    .option('--from <day>', 'the first day, in UTC, such as 2026-11-01 (default: 30 days up to the last)')
    .option('--to <day>', 'the last day (default: today)')
    .option('--json', 'as JSON')
    .option('--csv', 'as a table for other programs')
    .action(async (options: ServerFlags & UsageFlags) => {
      const { usageCommand } = await import('./usage.ts');
      await usageCommand(io, await clientOf(io, options), options);
    });
  onServer(usage.command('budgets').description('What may be used, and what was of it'))
    .option('--conversation <id>', 'as they count for this conversation')
    .option('--json', 'as JSON')
    .action(async (_own: unknown, command: Command) => {
      const options = command.optsWithGlobals<ServerFlags & { conversation?: string; json?: boolean }>();
      const { budgetsCommand } = await import('./usage.ts');
      await budgetsCommand(io, await clientOf(io, options), options);
    });

  const db = group(program, 'db', 'What is kept: the data folder, or a PostgreSQL database');
  db.command('check')
    .description('Read everything through and tell what is wrong')
    .option('--data-dir <folder>', 'which one (or TOOLYARD_DATA_DIR)')
    .option('--database-url <url>', 'the database instead (better: DATABASE_URL)')
    .exitOverride()
    .action(async (options: { dataDir?: string; databaseUrl?: string }) => {
      const { checkCommand } = await import('./db.ts');
      invocation.exitCode = await checkCommand(io, options);
    });
  db.command('backup')
    .argument('<folder>', 'where to; it must not exist yet')
    .description('Copy it, also while a server is at work. The copy is a data folder: serve --data-dir <folder>')
    .option('--data-dir <folder>', 'which one (or TOOLYARD_DATA_DIR)')
    .option('--without-keys', 'leave out secret.key and secret.salt, with which the stored API keys are read')
    .exitOverride()
    .action(async (to: string, { withoutKeys, dataDir }: { dataDir?: string; withoutKeys?: boolean }) => {
      const { backupCommand } = await import('./db.ts');
      invocation.exitCode = await backupCommand(io, to, {
        keys: withoutKeys !== true,
        ...defined({ dataDir }),
      });
    });
  db.command('copy')
    .description(
      'Copy everything from a data folder to an empty PostgreSQL database, or back; no server may be at work',
    )
    .option('--to <url>', 'the database to copy the data folder to')
    .option('--data-dir <folder>', 'the data folder that is copied (or TOOLYARD_DATA_DIR)')
    .option('--from <url>', 'the database to copy from, with --to-dir')
    .option('--to-dir <folder>', 'the data folder that is to be made of it')
    .addHelpText('after', COPY_HELP)
    .exitOverride()
    .action(async (options: { to?: string; dataDir?: string; from?: string; toDir?: string }) => {
      const { copyCommand } = await import('./db-copy.ts');
      invocation.exitCode = await copyCommand(io, options);
    });
}

const COPY_HELP = `
What was broken off goes on where it was when the same command is given again. "-" for a url takes DATABASE_URL, so that
its password stands in no list of processes.`;

function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).exitOverride();
}
