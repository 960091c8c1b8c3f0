import type { Command } from 'commander';
import { Option } from 'commander';
import type { Invocation } from '../command-io.ts';
import { positiveInteger, repeatable } from '../options.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard schedules`. */
export function defineSchedules(program: Command, invocation: Invocation): void {
  const schedules = program.command('schedules').description('Manage schedules of a running server').exitOverride();
  const action = serverActions(invocation, () => import('./schedules-command.ts'));

  onServer(schedules.command('list').description('List schedules by title, with the next time and the last outcome'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listSchedules));

  onServer(named(schedules.command('show')).description('Show a schedule'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.showSchedule));

  defineCreate(schedules, invocation);

  onServer(named(schedules.command('pause')).description('Pause a schedule')).action(
    action((commands) => commands.enableSchedule(false)),
  );

  onServer(named(schedules.command('resume')).description('Resume a schedule')).action(
    action((commands) => commands.enableSchedule(true)),
  );

  onServer(named(schedules.command('run')).description('Run the task of a schedule now'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.runSchedule));

  onServer(named(schedules.command('history')).description('List the last 100 times of a schedule, the latest first'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listFirings));

  onServer(named(schedules.command('delete')).description('Delete a schedule; its conversations are kept')).action(
    action((commands) => commands.deleteSchedule),
  );
}

function defineCreate(schedules: Command, invocation: Invocation): void {
  onServer(schedules.command('create').argument('<title>', 'title of the schedule').description('Create a schedule'))
    .requiredOption('--task <text>', 'message that each run starts with')
    .option('--cron <expression>', 'minute, hour, day, month and weekday; or six fields, the second first')
    .option('--at <time>', 'once, such as 2027-01-15T09:00:00+01:00')
    .option('--every <interval>', 'interval, such as 30s, 15m, 2h or 1d')
    .option('--time-zone <zone>', 'IANA name, such as Europe/Berlin (default: that of the server)')
    .option('--agent <agent>', 'name or ID of the agent that answers')
    .option('--model <model>', 'provider/model (default: that of the agent, or of new conversations)')
    .option('--conversation <id>', 'continue this conversation (default: a new one each time)')
    .option('--days <days>', 'only on these days, such as mon,tue,fri')
    .option('--hours <hours>', 'only from one hour to another, such as 8-18')
    .option('--max-per-day <number>', 'maximum per day', positiveInteger)
    .option('--max-total <number>', 'maximum in total', positiveInteger)
    .addOption(
      new Option('--missed <policy>', 'times at which Toolyard was not running').choices(['skip', 'once', 'all']),
    )
    .option('--missed-limit <number>', 'with --missed all: at most this many', positiveInteger)
    .addOption(
      new Option('--overlap <policy>', 'if the previous run is still active').choices(['skip', 'wait', 'parallel']),
    )
    .addOption(repeatable('--allow <server/tool>', 'tool that runs without approval, as it is defined now'))
    .option('--paused', 'create it paused')
    .option('--dry-run', 'print the next times, without creating it')
    .option('--json', 'print JSON')
    .action(serverActions(invocation, () => import('./schedules-command.ts'))((commands) => commands.createSchedule));
}

function named(command: Command): Command {
  return command.argument('<schedule>', 'title or ID of the schedule');
}
