import { dirname, join } from 'node:path';
import type { FunctionToolGroup, ToolContext } from '@toolyard/agent-host';
import { defaultStateFolder } from '@toolyard/mcp-host/node';
import type { Owner } from '@toolyard/protocol';
import { messageOf, say } from '@toolyard/protocol';
import type { NamedSkillFolders } from '../workspace/command-tools.ts';
import { createToolFailedError } from '../workspace/workspace-path.ts';
import { createReadSkill } from './read-skill.ts';
import type { SkillCopies } from './skill-copies.ts';
import type { KnownSkill, Skills } from './skills.ts';

/** Beside the private home folders of sandboxed commands, which no command sees. */
export function skillCopiesFolder(): string {
  return join(dirname(defaultStateFolder()), 'skills');
}

type SkillToolsOptions = { skills: Pick<Skills, 'known'>; copies: SkillCopies; owner: Owner };

/** The tool that reads skills, and what the commands of a skill may read. */
export function createSkillTools({ skills, copies, owner }: SkillToolsOptions): {
  group: FunctionToolGroup;
  skillFolders: NamedSkillFolders;
} {
  async function skillsFor({ user, workspace, skills: ofRun }: ToolContext): Promise<readonly KnownSkill[]> {
    const hasServer = (id: string, enabled: boolean): boolean => ofRun?.servers.includes(id) ?? enabled;
    const principal = user === undefined ? owner : { ownerId: user };
    return (await skills.known(principal, { workspace, hasServer }, 'decided')).skills;
  }

  return {
    group: {
      id: 'skills',
      title: say`Skills`.text,
      needsSkills: true,
      tools: [createReadSkill({ skillsFor, copy: (skill, signal) => copies.write(skill, signal) })],
    },
    async skillFolders(texts, ctx) {
      // No skill is read for commands that name none.
      if (!texts.some((text) => text.includes(copies.folder))) return [];
      const named = (await skillsFor(ctx)).filter(
        (skill) => skill.state === 'on' && texts.some((text) => text.includes(copies.getFolder(skill))),
      );
      try {
        return await Promise.all(named.map((skill) => copies.write(skill, ctx.signal)));
      } catch (thrown) {
        ctx.signal.throwIfAborted();
        throw createToolFailedError(`The command was not started: ${messageOf(thrown)}`);
      }
    },
  };
}
