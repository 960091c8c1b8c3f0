import type { ModelChoice } from '@toolyard/agent-host';
import { createUuidSource } from '@toolyard/agent-host';
import { cloudCredentials } from '@toolyard/agent-host/node';
import type { LocalServer, ModelInfo, ModelRuntime, WireFacts } from '@toolyard/model-runtime';
import {
  createProviderRuntime,
  fillAddress,
  findLocalServers,
  loadingError,
  LOADING_POLL_MS,
  MAX_LOADING_MS,
  placeholdersIn,
  loadProviders,
  loadUnsupportedProviders,
  missingKeyError,
  providersInEnvironment,
  type ProviderRecord,
} from '@toolyard/model-runtime';
import type { Clock, Fetch } from '@toolyard/protocol';
import { defined, pause, ToolyardError } from '@toolyard/protocol';
import type { ConnectionFlags } from './flags.ts';
import { createConfigError } from './errors.ts';

export type ModelContext = {
  env: NodeJS.ProcessEnv;
  fetch: Fetch;
  clock: Clock;
  /** Set if the command waits for a server that is loading its model; called once with what it waits for. */
  onLoading?: (text: string) => void;
};

/** The model of a command, and a description of its source for the user. */
export type ChosenModel = { model: ModelChoice; description: string };

const DEMO = /^demo(-text)?$/;

type ModelFlags = Pick<ConnectionFlags, 'baseUrl' | 'apiKey' | 'model' | 'provider' | 'apiFormat'>;

/** A model server named by flags or environment. */
type ModelEndpoint = {
  providerWire: WireFacts;
  /** Name of the provider; absent for a bare base URL. */
  label?: string;
  baseUrl: string;
  apiKey: string | undefined;
  models?: ProviderRecord['models'];
};

/**
 * Precedence: flags, environment, a detected local server, the demo.
 *
 * @throws ToolyardError if the requested model or provider is unavailable
 */
export async function chooseModel(flags: ModelFlags, context: ModelContext): Promise<ChosenModel> {
  const modelId = flags.model;
  if (modelId !== undefined && DEMO.test(modelId) && flags.baseUrl === undefined && flags.provider === undefined) {
    return demo(modelId === 'demo-text' ? 'demo-text' : 'demo', 'built-in demo (no language model)');
  }
  const endpoint = await selectEndpoint(flags, context.env);
  if (endpoint !== null) return configured(endpoint, modelId, context);

  const found = await loadedServers(modelId, context);
  for (const server of found) {
    const id = modelId ?? server.models[0]?.id;
    if (id !== undefined && (modelId === undefined || server.models.some((model) => model.id === modelId))) {
      return {
        model: { baseUrl: server.baseUrl, id, knownModels: server.models },
        description: `${id} of ${server.label} at ${server.baseUrl} (detected)`,
      };
    }
  }
  if (modelId !== undefined)
    throw createModelNotFoundError(
      modelId,
      found.flatMap((server) => server.models),
      'on this machine',
    );
  return demo('demo', 'built-in demo (no language model): none is configured (--base-url) or detected');
}

/**
 * The detected servers, once one has a usable model. Only if none has, one that is loading is waited for.
 *
 * @throws ToolyardError `overloaded` if one is loading and the command does not wait, or it takes too long
 */
async function loadedServers(modelId: string | undefined, context: ModelContext): Promise<LocalServer[]> {
  const { fetch, clock, onLoading } = context;
  for (let waitedMs = 0; ; waitedMs += LOADING_POLL_MS) {
    const found = await findLocalServers({ fetch, clock });
    const isUsable = found.some(({ models }) => models.some(({ id }) => modelId === undefined || id === modelId));
    const loading = found.find(({ isLoading }) => isLoading);
    if (isUsable || loading === undefined) return found;
    const error = loadingError(loading);
    if (onLoading === undefined || waitedMs >= MAX_LOADING_MS) throw new ToolyardError(error);
    if (waitedMs === 0) onLoading(`${error.message} Waiting for it.`);
    await pause(clock, LOADING_POLL_MS);
  }
}

/** The model server that flags or environment choose; null if they choose none. */
async function selectEndpoint(flags: ModelFlags, env: NodeJS.ProcessEnv): Promise<ModelEndpoint | null> {
  const found = await providersInEnvironment(env);
  if (flags.provider !== undefined) {
    const known = (await loadProviders()).find(({ id }) => id === flags.provider);
    if (known === undefined) throw await unknownProvider(flags.provider);
    const own = found.find((one) => one.known.id === known.id);
    const baseUrl = flags.baseUrl ?? own?.baseUrl;
    const home = baseUrl ?? fillAddress(known.baseUrl, env) ?? known.baseUrl;
    const apiKey = own?.apiKey ?? ownKey(known, env) ?? cloudCredentials(known, home, env);
    const needsKey = baseUrl === undefined && known.place === 'hosted' && known.keyPage !== null;
    if (needsKey && (flags.apiKey ?? apiKey) === undefined) throw createMissingKeyError(known);
    return toEndpoint(known, home, flags, apiKey);
  }

  const ofOpenAi = found.find(({ known }) => known.id === 'openai');
  if (flags.baseUrl !== undefined) {
    return toEndpoint({ wire: flags.apiFormat ?? 'openai-chat' }, flags.baseUrl, flags, ofOpenAi?.apiKey);
  }
  if (ofOpenAi !== undefined) {
    const { known, baseUrl, apiKey, isElsewhere } = ofOpenAi;
    return toEndpoint(isElsewhere ? { wire: 'openai-chat' } : known, baseUrl, flags, apiKey);
  }
  const [first, ...others] = found;
  if (first === undefined) return null;
  if (others.length === 0) return toEndpoint(first.known, first.baseUrl, flags, first.apiKey);
  throw createConfigError(
    `The environment configures ${found.length} providers: ${found.map(({ known }) => known.id).join(', ')}.`,
    'Choose one with --provider.',
  );
}

