import type { FunctionToolGroup } from '@toolyard/agent-host';
import { GROUP_TOOLS, SUB_AGENT_TOOLS } from '@toolyard/agent-host';
import { sandboxSupport } from '@toolyard/mcp-host/node';
import type { Clock, IdSource, Owner } from '@toolyard/protocol';
import type { SettingsRepository, SharedStorage } from '@toolyard/storage';
import { createHttpModelCalls } from '../http/routes/model-calls.ts';
import type { CallPolicy } from '../models/call-limit.ts';
import { createModelCalls } from '../models/model-calls.ts';
import type { Configurations, LiveHub, Models } from '../services.ts';
import type { SkillServers } from './skills/server-skills.ts';
import { createArtifactStore } from './artifacts/artifact-store.ts';
import { createArtifactTools } from './artifacts/artifact.ts';
import type { MediaSettings } from './media/media-settings.ts';
import { createMediaTools } from './media/media-tools.ts';
import { createMemoryTools } from './memory/memory-tools.ts';
import type { Schedules } from '../schedules/schedules.ts';
import { createScheduleTools } from './schedules/schedule-tools.ts';
import { SkillCopies } from './skills/skill-copies.ts';
import { createSkillSwitches } from './skills/skill-switches.ts';
import { createSkillTools, skillCopiesFolder } from './skills/skill-tools.ts';
import { Skills } from './skills/skills.ts';
import type { WebSettings } from './web/web-settings.ts';
import { createWebTools } from './web/web-tools.ts';
import { createCommandTools } from './workspace/command-tools.ts';
import { createFileTools } from './workspace/file-tools.ts';

export type ServerToolsOptions = {
  webTools: WebSettings;
  mediaTools: MediaSettings;
  skills: ServerSkillParts;
  /** Created after the tools. */
  schedules: () => Pick<Schedules, 'create' | 'get' | 'list'>;
  storage: SharedStorage;
  models: Models;
  configurations: Configurations;
  /** Limits model calls outside of the loop of runs. */
  callPolicy: CallPolicy;
  hub: LiveHub;
  owner: Owner;
  dataDir: string;
  clock: Clock;
  ids: IdSource;
  log: (line: string) => void;
};

type ServerSkillParts = { skills: Skills; copies: SkillCopies };

/** The skills of this server. Their tool is registered by {@link createServerTools}. */
export function createSkills(of: {
  settings: Pick<SettingsRepository, 'all' | 'set'>;
  dataDir: string;
  clock: Clock;
  servers: () => SkillServers;
}): ServerSkillParts {
  const copies = new SkillCopies(skillCopiesFolder());
  return { skills: new Skills({ ...of, switches: createSkillSwitches(of), copies }), copies };
}

/**
 * The built-in tools that need this server. All are off until a user enables them, except documents and the tool that
 * reads the skills that a user switched on.
 */
export async function createServerTools(options: ServerToolsOptions): Promise<{
  groups: FunctionToolGroup[];
  close(): Promise<void>;
}> {
  const { webTools, mediaTools, skills, schedules, storage, models, callPolicy, hub, owner, dataDir, clock, ids } =
    options;
  const artifacts = createArtifactTools(createArtifactStore({ storage, hub, clock }), owner);
  const memory = createMemoryTools({ storage, owner, hub, clock, ids });
  const planned = createScheduleTools({ schedules, storage, owner });
  const media = createMediaTools({
    settings: mediaTools,
    calls: createHttpModelCalls(options),
    uncountedCalls: createModelCalls({ models, blobs: storage.blobs, clock, policy: callPolicy }),
    models,
    blobs: storage.blobs,
    owner,
    clock,
  });
  const web = createWebTools(webTools, owner);
  const hidden = [dataDir];
  // Commands of models never run without a sandbox.
  const hasSandbox = (await sandboxSupport()).kind !== 'none';
  const { group: reader, skillFolders } = createSkillTools({ ...skills, owner });
  const commands = hasSandbox ? [createCommandTools({ hidden, clock, skillFolders })] : [];
  const groups = [
    artifacts,
    memory,
    planned,
    media,
    SUB_AGENT_TOOLS,
    GROUP_TOOLS,
    reader,
    web,
    createFileTools(hidden),
    ...commands,
  ];
  return { groups, close: () => web.close() };
}
