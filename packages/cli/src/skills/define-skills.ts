import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { SkillFlags } from './skills-command.ts';

type Flags = ServerFlags & SkillFlags;

/** Defines `toolyard skills`. */
export function defineSkills(program: Command, io: CommandIo): void {
  const skills = program
    .command('skills')
    .description('List, show and switch Agent Skills of a running server')
    .exitOverride();

  withScope(
    skills.command('list').description('List skills by source with their state, and invalid ones with the reason'),
  )
    .option('--json', 'print JSON')
    .action(async (options: Flags) => {
      const { listSkills } = await import('./skills-command.ts');
      await listSkills(io, await clientOf(io, options), options);
    });

  withScope(named(skills.command('show')).description('Print a skill: its digest, files and SKILL.md'))
    .option('--file <path>', 'print this file of the skill')
    .option('--json', 'print JSON')
    .action(async (name: string, options: Flags & { file?: string }) => {
      const { showSkill } = await import('./skills-command.ts');
      await showSkill(io, await clientOf(io, options), name, options);
    });

  withScope(named(skills.command('on')).description('Switch a skill on as it is now, or confirm its change'))
    .option('--digest <digest>', 'only if the skill has this digest, as "toolyard skills show" printed it')
    .option('--json', 'print JSON')
    .action(async (name: string, options: Flags & { digest?: string }) => {
      const { switchSkill } = await import('./skills-command.ts');
      await switchSkill(io, await clientOf(io, options), name, { ...options, enabled: true });
    });

  withScope(named(skills.command('off')).description('Switch a skill off'))
    .option('--json', 'print JSON')
    .action(async (name: string, options: Flags) => {
      const { switchSkill } = await import('./skills-command.ts');
      await switchSkill(io, await clientOf(io, options), name, { ...options, enabled: false });
    });
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
