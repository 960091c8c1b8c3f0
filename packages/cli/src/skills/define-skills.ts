import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard skills`. */
export function defineSkills(program: Command, invocation: Invocation): void {
  const skills = program
    .command('skills')
    .description('List, show and switch Agent Skills of a running server')
    .exitOverride();
  const action = serverActions(invocation, () => import('./skills-command.ts'));

  withScope(
    skills.command('list').description('List skills by source with their state, and invalid ones with the reason'),
  )
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listSkills));

  withScope(named(skills.command('show')).description('Print a skill: its digest, files and SKILL.md'))
    .option('--file <path>', 'print this file of the skill')
    .option('--json', 'print JSON')
    .action(action((commands) => commands.showSkill));

  withScope(named(skills.command('on')).description('Switch a skill on as it is now, or confirm its change'))
    .option('--digest <digest>', 'only if the skill has this digest, as "toolyard skills show" printed it')
    .option('--json', 'print JSON')
    .action(action((commands) => commands.switchSkill(true)));

  withScope(named(skills.command('off')).description('Switch a skill off'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.switchSkill(false)));
}

function named(command: Command): Command {
  return command.argument('<name>', 'name or ID of the skill, see "toolyard skills list"');
}

function withScope(command: Command): Command {
  return onServer(command).option(
    '--conversation <id>',
    'with the workspace and servers of this conversation (default: those of new ones)',
  );
}
