import type { JsonObject } from '@toolyard/protocol';
import { OPENAI_MODELS } from '../openai/models-data.ts';
import { OPENAI_TOOLS } from '../tool-schema/rules.ts';
import type { ChatRequest } from '../types.ts';
import type { OutgoingChat } from '../wire/dialect.ts';
import { findModelRow, nearestEffort } from '../wire/effort.ts';
import { systemText, textModeSuffix } from '../wire/messages.ts';
import { Settings } from '../wire/settings.ts';
import { withAcceptedRoles } from '../wire/system-role.ts';
import { createToolWriter } from '../wire/tool-function.ts';
import { toItems } from './messages.ts';

/** Optional features of this wire besides settings. */
export const OPTIONAL_FEATURES = { replay: 'replay', encrypted: 'encrypted', summary: 'summary' } as const;

const OWNED = ['model', 'input', 'instructions', 'tools', 'stream', 'previous_response_id', 'conversation'];

/**
 * Builds a chat request. The body is JSON assembled from cached fragments. `store` is off: the server keeps nothing.
 */
export function toOutgoing(request: ChatRequest, without: ReadonlySet<string>): OutgoingChat {
  const { model, toolMode } = request;
  const { messages, suffix } = withAcceptedRoles(request, without, textModeSuffix(request));
  const items = toItems(messages, { toolMode, model, replay: !without.has(OPTIONAL_FEATURES.replay) });
  const instructions = systemText(messages, suffix);
  const settings = toSettings(request, without);
  const fields: JsonObject = { ...settings.fields, stream: true, store: false };
  settings.addExtra(fields, request.parameters.extra, OWNED);
  const head = [
    `"model":${JSON.stringify(model)}`,
    ...(instructions === '' ? [] : [`"instructions":${JSON.stringify(instructions)}`]),
  ].join(',');
  const rest = [JSON.stringify(fields).slice(1, -1), ...toolFields(request, without)].join(',');
  return settings.toOutgoing('/responses', `{${head},"input":[${items.join(',')}],${rest}}`);
}

function toSettings(request: ChatRequest, without: ReadonlySet<string>): Settings {
  const { parameters, responseFormat, model, user } = request;
  const settings = new Settings('openai-responses', without);
  if (user !== undefined) settings.add('user', 'user', user);
  const traits = findModelRow(OPENAI_MODELS, model);
  settings.addPlain(parameters, traits?.refuses ?? []);

  const thinks = traits !== null && traits.efforts.length > 0;
  const reasoning: JsonObject = thinks && !without.has(OPTIONAL_FEATURES.summary) ? { summary: 'auto' } : {};
  const requested = parameters.reasoningEffort;
  if (requested !== undefined && !settings.isRefused('reasoningEffort')) {
    const effort = traits === null ? requested : nearestEffort(requested, traits.efforts);
    if (effort === null) settings.leaveOut('reasoningEffort');
    else settings.addInside(reasoning, 'effort', effort, 'reasoningEffort', 'reasoning.effort');
  }
  if (Object.keys(reasoning).length > 0) settings.fields['reasoning'] = reasoning;
  // Because the server stores nothing, its reasoning is requested in encrypted form and sent back with the history.
  if (thinks && !without.has(OPTIONAL_FEATURES.encrypted)) settings.fields['include'] = ['reasoning.encrypted_content'];

  if (responseFormat !== undefined) {
    const format =
      responseFormat.type === 'json'
        ? { type: 'json_object' }
        : { type: 'json_schema', name: responseFormat.name, schema: responseFormat.schema, strict: false };
    settings.addInside(settings.fields, 'text', { format }, 'responseFormat', 'text.format');
  }
  return settings;
}

const toolJson = createToolWriter(OPENAI_TOOLS, (tool) => ({ type: 'function', ...tool, strict: false }));

function toolFields({ tools, toolChoice, toolMode }: ChatRequest, without: ReadonlySet<string>): string[] {
  if (toolMode === 'text' || tools.length === 0) return [];
  const pieces = tools.map((tool) => toolJson(tool, without));
  const written = `"tools":[${pieces.join(',')}]`;
  if (toolChoice === 'auto') return [written];
  const choice = typeof toolChoice === 'string' ? toolChoice : { type: 'function', name: toolChoice.name };
  return [written, `"tool_choice":${JSON.stringify(choice)}`];
}
