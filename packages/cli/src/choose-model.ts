import type { ModelChoice } from '@toolyard/agent-host';
import { createUuidSource } from '@toolyard/agent-host';
import type { ModelInfo, ModelRuntime, WireFacts } from '@toolyard/model-runtime';
import {
  createProviderRuntime,
  fillAddress,
  findLocalServers,
  placeholdersIn,
  loadProviders,
  loadUnsupportedProviders,
  providersInEnvironment,
  type ProviderRecord,
} from '@toolyard/model-runtime';
import type { Clock, Fetch } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { ConnectionFlags } from './flags.ts';

export type ModelContext = { env: NodeJS.ProcessEnv; fetch: Fetch; clock: Clock };

/** The model a command works with, and a line that says how it was found. */
export type ChosenModel = { model: ModelChoice; told: string };

const DEMO = /^demo(-text)?$/;

type ModelFlags = Pick<ConnectionFlags, 'baseUrl' | 'apiKey' | 'model' | 'provider' | 'wire'>;

/** A place where models are, as flags or environment name it. */
type Place = { facts: WireFacts; baseUrl: string; apiKey: string | undefined; models?: ProviderRecord['models'] };

/**
 * Flags over environment over a local server that is found over the demo.
 *
 * @throws ToolyardError where a model was asked for that is not there
 */
export async function chooseModel(flags: ModelFlags, surroundings: ModelContext): Promise<ChosenModel> {
  const { fetch, clock } = surroundings;
  const wanted = flags.model;
  if (wanted !== undefined && DEMO.test(wanted) && flags.baseUrl === undefined && flags.provider === undefined) {
    return demo(wanted === 'demo-text' ? 'demo-text' : 'demo', 'the built-in demo (no language model)');
  }
  const place = await placeOf(flags, surroundings.env);
  if (place !== null) return configured(place, wanted, surroundings);

  const found = await findLocalServers({ fetch, clock });
  for (const server of found) {
    const id = wanted ?? server.models[0]?.id;
    if (id !== undefined && (wanted === undefined || server.models.some((model) => model.id === wanted))) {
      return { model: { baseUrl: server.baseUrl, id }, told: `${id} of ${server.label} at ${server.baseUrl} (found)` };
    }
  }
  if (wanted !== undefined)
    throw providerNotFound(
      wanted,
      found.flatMap((server) => server.models),
      'on this machine',
    );
  return demo('demo', 'the built-in demo, which is no language model: none is configured (--base-url) or found here');
}

/** The provider that is meant; null where none is. */
async function placeOf(flags: ModelFlags, env: NodeJS.ProcessEnv): Promise<Place | null> {
  const found = await providersInEnvironment(env);
  if (flags.provider !== undefined) {
    const known = (await loadProviders()).find(({ id }) => id === flags.provider);
    if (known === undefined) throw await unknownProvider(flags.provider);
    const own = found.find((one) => one.known.id === known.id);
    const elsewhere = flags.baseUrl ?? own?.baseUrl;
    const apiKey = own?.apiKey ?? ownKey(known, env);
    const wantsKey = elsewhere === undefined && known.place === 'hosted' && known.keyPage !== null;
    if (wantsKey && (flags.apiKey ?? apiKey) === undefined) throw keyMissing(known);
    return placeIn(known, elsewhere ?? fillAddress(known.baseUrl, env) ?? known.baseUrl, flags, apiKey);
  }

  const ofOpenAi = found.find(({ known }) => known.id === 'openai');
  if (flags.baseUrl !== undefined) {
    return placeIn({ wire: flags.wire ?? 'openai-chat' }, flags.baseUrl, flags, ofOpenAi?.apiKey);
  }
  if (ofOpenAi !== undefined) {
    const { known, baseUrl, apiKey, isElsewhere } = ofOpenAi;
    return placeIn(isElsewhere ? { wire: 'openai-chat' } : known, baseUrl, flags, apiKey);
  }
  const [only, ...others] = found;
  if (only === undefined) return null;
  if (others.length === 0) return placeIn(only.known, only.baseUrl, flags, only.apiKey);
  throw new ToolyardError({
    code: 'bad_config',
    message: `The environment names ${found.length} providers: ${found.map(({ known }) => known.id).join(', ')}.`,
    hint: 'Choose one with --provider.',
  });
}

