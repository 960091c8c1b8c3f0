import type { JsonObject } from '@toolyard/protocol';
import { getModelTraits } from '../anthropic-messages/models-data.ts';
import { maxTokens, toThinking, type Thinking } from '../anthropic-messages/thinking.ts';
import { BEDROCK_TOOLS } from '../tool-schema/rules.ts';
import type { ChatRequest } from '../types.ts';
import type { OutgoingChat } from '../wire/dialect.ts';
import { nearestEffort } from '../wire/effort.ts';
import { historyMode, systemText, textModeSuffix } from '../wire/messages.ts';
import { replayedReasoning } from '../wire/replay.ts';
import { Settings } from '../wire/settings.ts';
import { withAcceptedRoles } from '../wire/system-role.ts';
import { createToolWriter } from '../wire/tool-function.ts';
import { turnsJson } from '../wire/turns.ts';
import { withDistinctDocuments } from './content.ts';
import { turnsOf } from './messages.ts';

/** Optional features of this wire besides settings. */
export const OPTIONAL_FEATURES = { cachePoints: 'cachePoint' } as const;

const OWNED = ['messages', 'system', 'toolConfig', 'modelId'];

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
  const system = systemText(messages, suffix);
  const settings = toSettings(request, without);
  const fields: JsonObject = {};
  if (Object.keys(settings.fields).length > 0) fields['inferenceConfig'] = settings.fields;
  const modelFields = toModelFields(request, settings);
  if (Object.keys(modelFields).length > 0) fields['additionalModelRequestFields'] = modelFields;
  const { user } = request;
  if (user !== undefined && /^[\w\s:@$#=/+,.-]{1,256}$/.test(user))
    settings.addInside(fields, 'requestMetadata', { user }, 'user', 'requestMetadata');
  settings.addExtra(fields, request.parameters.extra, OWNED);
  const rest = [
    ...(system.trim() === ''
      ? []
      : [`"system":[${JSON.stringify({ text: system })}${marks ? `,${CACHE_POINT}` : ''}]`]),
    ...toolFields(request, settings, without),
    ...(Object.keys(fields).length > 0 ? [JSON.stringify(fields).slice(1, -1)] : []),
  ].map((field) => `,${field}`);
  const path = `/model/${encodeURIComponent(model)}/converse-stream`;
  const contents = turnsJson(turns, marks ? (blocks) => [...blocks, CACHE_POINT] : null);
  const outgoing = settings.toOutgoing(path, `{"messages":[${contents}]${rest.join('')}}`);
  return { ...outgoing, headers: { accept: 'application/vnd.amazon.eventstream' } };
}

function toSettings(request: ChatRequest, without: ReadonlySet<string>): Settings {
  const { parameters, responseFormat, model } = request;
  const settings = new Settings('bedrock-converse', without);
  const isClaude = /claude/i.test(model);
  const thinking = getThinking(request);
  settings.addPlain(
    parameters,
    isClaude && !getModelTraits(model).sampling ? ['temperature', 'topP'] : thinking !== null ? ['temperature'] : [],
  );
  // A default of the API would cut longer answers.
  if (isClaude) settings.fields['maxTokens'] = maxTokens(request, thinking);
  if (responseFormat !== undefined) settings.leaveOut('responseFormat');
  return settings;
}

/** Fields of the model itself, which Converse passes on: the thinking of Claude. */
function toModelFields(request: ChatRequest, settings: Settings): JsonObject {
  const { model, parameters } = request;
  if (parameters.reasoningEffort === undefined || settings.isRefused('reasoningEffort')) return {};
  const thinking = getThinking(request);
  if (thinking === null) {
    if (parameters.reasoningEffort !== 'none' && (!/claude/i.test(model) || getModelTraits(model).thinking === 'none'))
      settings.leaveOut('reasoningEffort');
    return {};
  }
  settings.sent.push({ name: 'reasoningEffort', field: 'thinking' });
  const { thinking: kind, efforts } = getModelTraits(model);
  const effort = kind === 'adaptive' ? nearestEffort(parameters.reasoningEffort, efforts) : null;
  return { thinking: thinking.field, ...(effort === null ? {} : { output_config: { effort } }) };
}

/** Null if no thinking is requested, or the model has none. */
function getThinking(request: ChatRequest): Thinking | null {
  return /claude/i.test(request.model) ? toThinking(request) : null;
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
