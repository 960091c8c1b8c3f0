import { defined, isJsonObject, type JsonObject, type JsonValue, type ModelInput } from '@toolyard/protocol';
import type { ModelInfo } from '../types.ts';
import { findText } from './json-values.ts';

/** Reads a model list: OpenAI's `data`, `models` of Ollama and llama.cpp, or a bare array. Null: not a model list. */
export function readModels(value: JsonValue): ModelInfo[] | null {
  const list = readList(value);
  if (list === null) return null;
  const models = new Map<string, ModelInfo>();
  for (const item of list) {
    const model = readModel(item);
    if (model !== null && !models.has(model.id)) models.set(model.id, model);
  }
  return [...models.values()];
}

function readList(value: JsonValue): JsonValue[] | null {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return null;
  const data = value['data'];
  if (Array.isArray(data) && data.length > 0) return data;
  const models = value['models'];
  if (Array.isArray(models)) return models;
  // Ollama without a model returns "data": null.
  return Array.isArray(data) || (value['object'] === 'list' && data === null) ? (data ?? []) : null;
}

function readModel(item: JsonValue): ModelInfo | null {
  if (typeof item === 'string') return item === '' ? null : { id: item };
  if (!isJsonObject(item)) return null;
  const id = [item['id'], item['model'], item['name']].find((name) => typeof name === 'string' && name !== '');
  if (typeof id !== 'string') return null;
  const ownedBy = findText(item['owned_by']) || undefined;
  return { id, ...defined({ ownedBy, contextWindow: findContextWindow(item), inputs: findInputs(item) }) };
}

const SENSES = ['image', 'audio', 'video'] as const;

/** The input types of a model: a list as in OpenRouter, or flags as in Mistral. Undefined: not reported. */
function findInputs(item: JsonObject): ModelInput[] | undefined {
  const { architecture, capabilities } = item;
  const modalities = isJsonObject(architecture) ? architecture['input_modalities'] : item['input_modalities'];
  if (Array.isArray(modalities)) return ['text', ...SENSES.filter((sense) => modalities.includes(sense))];
  if (!isJsonObject(capabilities) || capabilities['vision'] !== true) return undefined;
  return ['text', 'image', ...(capabilities['audio'] === true ? (['audio'] as const) : [])];
}

const contextFields = [
  'max_model_len',
  'context_length',
  'loaded_context_length',
  'context_window',
  'max_context_length',
  'max_input_tokens',
  'n_ctx',
  'n_ctx_train',
];

function findContextWindow(item: JsonObject): number | undefined {
  for (const place of [item, item['meta'], item['top_provider']]) {
    if (!isJsonObject(place)) continue;
    for (const field of contextFields) {
      const size = place[field];
      if (typeof size === 'number' && size > 0) return size;
    }
  }
  return undefined;
}