async function unknownProvider(id: string): Promise<ToolyardError> {
  const unreached = (await loadUnsupportedProviders()).find((one) => one.id === id);
  return new ToolyardError({
    code: 'bad_config',
    message:
      unreached === undefined
        ? `No provider is known as "${id}".`
        : `The provider "${id}" cannot be reached. ${unreached.why}`,
    hint: '"toolyard providers --known" lists them; any other is named by --base-url and --wire.',
  });
}

function keyMissing({ label, keyVariables, keyPage }: ProviderRecord): ToolyardError {
  const [variable] = keyVariables;
  return new ToolyardError({
    code: 'invalid_key',
    message: `${label} wants a key, and none is set.`,
    hint: `${variable === undefined ? 'Give it with --api-key' : `Set ${variable}, or give --api-key`}; keys are made at ${keyPage ?? ''}.`,
  });
}

function placeIn(
  record: WireFacts & Pick<Partial<ProviderRecord>, 'models'>,
  baseUrl: string,
  flags: ModelFlags,
  apiKey: string | undefined,
): Place {
  const { wire } = flags;
  const facts = wire === undefined || wire === record.wire ? record : { wire };
  return { facts, baseUrl, apiKey: flags.apiKey ?? apiKey, ...(record.models && { models: record.models }) };
}

/** Programs of one's own are not looked for in the environment; once one is named, its key is. */
function ownKey({ keyVariables }: ProviderRecord, env: NodeJS.ProcessEnv): string | undefined {
  return keyVariables.map((name) => nonEmpty(env[name])).find((key) => key !== undefined);
}

async function configured(
  { facts, baseUrl, apiKey, models: listing }: Place,
  wanted: string | undefined,
  { fetch, clock }: ModelContext,
): Promise<ChosenModel> {
  const [gap] = placeholdersIn(baseUrl);
  if (gap !== undefined || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `${baseUrl} is not the address of a model server.`,
      hint:
        gap === undefined
          ? 'It looks like http://127.0.0.1:8080 or https://api.example.com/v1.'
          : `Set ${gap}, or give the whole address with --base-url.`,
    });
  }
  const ids = createUuidSource();
  const key = apiKey === undefined ? {} : { apiKey };
  const runtime: ModelRuntime = createProviderRuntime(
    { ...facts, baseUrl, ...(listing && { models: listing }) },
    { fetch, clock, newId: () => ids.next(), ...key },
  );
  if (wanted !== undefined) return { model: { runtime, id: wanted }, told: `${wanted} at ${baseUrl}` };

  const models = await runtime.models();
  const [only, ...others] = models;
  if (!only) {
    throw new ToolyardError({
      code: 'model_not_found',
      message: `${baseUrl} offers no model.`,
      hint: 'Load one there, or name one with --model.',
    });
  }
  if (others.length > 0 && !isLoopback(baseUrl)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `${baseUrl} offers ${models.length} models.`,
      hint: `Choose one with --model: ${someOf(models)}`,
    });
  }
  return { model: { runtime, id: only.id }, told: `${only.id} at ${baseUrl}` };
}

function demo(id: 'demo' | 'demo-text', told: string): ChosenModel {
  return { model: { demo: true, id }, told };
}

/** The error for a model that is not offered, naming those that are. */
export function providerNotFound(wanted: string, offered: readonly ModelInfo[], where: string): ToolyardError {
  return new ToolyardError({
    code: 'model_not_found',
    message: `There is no model "${wanted}" ${where}.`,
    hint:
      offered.length > 0
        ? `On offer: ${someOf(offered)}`
        : 'No local model server was found; give one with --base-url, or use --model demo.',
  });
}

function someOf(models: readonly ModelInfo[]): string {
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
