import {
  isJsonObject,
  parseJson,
  type Clock,
  type Fetch,
  type JsonObject,
  type JsonValue,
  type ModelInput,
} from '@toolyard/protocol';
import type { ModelInfo } from './types.ts';
import { CallGuard } from './wire/call-guard.ts';
import { readBounded } from './wire/endpoint.ts';

/** A server that reports more facts about its models at an endpoint of its own. */
export type FactsOf = 'ollama' | 'llama.cpp' | 'lm-studio' | 'koboldcpp';

type Facts = Pick<ModelInfo, 'contextWindow' | 'inputs' | 'nativeTools'>;

/** Requests JSON below the base URL of the server; undefined if it is not available. */
type Ask = (path: string, body?: JsonObject) => Promise<JsonValue | undefined>;

export type ModelFactsOptions = {
  /** The base URL of the API, with or without the version. */
  baseUrl: string;
  fetch: Fetch;
  clock: Clock;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds for all requests, default 2,000; facts not known by then stay unknown. */
  timeoutMs?: number;
};

/** Maximum length of a model description, in characters: Ollama includes the vocabulary of the tokenizer. */
const MAX_ANSWER = 16_000_000;
/** Maximum number of models that are requested one by one. */
const MAX_REQUESTS = 100;

/** The `owned_by` values of the servers. */
const OWNERS: Readonly<Record<string, FactsOf>> = {
  library: 'ollama',
  llamacpp: 'llama.cpp',
  organization_owner: 'lm-studio',
  koboldcpp: 'koboldcpp',
};

/** Identifies the server by its model list, if possible. */
export function serverOfModels(models: readonly ModelInfo[]): FactsOf | undefined {
  const owner = models[0]?.ownedBy;
  return owner === undefined ? undefined : OWNERS[owner];
}

/**
 * Adds facts that the server reports outside its model list: context window, image and audio input. Bounded in time and
 * never fails; models without further facts stay unchanged.
 */
export async function withModelFacts(
  models: readonly ModelInfo[],
  server: FactsOf,
  options: ModelFactsOptions,
): Promise<ModelInfo[]> {
  const { clock, timeoutMs = 2000, signal } = options;
  const deadline = new AbortController();
  const cancelTimer = clock.after(timeoutMs, () => deadline.abort());
  const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
  try {
    const factsOf = await FACTS[server](models, (path, body) => ask(path, body, options, either));
    return models.map((model) => ({ ...model, ...factsOf(model.id) }));
  } finally {
    cancelTimer();
  }
}

/**
 * Whether llama.cpp passes the tools of a request to the model. The chat templates of many models do not support tools;
 * llama.cpp then drops them silently. Undefined: unknown.
 */
export async function templateShowsTools(options: ModelFactsOptions): Promise<boolean | undefined> {
  const { clock, timeoutMs = 2000, signal } = options;
  const deadline = new AbortController();
  const cancelTimer = clock.after(timeoutMs, () => deadline.abort());
  const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
  try {
    return toolsOf(await ask('/props', undefined, options, either)).nativeTools;
  } finally {
    cancelTimer();
  }
}

async function ask(
  path: string,
  body: JsonObject | undefined,
  { baseUrl, fetch, clock, headers, timeoutMs = 2000 }: ModelFactsOptions,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  if (signal.aborted) return undefined;
  const guard = new CallGuard({ clock, idleTimeoutMs: timeoutMs, signal });
  try {
    const root = baseUrl
      .replace(/\?.*$/, '')
      .replace(/\/+$/, '')
      .replace(/\/v\d+$/, '');
    const init: RequestInit = {
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'error',
      signal: guard.signal,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    };
    const response = await guard.wait(fetch(root + path, init));
    const text = await readBounded(response, guard, MAX_ANSWER);
    const parsed = response.ok ? parseJson(text) : null;
    return parsed?.ok === true ? parsed.value : undefined;
  } catch {
    return undefined;
  } finally {
    guard.dispose();
  }
}

type FactsReader = (models: readonly ModelInfo[], ask: Ask) => Promise<(modelId: string) => Facts>;

