import type { FunctionToolGroup } from '@toolyard/agent-host';
import { sandboxSupport } from '@toolyard/mcp-host/node';
import type { Clock, Owner } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import type { Servers } from '../services.ts';
import { SkillCopies } from './skills/skill-copies.ts';
import { createSkillSwitches } from './skills/skill-switches.ts';
import { createSkillTools, skillCopiesFolder } from './skills/skill-tools.ts';
import { Skills } from './skills/skills.ts';
import type { WebSettings } from './web/web-settings.ts';
import { createWebTools } from './web/web-tools.ts';
import { createCommandTools } from './workspace/command-tools.ts';
import { createFileTools } from './workspace/file-tools.ts';

type ServerToolsOptions = {
  webTools: WebSettings;
  skills: ServerSkillParts;
  owner: Owner;
  dataDir: string;
  clock: Clock;
};

type ServerSkillParts = { skills: Skills; copies: SkillCopies };

/** The skills of this server. Their tool is registered by {@link createServerTools}. */
export function createSkills(of: {
  settings: Pick<SettingsRepository, 'all' | 'set'>;
  dataDir: string;
  clock: Clock;
  servers: () => Pick<Servers, 'list' | 'skills' | 'skillFile'>;
}): ServerSkillParts {
  const copies = new SkillCopies(skillCopiesFolder());
  return { skills: new Skills({ ...of, switches: createSkillSwitches(of), copies }), copies };
}

/**
 * The built-in tools that need this server. All are off until a user enables them, except the one that reads the skills
 * that a user switched on.
 */
export async function createServerTools({ webTools, skills, owner, dataDir, clock }: ServerToolsOptions): Promise<{
  groups: FunctionToolGroup[];
  close(): Promise<void>;
}> {
  const web = createWebTools(webTools, owner);
  const hidden = [dataDir];
  // Commands of models never run without a sandbox.
  const hasSandbox = (await sandboxSupport()).kind !== 'none';
  const { group, skillFolders } = createSkillTools({ ...skills, owner });
  const commands = hasSandbox ? [createCommandTools({ hidden, clock, skillFolders })] : [];
  return { groups: [group, web, createFileTools(hidden), ...commands], close: () => web.close() };
}
