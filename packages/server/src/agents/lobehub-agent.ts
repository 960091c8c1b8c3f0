import type { AgentConfiguration, AgentProfile, ConversationExample, JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject, say } from '@toolyard/protocol';
import { agentConfiguration } from '@toolyard/protocol/schemas';
import { createInvalidError } from '../errors.ts';
import type { FileAgent } from './file-agent.ts';
import { FileAgentReader, readList, readNumber, readObject, readText } from './file-agent.ts';

/** An agent of a file, with its place there. */
export type LobeHubEntry = { at: string; value: JsonValue };

/**
 * The agents of a file of LobeHub: one agent (also as its agent index publishes it), an export of sessions, or an
 * export of the database. Null for any other file.
 */
export function lobeHubEntries(file: JsonObject): LobeHubEntry[] | null {
  const state = readObject(file['state']);
  const sessions = entriesIn(state['sessions'], 'state.sessions') ?? entriesIn(state['agents'], 'state.agents');
  if (sessions) return sessions.filter(({ value }) => readObject(value)['type'] !== 'group');
  const rows = entriesIn(readObject(file['data'])['agents'], 'data.agents');
  if (rows) return rows;
  const isAgent = isJsonObject(file['config']) || typeof file['systemRole'] === 'string';
  return isAgent ? [{ at: '', value: file }] : null;
}

/** @throws ToolyardError if it is not an agent */
export function readLobeHubAgent(value: JsonValue): FileAgent {
  if (!isJsonObject(value)) throw createInvalidError(say`An agent must be an object.`);
  const { config = value, meta = value } = value;
  if (!isJsonObject(config)) throw createInvalidError(say`"${'config'}" must be an object.`);
  if (!isJsonObject(meta)) throw createInvalidError(say`"${'meta'}" must be an object.`);
  const reader = new FileAgentReader();
  const chat = readObject(config['chatConfig'] ?? config);
  reader.leaveOut('tools', readList(config['plugins']).length > 0);
  reader.leaveOut('knowledge', readList(config['knowledgeBases']).length > 0 || readList(config['files']).length > 0);
  const profile = reader.profile({ ...meta, ...pickTexts(config, 'openingMessage', 'openingQuestions') });
  const template = readText(chat['inputTemplate']);
  const instructions = readText(config['systemRole']).toWellFormed();
  const configuration: AgentConfiguration = {
    ...(instructions === '' ? {} : { instructions }),
    ...readModel(config),
    ...readParameters(readObject(config['params']), chat, reader),
    ...(chat['enableHistoryCount'] === false ? {} : readHistory(chat['historyCount'])),
    ...(template === '' ? {} : { inputTemplate: template }),
    ...reader.examples(readPairs(config['fewShots'] ?? value['examples'])),
  };
  return reader.finish(readText(meta['title']), profile, configuration);
}

/** The format of the agent index; tools, rules and budgets have no counterpart there. */
export function writeLobeHubAgent(agent: {
  id: string;
  title: string;
  profile: AgentProfile;
  configuration: AgentConfiguration;
  createdAt: number;
}): JsonObject {
  const { id, title, profile, configuration, createdAt } = agent;
  const { model, parameters = {}, historyMessages, inputTemplate, examples = [] } = configuration;
  const chatConfig = defined({
    inputTemplate,
    ...(historyMessages === undefined ? {} : { enableHistoryCount: true, historyCount: historyMessages }),
    ...(parameters.maxOutputTokens === undefined ? {} : { enableMaxTokens: true }),
    ...(parameters.reasoningEffort === undefined ? {} : { enableReasoningEffort: true }),
  });
  const params = defined({
    temperature: parameters.temperature,
    top_p: parameters.topP,
    presence_penalty: parameters.presencePenalty,
    frequency_penalty: parameters.frequencyPenalty,
    max_tokens: parameters.maxOutputTokens,
    reasoning_effort: parameters.reasoningEffort,
  });
  return {
    identifier: id,
    schemaVersion: 1,
    createdAt: new Date(createdAt).toISOString().slice(0, 10),
    author: '',
    homepage: '',
    meta: {
      title,
      description: profile.description ?? '',
      avatar: profile.avatar ?? '🤖',
      tags: profile.tags ?? [],
    },
    config: {
      systemRole: configuration.instructions ?? '',
      ...(model === undefined ? {} : { model: model.modelId, provider: model.providerId }),
      ...defined({ openingMessage: profile.openingMessage, openingQuestions: profile.openingQuestions }),
      chatConfig,
      params,
      fewShots: examples.flatMap(({ question, answer }) => [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ]),
    },
  };
}

function entriesIn(list: unknown, at: string): LobeHubEntry[] | null {
  return Array.isArray(list) ? readList(list).map((value, index) => ({ at: `${at}.${index}`, value })) : null;
}

function pickTexts(from: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (from[name] == null ? [] : [[name, from[name]]])));
}

function readModel(config: JsonObject): Pick<AgentConfiguration, 'model'> {
  const modelId = readText(config['model']);
  const providerId = readText(config['provider']);
  return modelId === '' || providerId === '' ? {} : { model: { providerId, modelId } };
}

/** Values that this program does not accept are left out. */
function readParameters(
  params: JsonObject,
  chat: JsonObject,
  reader: FileAgentReader,
): Pick<AgentConfiguration, 'parameters'> {
  const effort = params['reasoning_effort'];
  const values = defined({
    temperature: readNumber(params['temperature']),
    topP: readNumber(params['top_p']),
    presencePenalty: readNumber(params['presence_penalty']),
    frequencyPenalty: readNumber(params['frequency_penalty']),
    maxOutputTokens: chat['enableMaxTokens'] === false ? undefined : readNumber(params['max_tokens']),
    reasoningEffort: chat['enableReasoningEffort'] === false ? undefined : effort,
  });
  const accepted = Object.entries(values).filter(
    ([name, value]) => agentConfiguration.safeParse({ parameters: { [name]: value } }).success,
  );
  reader.leaveOut('settings', accepted.length < Object.keys(values).length);
  return accepted.length === 0 ? {} : { parameters: Object.fromEntries(accepted) };
}

function readHistory(count: unknown): Pick<AgentConfiguration, 'historyMessages'> {
  return Number.isSafeInteger(count) && Number(count) >= 1 ? { historyMessages: Number(count) } : {};
}

/** Each question with the answer right after it. */
function readPairs(messages: unknown): ConversationExample[] {
  const list = readList(messages).map(readObject);
  return list.flatMap(({ role, content }, at) => {
    const next = list[at + 1];
    if (role !== 'user' || next?.['role'] !== 'assistant') return [];
    const [question, answer] = [readText(content), readText(next['content'])];
    return question.trim() === '' || answer.trim() === ''
      ? []
      : [{ question: question.toWellFormed(), answer: answer.toWellFormed() }];
  });
}
