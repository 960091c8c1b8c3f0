import type { JsonObject } from '@toolyard/protocol';
import { BUDGETS, factsOf } from '../anthropic-messages/models-data.ts';
import { BEDROCK_TOOLS } from '../tool-schema/rules.ts';
import type { ChatRequest } from '../types.ts';
import type { OutgoingChat } from '../wire/dialect.ts';
import { nearestEffort } from '../wire/effort.ts';
import { historyMode, systemText, textModeSuffix } from '../wire/messages.ts';
import { replayedReasoning } from '../wire/replay.ts';
import { Settings } from '../wire/settings.ts';
import { withAcceptedRoles } from '../wire/system-role.ts';
import { createToolWriter } from '../wire/tool-function.ts';
import { withDistinctDocuments } from './content.ts';
import { turnsOf } from './messages.ts';

/** Optional features of this wire besides settings. */
export const OPTIONAL_FEATURES = { cachePoints: 'cachePoint' } as const;

const OWNED = ['messages', 'system', 'toolConfig', 'modelId'];

/** Output tokens reserved for the answer in addition to thinking. */
const ANSWER_ROOM = 8_192;

const CACHE_POINT = '{"cachePoint":{"type":"default"}}';

/** Builds a chat request. The body is JSON assembled from cached fragments. */
export function toOutgoing(request: ChatRequest, without: ReadonlySet<string>): OutgoingChat {
  const { model, toolMode, toolChoice } = request;
  // The API has no choice that forbids calls.
  const described = textModeSuffix(
    toolMode === 'native' && toolChoice === 'none' ? { ...request, toolMode: 'text' } : request,
  );
  const { messages, suffix } = withAcceptedRoles(request, without, described);
  const marks = /claude|nova/i.test(model) && !without.has(OPTIONAL_FEATURES.cachePoints);
  const turns = withDistinctDocuments(
    turnsOf(messages, { toolMode: historyMode(request), model, reasoning: replayedReasoning(without) }),
  );
  const userTurns = turns.flatMap(({ role }, at) => (role === 'user' ? [at] : []));
  const markedTurns = marks ? userTurns.slice(-2) : [];
  const contents = turns.map(({ role, blocks }, at) => {
    const content = markedTurns.includes(at) ? [...blocks, CACHE_POINT] : blocks;
    return `{"role":"${role}","content":[${content.join(',')}]}`;
  });
  const system = systemText(messages, suffix);
  const settings = settingsOf(request, without);
  const fields: JsonObject = {};
  if (Object.keys(settings.fields).length > 0) fields['inferenceConfig'] = settings.fields;
  const modelFields = modelFieldsOf(request, settings);
  if (Object.keys(modelFields).length > 0) fields['additionalModelRequestFields'] = modelFields;
  if (request.user !== undefined && !settings.isRefused('user') && /^[\w\s:@$#=/+,.-]{1,256}$/.test(request.user)) {
    fields['requestMetadata'] = { user: request.user };
    settings.sent.push({ name: 'user', field: 'requestMetadata' });
  }
  settings.addExtra(fields, request.parameters.extra, OWNED);
  const rest = [
    ...(system.trim() === ''
      ? []
      : [`"system":[${JSON.stringify({ text: system })}${marks ? `,${CACHE_POINT}` : ''}]`]),
    ...toolFields(request, settings, without),
    ...(Object.keys(fields).length > 0 ? [JSON.stringify(fields).slice(1, -1)] : []),
  ].map((field) => `,${field}`);
  const { sent, omittedSettings } = settings;
  return {
    path: `/model/${encodeURIComponent(model)}/converse-stream`,
    body: `{"messages":[${contents.join(',')}]${rest.join('')}}`,
    headers: { accept: 'application/vnd.amazon.eventstream' },
    sent,
    omittedSettings,
  };
}

function settingsOf(request: ChatRequest, without: ReadonlySet<string>): Settings {
  const { parameters, responseFormat, model } = request;
  const settings = new Settings('bedrock-converse', without);
  const isClaude = /claude/i.test(model);
  const thinks = isClaude && thinkingOf(request) !== null;
  settings.addPlain(
    parameters,
    isClaude && !factsOf(model).sampling ? ['temperature', 'topP'] : thinks ? ['temperature'] : [],
  );
  // A default of the API would cut longer answers.
  if (isClaude) settings.fields['maxTokens'] = maxTokens(request);
  if (responseFormat !== undefined) settings.leaveOut('responseFormat');
  return settings;
}

/** Thinking counts as output. The user's limit is for the answer; the thinking budget is added to it. */
function maxTokens(request: ChatRequest): number {
  const requested = request.parameters.maxOutputTokens;
  const budget = thinkingOf(request)?.budget ?? 0;
  if (requested !== undefined) return requested + budget;
  return Math.max(factsOf(request.model).maxTokens, budget === 0 ? 0 : budget + ANSWER_ROOM);
}

/** Fields of the model itself, which Converse passes on: the thinking of Claude. */
function modelFieldsOf(request: ChatRequest, settings: Settings): JsonObject {
  const { model, parameters } = request;
  if (parameters.reasoningEffort === undefined || settings.isRefused('reasoningEffort')) return {};
  const thinking = thinkingOf(request);
  if (thinking === null) {
    if (parameters.reasoningEffort !== 'none' && (!/claude/i.test(model) || factsOf(model).thinking === 'none'))
      settings.leaveOut('reasoningEffort');
    return {};
  }
  settings.sent.push({ name: 'reasoningEffort', field: 'thinking' });
  return thinking.fields;
}

/** Null if no thinking is requested, or the model has none. A forced tool call and thinking exclude each other. */
function thinkingOf({ model, parameters, ...request }: ChatRequest): { fields: JsonObject; budget: number } | null {
  const effort = parameters.reasoningEffort;
  const isForced = request.toolMode === 'native' && request.toolChoice !== 'auto' && request.toolChoice !== 'none';
  if (effort === undefined || effort === 'none' || isForced || !/claude/i.test(model)) return null;
  const facts = factsOf(model);
  switch (facts.thinking) {
    case 'none':
      return null;
    case 'adaptive': {
      const level = nearestEffort(effort, facts.efforts);
      const output = level === null ? {} : { output_config: { effort: level } };
      return { fields: { thinking: { type: 'adaptive', display: 'summarized' }, ...output }, budget: 0 };
    }
    case 'budget': {
      const budget = BUDGETS[effort];
      return { fields: { thinking: { type: 'enabled', budget_tokens: budget } }, budget };
    }
  }
}

const toolJson = createToolWriter(BEDROCK_TOOLS, ({ name, description, parameters }) => {
  // The API rejects an empty description.
  const described = description === undefined || description.trim() === '' ? {} : { description };
  return { toolSpec: { name, ...described, inputSchema: { json: parameters } } };
});

function toolFields(
  { tools, toolChoice, toolMode }: ChatRequest,
  settings: Settings,
  without: ReadonlySet<string>,
): string[] {
  if (toolMode === 'text' || tools.length === 0) return [];
  const list = `"tools":[${tools.map((tool) => toolJson(tool, without)).join(',')}]`;
  if (toolChoice === 'auto' || toolChoice === 'none' || settings.isRefused('toolChoice'))
    return [`"toolConfig":{${list}}`];
  settings.sent.push({ name: 'toolChoice', field: 'toolChoice' });
  const choice = toolChoice === 'required' ? { any: {} } : { tool: { name: toolChoice.name } };
  return [`"toolConfig":{${list},"toolChoice":${JSON.stringify(choice)}}`];
}
