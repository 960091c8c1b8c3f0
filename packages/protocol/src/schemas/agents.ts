import { z } from 'zod';
import { isEmoji } from '../emoji.ts';
import { clientId, jsonObject, named, namedObject, createPageSchema, timestamp, titleText } from './common.ts';
import { agentConfiguration } from './configuration.ts';

/** Characters of one emoji with its modifiers. */
const MAX_AVATAR = 40;

export const agentProfile = namedObject('AgentProfile', {
  /** One emoji. */
  avatar: z.string().max(MAX_AVATAR).refine(isEmoji, 'expected one emoji').exactOptional(),
  /** What it does, in a sentence. */
  description: z.string().max(2_000).exactOptional(),
  tags: z.array(z.string().min(1).max(60)).max(20).exactOptional(),
  /** Shown in an empty chat; models do not receive it. */
  openingMessage: z.string().max(20_000).exactOptional(),
  /** Buttons in an empty chat, each of which sends its text. */
  openingQuestions: z.array(z.string().min(1).max(1_000)).max(10).exactOptional(),
});
/** How an agent is presented. Nothing in it affects a run. */
export type AgentProfile = z.output<typeof agentProfile>;

export const agentView = namedObject('AgentView', {
  id: z.string(),
  /** Empty: it has no name yet. */
  title: z.string(),
  profile: agentProfile,
  configuration: agentConfiguration,
  version: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type AgentView = z.output<typeof agentView>;
export const agentPage = createPageSchema('AgentPage', agentView);

export const createAgentBody = namedObject('CreateAgent', {
  id: clientId.exactOptional(),
  title: titleText,
  profile: agentProfile.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
});
export type CreateAgent = z.output<typeof createAgentBody>;
export const changeAgentBody = namedObject('ChangeAgent', {
  version: z.int().positive().describe('The version that the client read; an older one is rejected'),
  title: titleText.exactOptional(),
  /** Replaces the whole profile. */
  profile: agentProfile.exactOptional(),
  /** Replaces the whole configuration. */
  configuration: agentConfiguration.exactOptional(),
});
export type ChangeAgent = z.output<typeof changeAgentBody>;

export const agentFormat = z.enum(['toolyard', 'lobehub', 'character-card']);
/** The file formats of agents that Toolyard writes. It reads these, and character cards in PNG images. */
export type AgentFormat = z.output<typeof agentFormat>;

export const agentExport = namedObject('AgentExport', {
  format: z.literal('toolyard-agent'),
  version: z.literal(1),
  exportedAt: timestamp,
  agent: z.strictObject({ title: titleText, profile: agentProfile, configuration: agentConfiguration }),
});
/** An agent as a file. */
export type AgentExport = z.output<typeof agentExport>;

/** A file in any of the formats. */
export const exportedAgent = named('ExportedAgent', z.union([agentExport, jsonObject]));

const leftOut = z.enum([
  'tools',
  'rules',
  'mode',
  'workspace',
  'preset-tasks',
  'model',
  'avatar',
  'lorebook',
  'greetings',
  'instructions-after-history',
  'knowledge',
  'settings',
  'too-long',
]);
/**
 * What an import did not take over.
 * - `tools`, `rules`, `mode`, `workspace`: a file does not switch on tools, allow calls or choose a folder
 * - `preset-tasks`, `model`: models that this server does not have
 * - `avatar`: an image instead of an emoji
 * - `lorebook`, `greetings`, `instructions-after-history`: parts of a character card without a counterpart
 * - `knowledge`, `settings`: files and settings of the other program
 * - `too-long`: texts that were shortened, or of which there were too many
 */
export type AgentPartLeftOut = z.output<typeof leftOut>;

export const importedAgents = namedObject('ImportedAgents', {
  agents: z.array(z.strictObject({ agent: agentView, leftOut: z.array(leftOut) })),
  /** Agents of the file that are invalid; the others were imported. */
  invalid: z.array(z.strictObject({ at: z.string(), problem: z.string() })),
});
export type ImportedAgents = z.output<typeof importedAgents>;
