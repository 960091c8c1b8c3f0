import type { AgentConfiguration, AgentProfile, ConversationExample, JsonObject } from '@toolyard/protocol';
import { isJsonObject, say } from '@toolyard/protocol';
import { createInvalidError } from '../errors.ts';
import type { FileAgent } from './file-agent.ts';
import { FileAgentReader, readList, readObject, readText } from './file-agent.ts';

const SPECS: ReadonlySet<unknown> = new Set(['chara_card_v2', 'chara_card_v3']);

/** True for a character card of version 1, 2 or 3. */
export function isCharacterCard(file: JsonObject): boolean {
  if (typeof file['spec'] === 'string') return file['spec'].startsWith('chara_card');
  const isText = (name: string): boolean => typeof file[name] === 'string';
  return isText('name') && (isText('first_mes') || isText('mes_example') || isText('personality'));
}

/**
 * Reads a character card. Version 1 has its fields at the top, later versions in `data`. Sources: the specifications
 * `chara_card_v2` and `chara_card_v3`.
 */
export function readCharacterCard(file: JsonObject): FileAgent {
  const { spec } = file;
  if (spec !== undefined && !SPECS.has(spec)) {
    throw createInvalidError(
      say`"spec": this version of character cards is not supported (${JSON.stringify(spec).slice(0, 60)}).`,
    );
  }
  if (spec !== undefined && !isJsonObject(file['data'])) throw createInvalidError(say`"${'data'}" must be an object.`);
  const card = spec === undefined ? file : readObject(file['data']);
  if (typeof card['name'] !== 'string')
    throw createInvalidError(say`"${spec === undefined ? 'name' : 'data.name'}" must be a string.`);

  const reader = new FileAgentReader();
  // Card sites write blank names: no text may have a hole in the place of the name.
  const nickname = readText(card['nickname']).trim();
  const name = card['name'].trim() || nickname || 'Unnamed character';
  const character = nickname || name;
  const text = (field: string, user: string): string => named(readText(card[field]), character, user).trim();
  reader.leaveOut('lorebook', readList(readObject(card['character_book'])['entries']).length > 0);
  reader.leaveOut('greetings', readList(card['alternate_greetings']).length > 0);
  reader.leaveOut('instructions-after-history', text('post_history_instructions', '') !== '');
  const profile = reader.profile({
    description: text('creator_notes', 'you'),
    tags: card['tags'],
    openingMessage: text('first_mes', 'you'),
  });
  const instructions = [
    text('system_prompt', 'the user')
      .replaceAll(/\{\{original\}\}/gi, '')
      .trim() || `You are ${character}.`,
    text('description', 'the user'),
    labelled('Personality', text('personality', 'the user')),
    labelled('Scenario', text('scenario', 'the user')),
  ];
  return reader.finish(name, profile, {
    instructions: instructions
      .filter((part) => part !== '')
      .join('\n\n')
      .toWellFormed(),
    ...reader.examples(readDialogues(readText(card['mes_example']), character)),
  });
}

/** A card of version 3 that other programs can read. What it cannot express is left out. */
export function writeCharacterCard(agent: {
  title: string;
  profile: AgentProfile;
  configuration: AgentConfiguration;
}): JsonObject {
  const { title, profile, configuration } = agent;
  const { examples = [] } = configuration;
  const dialogues = examples.map(({ question, answer }) => `<START>\n{{user}}: ${question}\n{{char}}: ${answer}`);
  return {
    spec: 'chara_card_v3',
    spec_version: '3.0',
    data: {
      name: title,
      description: '',
      personality: '',
      scenario: '',
      first_mes: profile.openingMessage ?? '',
      mes_example: dialogues.join('\n'),
      creator_notes: profile.description ?? '',
      system_prompt: configuration.instructions ?? '',
      post_history_instructions: '',
      alternate_greetings: [],
      group_only_greetings: [],
      tags: profile.tags ?? [],
      creator: '',
      character_version: '',
      extensions: {},
    },
  };
}

function named(text: string, character: string, user: string): string {
  return text
    .replaceAll(/\{\{char\}\}|<BOT>|<CHAR>/gi, () => character)
    .replaceAll(/\{\{user\}\}|<USER>/gi, () => user);
}

function labelled(label: string, text: string): string {
  return text === '' ? '' : `${label}: ${text}`;
}

/** Pairs of a question and its answer from the example dialogues; lines without a speaker continue the last one. */
function readDialogues(text: string, character: string): ConversationExample[] {
  const pairs: ConversationExample[] = [];
  let question = '';
  let answer = '';
  let speaker: 'user' | 'character' | null = null;
  const close = (): void => {
    if (question.trim() !== '' && answer.trim() !== '') {
      const [asked, said] = [question, answer].map((each) => named(each.trim(), character, 'you').toWellFormed());
      pairs.push({ question: asked ?? '', answer: said ?? '' });
    }
    [question, answer, speaker] = ['', '', null];
  };
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*<START>\s*$/i.test(line)) {
      close();
      continue;
    }
    const spoken = readSpeaker(line, character);
    if (spoken?.by === 'user' && speaker === 'character') close();
    speaker = spoken?.by ?? speaker;
    const words = spoken?.text ?? line;
    if (speaker === 'user') question += `${words}\n`;
    if (speaker === 'character') answer += `${words}\n`;
  }
  close();
  return pairs;
}

function readSpeaker(line: string, character: string): { by: 'user' | 'character'; text: string } | null {
  const colon = line.indexOf(':');
  if (colon < 0) return null;
  const name = line.slice(0, colon).trim();
  const text = line.slice(colon + 1).trim();
  if (/^(?:\{\{user\}\}|<user>)$/i.test(name)) return { by: 'user', text };
  return /^(?:\{\{char\}\}|<bot>|<char>)$/i.test(name) || name === character ? { by: 'character', text } : null;
}
