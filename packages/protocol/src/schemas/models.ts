import { z } from 'zod';
import { WIRES } from '../wires.ts';
import { existingId, errorInfo, named, clientId, pageOf, price } from './common.ts';
import { modelReference } from './configuration.ts';

export const modelsView = named(
  'ModelsView',
  z.strictObject({
    models: z.array(
      z.strictObject({
        providerId: z.string(),
        providerLabel: z.string(),
        modelId: z.string(),
        /** In tokens. */
        contextWindow: z.number().exactOptional(),
        /** What it reads, where its server says so. */
        inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
        /** Absent: unknown, which is not nothing. */
        price: price.exactOptional(),
      }),
    ),
    failures: z.array(z.strictObject({ providerId: z.string(), providerLabel: z.string(), error: errorInfo })),
    /** What a new conversation uses; null where there is none. */
    defaultModel: modelReference.nullable(),
  }),
);
/** Every model that is to be had now, and of each provider that could not be asked the reason. */
export type ModelsView = z.output<typeof modelsView>;
export type ModelView = ModelsView['models'][number];
/** What a model can read. */
export type ModelInput = NonNullable<ModelView['inputs']>[number];

const wire = z.enum(WIRES);
const modelNames = z.array(z.string().min(1).max(300)).max(1000);

export const providerView = named(
  'ProviderView',
  z.strictObject({
    id: z.string(),
    label: z.string(),
    /** Where it was learnt of. Only `settings` can be changed or removed here. */
    origin: z.enum(['built-in', 'environment', 'file', 'found', 'settings']),
    /** Where the same provider stands, too, and does not count. */
    overrides: z.array(z.enum(['file', 'settings'])).exactOptional(),
    /** The variables of the environment it comes from. */
    variables: z.array(z.string()).exactOptional(),
    baseUrl: z.string().nullable(),
    hasKey: z.boolean(),
    /** Which API it speaks; null where it is reached over none. */
    wire: wire.nullable(),
    /** The id of the known provider it is. */
    known: z.string().exactOptional(),
    /** Its models where somebody named them. */
    modelNames: modelNames.exactOptional(),
  }),
);
export type ProviderView = z.output<typeof providerView>;
export const providerPage = pageOf('ProviderPage', providerView);

const knownProviderView = named(
  'ProviderPresetView',
  z.strictObject({
    id: z.string(),
    label: z.string(),
    /** Served by somebody, or by a program of one's own. */
    place: z.enum(['hosted', 'own']),
    wire,
    /** May hold `{NAME}`, for something of one's own. */
    baseUrl: z.string(),
    /** The variables its key is looked for in. */
    keyVariables: z.array(z.string()),
    /** Where its keys are made; null where it wants none. */
    apiKeyUrl: z.string().nullable(),
    /** True where it tells no list that helps: a person names the models. */
    requiresModelNames: z.boolean(),
    note: z.string().exactOptional(),
    /** Where these facts stand. */
    source: z.string(),
    proof: z.enum(['tried', 'documented']),
  }),
);
/** A provider whose address and API are known, so that only a key is wanted. */
export type ProviderPresetView = z.output<typeof knownProviderView>;
export const providerPresetPage = pageOf('ProviderPresetPage', knownProviderView);

const label = z.string().min(1).max(200);
const baseUrl = z.string().min(1).max(2000);
const apiKey = z.string().max(10_000);
const known = z.string().max(64);
const how = {
  wire: wire.exactOptional(),
  known: known.exactOptional(),
  modelNames: modelNames.exactOptional(),
};

export const createProviderBody = named(
  'CreateProvider',
  z.strictObject({ id: clientId.exactOptional(), label, baseUrl, apiKey: apiKey.exactOptional(), ...how }),
);
/** Without a `wire` it is that of the known provider, else OpenAI's chat completions. */
export type CreateProvider = z.output<typeof createProviderBody>;
export const changeProviderBody = named(
  'ChangeProvider',
  z.strictObject({
    label: label.exactOptional(),
    baseUrl: baseUrl.exactOptional(),
    apiKey: apiKey.nullable().exactOptional(),
    ...how,
    known: known.nullable().exactOptional(),
  }),
);
/** An `apiKey` or `known` of null removes it; what is absent stays. */
export type ChangeProvider = z.output<typeof changeProviderBody>;
export const testProviderBody = named(
  'TestProvider',
  z.strictObject({ id: existingId.exactOptional(), baseUrl, apiKey: apiKey.exactOptional(), ...how }),
);
/** Asks the address for its models without storing anything; `id` stands for the stored key of that provider. */
export type TestProvider = z.output<typeof testProviderBody>;
export const testedProvider = named(
  'TestedProvider',
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), models: z.array(z.string()) }),
    z.strictObject({ ok: z.literal(false), error: errorInfo }),
  ]),
);
export type TestedProvider = z.output<typeof testedProvider>;
