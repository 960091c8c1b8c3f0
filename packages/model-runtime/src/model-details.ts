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
import { CallGuard, Deadline } from './wire/call-guard.ts';
import { readBounded } from './wire/endpoint.ts';
import { readObject, readObjects, readText } from './wire/json-values.ts';

/** A server that reports more facts about its models at an endpoint of its own. */
export type DetailsServer = 'ollama' | 'llama.cpp' | 'lm-studio' | 'koboldcpp';

type Details = Pick<ModelInfo, 'contextWindow' | 'inputs' | 'nativeTools'>;

/** Requests JSON below the base URL of the server; undefined if it is not available. */
type Ask = (path: string, body?: JsonObject) => Promise<JsonValue | undefined>;

export type ModelDetailsOptions = {
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
const OWNERS: Readonly<Record<string, DetailsServer>> = {
  library: 'ollama',
  llamacpp: 'llama.cpp',
  organization_owner: 'lm-studio',
  koboldcpp: 'koboldcpp',
};

/** Identifies the server by its model list, if possible. */
export function serverOfModels(models: readonly ModelInfo[]): DetailsServer | undefined {
  const owner = models[0]?.ownedBy;
  return owner === undefined ? undefined : OWNERS[owner];
}

/**
 * Adds facts that the server reports outside its model list: context window, image and audio input. Bounded in time and
 * never fails; models without further facts stay unchanged.
 */
export async function withModelDetails(
  models: readonly ModelInfo[],
  server: DetailsServer,
  options: ModelDetailsOptions,
): Promise<ModelInfo[]> {
  const getDetails = await withAsk(options, (ask) => DETAILS[server](models, ask));
  return models.map((model) => ({ ...model, ...getDetails(model.id) }));
}

/**
 * Whether llama.cpp passes the tools of a request to the model. The chat templates of many models do not support tools;
 * llama.cpp then drops them silently. Undefined: unknown.
 */
export async function templateShowsTools(options: ModelDetailsOptions): Promise<boolean | undefined> {
  return readTools(await withAsk(options, (ask) => ask('/props'))).nativeTools;
}

/** All requests of `read` share one deadline. */
async function withAsk<Result>(options: ModelDetailsOptions, read: (ask: Ask) => Promise<Result>): Promise<Result> {
  const deadline = new Deadline(options.clock, options.timeoutMs ?? 2000, options.signal);
  try {
    return await read((path, body) => ask(path, body, options, deadline.signal));
  } finally {
    deadline.dispose();
  }
}

async function ask(
  path: string,
  body: JsonObject | undefined,
  { baseUrl, fetch, clock, headers, timeoutMs = 2000 }: ModelDetailsOptions,
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

type DetailsReader = (models: readonly ModelInfo[], ask: Ask) => Promise<(modelId: string) => Details>;

const DETAILS: Readonly<Record<DetailsServer, DetailsReader>> = {
  // https://github.com/ggml-org/llama.cpp/tree/master/tools/server: GET /props, for the one model that is loaded.
  async 'llama.cpp'(models, ask) {
    const props = await ask('/props');
    if (!isJsonObject(props) || models.length !== 1) return () => ({});
    const details = {
      ...readContext(readObject(props['default_generation_settings'])['n_ctx']),
      ...readInputs(props['modalities']),
      ...readTools(props),
    };
    return () => details;
  },

  // https://docs.ollama.com/api: POST /api/show, per model. Ollama loads models with less context than they support;
  // only an explicit `num_ctx` states the real value.
  async ollama(models, ask) {
    const shown = new Map<string, Details>();
    await Promise.all(
      models.slice(0, MAX_REQUESTS).map(async ({ id }) => {
        const description = await ask('/api/show', { model: id });
        if (isJsonObject(description)) shown.set(id, readOllamaDetails(description));
      }),
    );
    return (id) => shown.get(id) ?? {};
  },

  // https://lmstudio.ai/docs/developer/rest/endpoints: GET /api/v0/models.
  async 'lm-studio'(_models, ask) {
    const details = new Map<string, Details>();
    for (const item of readObjects(readObject(await ask('/api/v0/models'))['data'])) {
      if (typeof item['id'] !== 'string') continue;
      details.set(item['id'], {
        ...readContext(item['loaded_context_length'] ?? item['max_context_length']),
        ...(item['type'] === 'vlm' ? { inputs: ['text', 'image'] } : {}),
        ...(item['type'] === 'llm' ? { inputs: ['text'] } : {}),
      });
    }
    return (id) => details.get(id) ?? {};
  },

  // https://github.com/LostRuins/koboldcpp/blob/concedo/koboldcpp.py: one model, reported at two endpoints.
  async koboldcpp(_models, ask) {
    const [size, version] = await Promise.all([ask('/api/extra/true_max_context_length'), ask('/api/extra/version')]);
    const details = {
      ...readContext(readObject(size)['value']),
      ...readInputs(version),
    };
    return () => details;
  },
};

function readOllamaDetails(description: JsonObject): Details {
  const info = readObject(description['model_info']);
  const architecture = info['general.architecture'];
  const own = /^num_ctx\s+(\d+)/m.exec(readText(description['parameters']))?.[1];
  const contextLength = typeof architecture === 'string' ? info[`${architecture}.context_length`] : undefined;
  const { capabilities } = description;
  return {
    ...readContext(own === undefined ? contextLength : Number(own)),
    ...(Array.isArray(capabilities)
      ? readInputs({ vision: capabilities.includes('vision'), audio: capabilities.includes('audio') })
      : {}),
  };
}

function readContext(size: JsonValue | undefined): Details {
  return typeof size === 'number' && Number.isInteger(size) && size > 0 ? { contextWindow: size } : {};
}

/** Whether the chat template of llama.cpp has tools; older versions do not report it. */
function readTools(props: JsonValue | undefined): Details {
  const nativeTools = readObject(readObject(props)['chat_template_caps'])['supports_tools'];
  return typeof nativeTools === 'boolean' ? { nativeTools } : {};
}

/** Reads `{ vision, audio }`; empty if neither is present. */
function readInputs(capabilities: JsonValue | undefined): Details {
  if (!isJsonObject(capabilities)) return {};
  const { vision, audio } = capabilities;
  if (typeof vision !== 'boolean' && typeof audio !== 'boolean') return {};
  const inputs: ModelInput[] = ['text'];
  if (vision === true) inputs.push('image');
  if (audio === true) inputs.push('audio');
  return { inputs };
}
