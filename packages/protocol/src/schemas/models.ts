import { z } from 'zod';
import { WIRES } from '../wires.ts';
import { existingId, errorInfo, named, namedObject, clientId, createPageSchema, price } from './common.ts';
import { modelReference } from './configuration.ts';

export const modelsView = namedObject('ModelsView', {
  models: z.array(
    z.strictObject({
      providerId: z.string(),
      providerLabel: z.string(),
      modelId: z.string(),
      /** In tokens. */
      contextWindow: z.number().exactOptional(),
      /** Input that it accepts, if its server says so. */
      inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
      /** Absent: unknown, which does not mean free. */
      price: price.exactOptional(),
    }),
  ),
  failures: z.array(z.strictObject({ providerId: z.string(), providerLabel: z.string(), error: errorInfo })),
  /** The model of a new conversation; null if none is configured. */
  defaultModel: modelReference.nullable(),
});
/** Every available model, and for each provider that failed the reason. */
export type ModelsView = z.output<typeof modelsView>;
export type ModelView = ModelsView['models'][number];
/** A kind of input that a model accepts. */
export type ModelInput = NonNullable<ModelView['inputs']>[number];

const wire = z.enum(WIRES);
const modelNames = z.array(z.string().min(1).max(300)).max(1000);

export const providerView = namedObject('ProviderView', {
  id: z.string(),
  label: z.string(),
  /** Where it was configured or detected. Only `settings` can be changed or removed over the API. */
  origin: z.enum(['built-in', 'environment', 'file', 'found', 'settings']),
  /** Other sources of the same provider, which this one overrides. */
  overrides: z.array(z.enum(['file', 'settings'])).exactOptional(),
  /** The environment variables it comes from. */
  variables: z.array(z.string()).exactOptional(),
  baseUrl: z.string().nullable(),
  hasKey: z.boolean(),
  /** API format; null if it is not reached over one. */
  wire: wire.nullable(),
  /** The id of its provider preset. */
  known: z.string().exactOptional(),
  /** Its models, if they were configured. */
  modelNames: modelNames.exactOptional(),
});
export type ProviderView = z.output<typeof providerView>;
export const providerPage = createPageSchema('ProviderPage', providerView);

const knownProviderView = namedObject('ProviderPresetView', {
  id: z.string(),
  label: z.string(),
  /** A hosted service, or a server that the operator runs. */
  place: z.enum(['hosted', 'own']),
  wire,
  /** May contain `{NAME}` for a value of the user's own. */
  baseUrl: z.string(),
  /** Environment variables that may hold its API key. */
  keyVariables: z.array(z.string()),
  /** Where to create an API key; null if none is needed. */
  apiKeyUrl: z.string().nullable(),
  /** True if the provider has no usable list of models: the operator names them. */
  requiresModelNames: z.boolean(),
  note: z.string().exactOptional(),
  /** Source of these facts. */
  source: z.string(),
  proof: z.enum(['tried', 'documented']),
});
/** A provider with known base URL and API format, so that only a key is needed. */
export type ProviderPresetView = z.output<typeof knownProviderView>;
export const providerPresetPage = createPageSchema('ProviderPresetPage', knownProviderView);

const label = z.string().min(1).max(200);
const baseUrl = z.string().min(1).max(2000);
const apiKey = z.string().max(10_000);
const known = z.string().max(64);
const providerFields = {
  wire: wire.exactOptional(),
  known: known.exactOptional(),
  modelNames: modelNames.exactOptional(),
};

export const createProviderBody = namedObject('CreateProvider', {
  id: clientId.exactOptional(),
  label,
  baseUrl,
  apiKey: apiKey.exactOptional(),
  ...providerFields,
});
/** Without a `wire` that of the provider preset applies, otherwise OpenAI Chat Completions. */
export type CreateProvider = z.output<typeof createProviderBody>;
export const changeProviderBody = namedObject('ChangeProvider', {
  label: label.exactOptional(),
  baseUrl: baseUrl.exactOptional(),
  apiKey: apiKey.nullable().exactOptional(),
  ...providerFields,
  known: known.nullable().exactOptional(),
});
/** An `apiKey` or `known` of null removes it; absent fields stay. */
export type ChangeProvider = z.output<typeof changeProviderBody>;
export const testProviderBody = namedObject('TestProvider', {
  id: existingId.exactOptional(),
  baseUrl,
  apiKey: apiKey.exactOptional(),
  ...providerFields,
});
/** Lists the models at this base URL without storing anything; with `id` the stored key of that provider is used. */
export type TestProvider = z.output<typeof testProviderBody>;
export const testedProvider = named(
  'TestedProvider',
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), models: z.array(z.string()) }),
    z.strictObject({ ok: z.literal(false), error: errorInfo }),
  ]),
);
export type TestedProvider = z.output<typeof testedProvider>;