async function unknownProvider(id: string): Promise<ToolyardError> {
  const unsupported = (await loadUnsupportedProviders()).find((one) => one.id === id);
  return createConfigError(
    unsupported === undefined
      ? `Unknown provider "${id}".`
      : `The provider "${id}" is not supported. ${unsupported.why}`,
    'List presets with "toolyard providers --known"; for any other provider use --base-url and --api-format.',
  );
}

function createMissingKeyError({ label, keyVariables, keyPage }: ProviderRecord): ToolyardError {
  const [variable] = keyVariables;
  const where = variable === undefined ? 'Pass --api-key' : `Set ${variable}, or pass --api-key`;
  return new ToolyardError(missingKeyError(label, `${where}. Create a key at ${keyPage ?? ''}.`));
}

function toEndpoint(
  record: WireFacts & Pick<Partial<ProviderRecord>, 'models' | 'label'>,
  baseUrl: string,
  flags: ModelFlags,
  apiKey: string | undefined,
): ModelEndpoint {
  const { apiFormat: wire } = flags;
  const providerWire = wire === undefined || wire === record.wire ? record : { wire };
  return {
    providerWire,
    baseUrl,
    apiKey: flags.apiKey ?? apiKey,
    ...defined({ models: record.models, label: record.label }),
  };
}

/** Key of a self-hosted provider: read first when the provider is chosen, as its variables do not select it. */
function ownKey({ keyVariables }: ProviderRecord, env: NodeJS.ProcessEnv): string | undefined {
  return keyVariables.map((name) => nonEmpty(env[name])).find((key) => key !== undefined);
}

async function configured(
  { providerWire, label, baseUrl, apiKey, models: listing }: ModelEndpoint,
  modelId: string | undefined,
  { fetch, clock }: ModelContext,
): Promise<ChosenModel> {
  const [placeholder] = placeholdersIn(baseUrl);
  if (placeholder !== undefined || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw createConfigError(
      `Invalid base URL of a model server: ${baseUrl}`,
      placeholder === undefined
        ? 'Use a URL such as http://127.0.0.1:8080 or https://api.example.com/v1.'
        : `Set ${placeholder}, or pass the whole URL with --base-url.`,
    );
  }
  const ids = createUuidSource();
  const runtime: ModelRuntime = createProviderRuntime(
    { ...providerWire, baseUrl, ...(listing && { models: listing }) },
    { fetch, clock, newId: () => ids.next(), ...defined({ apiKey, label }) },
  );
  if (modelId !== undefined) {
    // A server on this machine answers at once, and its windows are small.
    const knownModels = isLoopback(baseUrl) ? await runtime.models().catch(() => []) : [];
    return { model: { runtime, id: modelId, knownModels }, description: `${modelId} at ${baseUrl}` };
  }

  const models = await runtime.models();
  const server = label === undefined ? baseUrl : `${label} (${baseUrl})`;
  const [first, ...others] = models;
  if (!first) {
    throw new ToolyardError({
      code: 'model_not_found',
      message: `${server} offers no model.`,
      hint: 'Load a model there, or name one with --model.',
    });
  }
  if (others.length > 0 && !isLoopback(baseUrl)) {
    throw createConfigError(
      `${server} offers ${models.length} models.`,
      `Choose one with --model: ${listNames(models)}`,
    );
  }
  return { model: { runtime, id: first.id, knownModels: models }, description: `${first.id} at ${baseUrl}` };
}

function demo(id: 'demo' | 'demo-text', description: string): ChosenModel {
  return { model: { demo: true, id }, description };
}

/** The error for an unknown model; its hint lists the available ones. */
export function createModelNotFoundError(modelId: string, offered: readonly ModelInfo[], where: string): ToolyardError {
  return new ToolyardError({
    code: 'model_not_found',
    message: `Model "${modelId}" not found ${where}.`,
    hint:
      offered.length > 0
        ? `Available: ${listNames(offered)}`
        : 'No local model server was detected. Name one with --base-url, or use --model demo.',
  });
}

function listNames(models: readonly ModelInfo[]): string {
  const names = models.slice(0, 12).map((model) => model.id);
  return names.join(', ') + (models.length > names.length ? `, and ${models.length - names.length} more` : '');
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
