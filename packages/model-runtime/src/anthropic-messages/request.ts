import type { JsonObject, ReasoningEffort } from '@toolyard/protocol';
import { ANTHROPIC_TOOLS } from '../tool-schema/rules.ts';
import type { ChatRequest } from '../types.ts';
import type { OutgoingChat } from '../wire/dialect.ts';
import { nearestEffort } from '../wire/effort.ts';
import { historyMode, systemText, textModeSuffix } from '../wire/messages.ts';
import { replayedReasoning } from '../wire/replay.ts';
import { closedSchema } from '../wire/schema.ts';
import { Settings, type SettingName } from '../wire/settings.ts';
import { withAcceptedRoles } from '../wire/system-role.ts';
import { createToolWriter } from '../wire/tool-function.ts';
import { turnsJson } from '../wire/turns.ts';
import { turnsOf } from './messages.ts';
import { getModelTraits } from './models-data.ts';
import type { AnthropicQuirks } from './quirks.ts';
import { maxTokens, toThinking, type Thinking } from './thinking.ts';

/** Optional features of this wire besides settings. `limit:8192`: the server caps `max_tokens` at that value. */
export const OPTIONAL_FEATURES = { cacheMarks: 'cache_control', limit: 'limit:' } as const;

const OWNED = ['model', 'messages', 'system', 'tools', 'stream'];

/** Builds a chat request. The body is JSON assembled from cached fragments. */
export function toOutgoing(request: ChatRequest, quirks: AnthropicQuirks, without: ReadonlySet<string>): OutgoingChat {
  const { model } = request;
  const { messages, suffix } = withAcceptedRoles(request, without, textModeSuffix(request));
  const marks = quirks.noCacheMarks !== true && !without.has(OPTIONAL_FEATURES.cacheMarks);
  const reasoning = replayedReasoning(without, quirks.reasoningInCalls);
  const turns = turnsOf(messages, { toolMode: historyMode(request), model, reasoning });
  const system = systemText(messages, suffix);
  const settings = toSettings(request, without);
  const fields: JsonObject = { ...settings.fields, stream: true };
  settings.addExtra(fields, request.parameters.extra, OWNED);
  const systemBlock = JSON.stringify({ type: 'text', text: system });
  const head = [
    quirks.vertex === true ? `"anthropic_version":"vertex-2023-10-16"` : `"model":${JSON.stringify(model)}`,
    ...(system.trim() === '' ? [] : [`"system":[${marks ? withCacheMarker(systemBlock) : systemBlock}]`]),
  ].join(',');
  const rest = [
    JSON.stringify(fields).slice(1, -1),
    ...toolFields(request, without, marks && system.trim() === ''),
  ].join(',');
  const path = quirks.vertex === true ? `/models/${encodeURIComponent(model)}:streamRawPredict` : '/messages';
  const body = `{${head},"messages":[${turnsJson(turns, marks ? withLastMarked : null)}],${rest}}`;
  return settings.toOutgoing(path, body);
}

/** The server caches everything before a marker: tools and system prompt, and the conversation. */
function withLastMarked(blocks: readonly string[]): string[] {
  return [...blocks.slice(0, -1), withCacheMarker(blocks.at(-1) ?? '{}')];
}

function withCacheMarker(block: string): string {
  return `${block.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`;
}

function toSettings(request: ChatRequest, without: ReadonlySet<string>): Settings {
  const { parameters, responseFormat, model, user } = request;
  const settings = new Settings('anthropic-messages', without);
  if (user !== undefined) settings.add('user', 'metadata', { user_id: user });
  const traits = getModelTraits(model);
  const thinking = getThinking(request, settings);
  const unsupported: SettingName[] = [];
  if (!traits.sampling) unsupported.push('temperature', 'topP', 'topK');
  else if (thinking !== null) unsupported.push('temperature', 'topK');
  settings.addPlain(parameters, unsupported);

  settings.fields['max_tokens'] = Math.min(maxTokens(request, thinking), ...knownLimits(without));
  if (thinking !== null) settings.add('reasoningEffort', 'thinking', thinking.field);
  const output: JsonObject = {};
  const effort = getEffort(parameters.reasoningEffort, traits.efforts);
  if (effort !== null) settings.addInside(output, 'effort', effort, 'reasoningEffort', 'effort');
  if (responseFormat?.type === 'json') settings.leaveOut('responseFormat');
  else if (responseFormat !== undefined) {
    const format = { type: 'json_schema', schema: closedSchema(responseFormat.schema) };
    settings.addInside(output, 'format', format, 'responseFormat', 'output_config', 'output_format');
  }
  if (Object.keys(output).length > 0) settings.fields['output_config'] = output;
  return settings;
}

function getEffort(requested: ReasoningEffort | undefined, known: readonly ReasoningEffort[]): ReasoningEffort | null {
  return requested === undefined || requested === 'none' ? null : nearestEffort(requested, known);
}

/** The thinking to request; null if none. */
function getThinking(request: ChatRequest, settings: Settings): Thinking | null {
  const effort = request.parameters.reasoningEffort;
  if (effort === undefined || settings.isRefused('reasoningEffort')) return null;
  const { thinking } = getModelTraits(request.model);
  if (thinking === 'none') settings.leaveOut('reasoningEffort');
  if (thinking === 'adaptive' && effort === 'none') return { field: { type: 'disabled' }, budget: 0 };
  return toThinking(request);
}

/** The limits with which the server rejected requests before. */
function knownLimits(without: ReadonlySet<string>): number[] {
  return [...without].flatMap((entry) =>
    entry.startsWith(OPTIONAL_FEATURES.limit) ? [Number(entry.slice(OPTIONAL_FEATURES.limit.length))] : [],
  );
}

const toolJson = createToolWriter(ANTHROPIC_TOOLS, ({ parameters, ...rest }) => ({
  ...rest,
  input_schema: parameters,
}));

function toolFields(request: ChatRequest, without: ReadonlySet<string>, markLast: boolean): string[] {
  const { tools, toolChoice, toolMode } = request;
  if (toolMode === 'text' || tools.length === 0) return [];
  const pieces = tools.map((tool) => toolJson(tool, without));
  const written = `"tools":[${(markLast ? withLastMarked(pieces) : pieces).join(',')}]`;
  if (toolChoice === 'auto') return [written];
  const choice =
    toolChoice === 'required'
      ? { type: 'any' }
      : toolChoice === 'none'
        ? { type: 'none' }
        : { type: 'tool', name: toolChoice.name };
  return [written, `"tool_choice":${JSON.stringify(choice)}`];
}
