import type { AgentConfiguration, AgentPartLeftOut, JsonObject, JsonValue, ToolyardError } from '@toolyard/protocol';
import { isJsonObject, messageOf, say } from '@toolyard/protocol';
import { agentExport } from '@toolyard/protocol/schemas';
import { createInvalidError } from '../errors.ts';
import { parseJsonBytes } from '../http/transport/body.ts';
import { issueSentence, plainZodError } from '../http/transport/plain-zod-error.ts';
import { isCharacterCard, readCharacterCard } from './character-card.ts';
import type { FileAgent } from './file-agent.ts';
import { lobeHubEntries, readLobeHubAgent } from './lobehub-agent.ts';
import { isPng, readPngTexts } from './png-text.ts';

/** The agents of a file; those that are invalid have their place and the reason. */
export type AgentFile = { agents: FileAgent[]; invalid: { at: string; problem: string }[] };

/** Keywords under which images contain a card, the newest version first. */
const CARD_KEYWORDS = ['ccv3', 'chara'];

/**
 * Reads the agents of a file: of Toolyard, of LobeHub, or a character card as JSON or PNG. The content decides, not the
 * name.
 *
 * @throws ToolyardError with the place of the fault if nothing of the file can be used
 */
export function readAgentFile(bytes: Uint8Array): AgentFile {
  const file = isPng(bytes) ? cardOfPng(bytes) : parseJsonBytes(bytes, 'the file');
  if (!isJsonObject(file)) throw createUnknownFileError();
  if (file['format'] === 'toolyard-agent') return { agents: [readOwn(file)], invalid: [] };
  if (isCharacterCard(file)) return { agents: [readCharacterCard(file)], invalid: [] };
  const entries = lobeHubEntries(file);
  if (entries === null) throw createUnknownFileError();
  if (entries.length === 0) throw createInvalidError(say`The file contains no agents.`);
  const agents: FileAgent[] = [];
  const invalid: AgentFile['invalid'] = [];
  for (const { at, value } of entries) {
    try {
      agents.push(readLobeHubAgent(value));
    } catch (thrown) {
      if (entries.length === 1) throw thrown;
      invalid.push({ at, problem: messageOf(thrown) });
    }
  }
  return { agents, invalid };
}

function cardOfPng(bytes: Uint8Array): JsonValue {
  const texts = readPngTexts(bytes);
  const text = CARD_KEYWORDS.map((keyword) => texts.get(keyword)).find((each) => each !== undefined);
  if (text === undefined) {
    throw createInvalidError(
      say`This PNG image contains no character card: it has no text chunk "chara" or "ccv3".`,
      say`Programs that convert or shrink images remove the card. Download the original file.`,
    );
  }
  const base64 = text.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw createInvalidError(say`The character card in this PNG image is not Base64.`);
  return parseJsonBytes(Buffer.from(base64, 'base64'), 'the character card');
}

function readOwn(file: JsonObject): FileAgent {
  if (typeof file['version'] === 'number' && file['version'] > 1) {
    throw createInvalidError(
      say`The file was written by a newer Toolyard (its version is ${file['version']}).`,
      say`Update Toolyard, then import it again.`,
    );
  }
  const read = agentExport.safeParse(file, { error: plainZodError });
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue === undefined ? '' : issue.path.map(String).join('.');
    throw createInvalidError(
      `${issueSentence(place === '' ? 'The file' : `"${place}"`, issue?.message ?? 'is invalid')}.`,
    );
  }
  const { title, profile, configuration } = read.data.agent;
  return { title, profile, ...withoutGrants(configuration) };
}

/**
 * The configuration without what only the user may decide on this server: tools that are on, calls that are allowed,
 * the approval mode, a folder, models of tasks, fields of requests. What restricts stays.
 */
function withoutGrants(configuration: AgentConfiguration): Pick<FileAgent, 'configuration' | 'leftOut'> {
  const {
    servers = {},
    interventionRules = [],
    intervention,
    workspace,
    presetTasks,
    parameters,
    ...rest
  } = configuration;
  const { extra, ...ownParameters } = parameters ?? {};
  const off = Object.entries(servers).filter(([, isOn]) => !isOn);
  const rules = interventionRules.filter(({ decision }) => decision !== 'allow');
  const dropped: Partial<Record<AgentPartLeftOut, boolean>> = {
    tools: off.length < Object.keys(servers).length,
    rules: rules.length < interventionRules.length,
    mode: intervention !== undefined && intervention !== 'manual',
    workspace: workspace !== undefined,
    'preset-tasks': presetTasks !== undefined,
    settings: extra !== undefined,
  };
  return {
    configuration: {
      ...rest,
      ...(off.length === 0 ? {} : { servers: Object.fromEntries(off) }),
      ...(rules.length === 0 ? {} : { interventionRules: rules }),
      ...(intervention === 'manual' ? { intervention } : {}),
      ...(Object.keys(ownParameters).length === 0 ? {} : { parameters: ownParameters }),
    },
    leftOut: Object.entries(dropped).flatMap(([part, isDropped]) => (isDropped ? [part as AgentPartLeftOut] : [])),
  };
}

function createUnknownFileError(): ToolyardError {
  return createInvalidError(
    say`This file is not an agent.`,
    say`Import an agent exported from Toolyard or LobeHub, or a character card as JSON or PNG.`,
  );
}