const FACTS: Readonly<Record<FactsOf, FactsReader>> = {
  // https://github.com/ggml-org/llama.cpp/tree/master/tools/server: GET /props, for the one model that is loaded.
  async 'llama.cpp'(models, ask) {
    const props = await ask('/props');
    if (!isJsonObject(props) || models.length !== 1) return () => ({});
    const settings = props['default_generation_settings'];
    const facts = {
      ...contextOf(isJsonObject(settings) ? settings['n_ctx'] : undefined),
      ...inputsOf(props['modalities']),
      ...toolsOf(props),
    };
    return () => facts;
  },

  // https://docs.ollama.com/api: POST /api/show, per model. Ollama loads models with less context than they support;
  // only an explicit `num_ctx` states the real value.
  async ollama(models, ask) {
    const shown = new Map<string, Facts>();
    await Promise.all(
      models.slice(0, MAX_REQUESTS).map(async ({ id }) => {
        const description = await ask('/api/show', { model: id });
        if (isJsonObject(description)) shown.set(id, ollamaFacts(description));
      }),
    );
    return (id) => shown.get(id) ?? {};
  },

  // https://lmstudio.ai/docs/developer/rest/endpoints: GET /api/v0/models.
  async 'lm-studio'(_models, ask) {
    const answer = await ask('/api/v0/models');
    const list = isJsonObject(answer) ? answer['data'] : undefined;
    const facts = new Map<string, Facts>();
    for (const item of Array.isArray(list) ? list : []) {
      if (!isJsonObject(item) || typeof item['id'] !== 'string') continue;
      facts.set(item['id'], {
        ...contextOf(item['loaded_context_length'] ?? item['max_context_length']),
        ...(item['type'] === 'vlm' ? { inputs: ['text', 'image'] } : {}),
        ...(item['type'] === 'llm' ? { inputs: ['text'] } : {}),
      });
    }
    return (id) => facts.get(id) ?? {};
  },

  // https://github.com/LostRuins/koboldcpp/blob/concedo/koboldcpp.py: one model, reported at two endpoints.
  async koboldcpp(_models, ask) {
    const [size, version] = await Promise.all([ask('/api/extra/true_max_context_length'), ask('/api/extra/version')]);
    const facts = {
      ...(isJsonObject(size) ? contextOf(size['value']) : {}),
      ...(isJsonObject(version) ? inputsOf(version) : {}),
    };
    return () => facts;
  },
};

function ollamaFacts(description: JsonObject): Facts {
  const info = isJsonObject(description['model_info']) ? description['model_info'] : {};
  const architecture = info['general.architecture'];
  const own = /^num_ctx\s+(\d+)/m.exec(
    typeof description['parameters'] === 'string' ? description['parameters'] : '',
  )?.[1];
  const contextLength = typeof architecture === 'string' ? info[`${architecture}.context_length`] : undefined;
  const capabilities = description['capabilities'];
  if (!Array.isArray(capabilities)) return contextOf(own === undefined ? contextLength : Number(own));
  return {
    ...contextOf(own === undefined ? contextLength : Number(own)),
    ...inputsOf({ vision: capabilities.includes('vision'), audio: capabilities.includes('audio') }),
  };
}

function contextOf(size: JsonValue | undefined): Facts {
  return typeof size === 'number' && Number.isInteger(size) && size > 0 ? { contextWindow: size } : {};
}

/** Whether the chat template of llama.cpp has tools; older versions do not report it. */
function toolsOf(props: JsonValue | undefined): Facts {
  const abilities = isJsonObject(props) ? props['chat_template_caps'] : undefined;
  const nativeTools = isJsonObject(abilities) ? abilities['supports_tools'] : undefined;
  return typeof nativeTools === 'boolean' ? { nativeTools } : {};
}

/** Reads `{ vision, audio }`; empty if neither is present. */
function inputsOf(capabilities: JsonValue | undefined): Facts {
  if (!isJsonObject(capabilities)) return {};
  const { vision, audio } = capabilities;
  if (typeof vision !== 'boolean' && typeof audio !== 'boolean') return {};
  const inputs: ModelInput[] = ['text'];
  if (vision === true) inputs.push('image');
  if (audio === true) inputs.push('audio');
  return { inputs };
}
