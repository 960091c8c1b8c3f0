import type { JsonObject, ReasoningEffort } from '@toolyard/protocol';
import { GEMINI_TOOLS } from '../tool-schema/rules.ts';
import type { ChatRequest } from '../types.ts';
import type { OutgoingChat } from '../wire/dialect.ts';
import { findModelRow, nearestEffort } from '../wire/effort.ts';
import { systemText, textModeSuffix } from '../wire/messages.ts';
import { Settings } from '../wire/settings.ts';
import { withAcceptedRoles } from '../wire/system-role.ts';
import { createToolWriter } from '../wire/tool-function.ts';
import { toGeminiTurns } from './messages.ts';
import { BUDGETS, supportsImageOutput, GEMINI_THINKING, type GeminiThinking } from './models-data.ts';

/** Optional features of this wire besides settings. */
export const OPTIONAL_FEATURES = { replay: 'replay', thoughts: 'include_thoughts' } as const;

const OWNED = ['contents', 'systemInstruction', 'tools'];

/** Builds a chat request. The body is JSON assembled from cached fragments. */
export function toOutgoing(request: ChatRequest, without: ReadonlySet<string>): OutgoingChat {
  const { model, toolMode } = request;
  const { messages, suffix } = withAcceptedRoles(request, without, textModeSuffix(request));
  const turns = toGeminiTurns(messages, { toolMode, model, replay: !without.has(OPTIONAL_FEATURES.replay) });
  const system = systemText(messages, suffix);
  const settings = toSettings(request, without);
  const fields: JsonObject = Object.keys(settings.fields).length > 0 ? { generationConfig: settings.fields } : {};
  settings.addExtra(fields, request.parameters.extra, OWNED);
  const contents = turns.map(({ role, blocks }) => `{"role":"${role}","parts":[${blocks.join(',')}]}`).join(',');
  const rest = [
    ...(system === '' ? [] : [`"systemInstruction":{"parts":[{"text":${JSON.stringify(system)}}]}`]),
    ...toolFields(request, without),
    ...(Object.keys(fields).length > 0 ? [JSON.stringify(fields).slice(1, -1)] : []),
  ].map((field) => `,${field}`);
  const path = modelPath(model, 'streamGenerateContent?alt=sse');
  return settings.toOutgoing(path, `{"contents":[${contents}]${rest.join('')}}`);
}

/** The path of a method of a model. Names of tuned models include their folder. */
export function modelPath(model: string, method: string): string {
  const name = /^(models|tunedModels)\//.test(model) ? model : `models/${model}`;
  return `/${name.split('/').map(encodeURIComponent).join('/')}:${method}`;
}

function toSettings(request: ChatRequest, without: ReadonlySet<string>): Settings {
  const { parameters, responseFormat, model } = request;
  const settings = new Settings('google-gemini', without);
  settings.addPlain(parameters, []);
  const traits = findModelRow(GEMINI_THINKING, model) ?? { by: 'nothing' };
  const isShown = traits.by !== 'nothing' && !without.has(OPTIONAL_FEATURES.thoughts);
  const thinking: JsonObject = isShown ? { includeThoughts: true } : {};
  const { reasoningEffort: effort } = parameters;
  if (effort !== undefined) addThinkingAmount(thinking, effort, traits, settings);
  if (Object.keys(thinking).length > 0) settings.fields['thinkingConfig'] = thinking;
  if (supportsImageOutput(model)) settings.fields['responseModalities'] = ['TEXT', 'IMAGE'];
  if (responseFormat !== undefined) {
    settings.add('responseFormat', 'responseMimeType', 'application/json');
    if (responseFormat.type === 'json_schema')
      settings.add('responseFormat', 'responseJsonSchema', responseFormat.schema);
  }
  return settings;
}

function addThinkingAmount(
  into: JsonObject,
  effort: ReasoningEffort,
  traits: GeminiThinking,
  settings: Settings,
): void {
  switch (traits.by) {
    case 'nothing':
      settings.leaveOut('reasoningEffort');
      return;
    case 'level': {
      const level = nearestEffort(effort, traits.levels)?.toUpperCase() ?? null;
      settings.addInside(into, 'thinkingLevel', level, 'reasoningEffort', 'thinkingLevel', 'thinking_level');
      return;
    }
    case 'budget': {
      const minimum = effort === 'none' && traits.canStop ? 0 : traits.min;
      const budget = Math.max(minimum, Math.min(traits.max, BUDGETS[effort]));
      settings.addInside(into, 'thinkingBudget', budget, 'reasoningEffort', 'thinkingBudget', 'thinking_budget');
    }
  }
}

const toolJson = createToolWriter(GEMINI_TOOLS, ({ parameters, ...rest }) => ({
  ...rest,
  parametersJsonSchema: parameters,
}));

function toolFields({ tools, toolChoice, toolMode }: ChatRequest, without: ReadonlySet<string>): string[] {
  if (toolMode === 'text' || tools.length === 0) return [];
  const pieces = tools.map((tool) => toolJson(tool, without));
  const written = `"tools":[{"functionDeclarations":[${pieces.join(',')}]}]`;
  if (toolChoice === 'auto') return [written];
  const calling =
    toolChoice === 'none'
      ? { mode: 'NONE' }
      : toolChoice === 'required'
        ? { mode: 'ANY' }
        : { mode: 'ANY', allowedFunctionNames: [toolChoice.name] };
  return [written, `"toolConfig":${JSON.stringify({ functionCallingConfig: calling })}`];
}
