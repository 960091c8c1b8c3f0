import type {
  ChangeProvider,
  CreateProvider,
  KnownProviderView,
  ModelsView,
  ProviderView,
  TestedProvider,
  TestProvider,
} from '@toolyard/protocol';
import { WIRES } from '@toolyard/protocol';
import { z } from 'zod';
import { anId, errorInfo, named, newId, pageOf, price } from './common.ts';
import { modelReference } from './configuration.ts';
import { exactly } from './exactly.ts';

export const modelsView = named(
  'ModelsView',
  exactly<ModelsView>()(
    z.strictObject({
      models: z.array(
        z.strictObject({
          providerId: z.string(),
          providerLabel: z.string(),
          modelId: z.string(),
          contextWindow: z.number().exactOptional(),
          inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
          price: price.exactOptional(),
        }),
      ),
      failures: z.array(z.strictObject({ providerId: z.string(), providerLabel: z.string(), error: errorInfo })),
      standard: modelReference.nullable(),
    }),
  ),
);

const wire = z.enum(WIRES);
const modelNames = z.array(z.string().min(1).max(300)).max(1000);

export const providerView = named(
  'ProviderView',
  exactly<ProviderView>()(
    z.strictObject({
      id: z.string(),
      label: z.string(),
      origin: z.enum(['built-in', 'environment', 'file', 'found', 'settings']),
      overrides: z.array(z.enum(['file', 'settings'])).exactOptional(),
      variables: z.array(z.string()).exactOptional(),
      baseUrl: z.string().nullable(),
      hasKey: z.boolean(),
      wire: wire.nullable(),
      known: z.string().exactOptional(),
      modelNames: modelNames.exactOptional(),
    }),
  ),
);
export const providerPage = pageOf('ProviderPage', providerView);

const knownProviderView = named(
  'KnownProviderView',
  exactly<KnownProviderView>()(
    z.strictObject({
      id: z.string(),
      label: z.string(),
      place: z.enum(['hosted', 'own']),
      wire,
      baseUrl: z.string(),
      keyVariables: z.array(z.string()),
      keyPage: z.string().nullable(),
      wantsModelNames: z.boolean(),
      note: z.string().exactOptional(),
      source: z.string(),
      proof: z.enum(['tried', 'documented']),
    }),
  ),
);
export const knownProviderPage = pageOf('KnownProviderPage', knownProviderView);

const label = z.string().min(1).max(200);
const baseUrl = z.string().min(1).max(2000);
const apiKey = z.string().max(10_000);
const known = z.string().max(64);
const how = {
  wire: wire.exactOptional(),
  known: known.exactOptional(),
  modelNames: modelNames.exactOptional(),
};

export const createProvider = named(
  'CreateProvider',
  exactly<CreateProvider>()(
    z.strictObject({ id: newId.exactOptional(), label, baseUrl, apiKey: apiKey.exactOptional(), ...how }),
  ),
);
export const changeProvider = named(
  'ChangeProvider',
  exactly<ChangeProvider>()(
    z.strictObject({
      label: label.exactOptional(),
      baseUrl: baseUrl.exactOptional(),
      apiKey: apiKey.nullable().exactOptional(),
      ...how,
      known: known.nullable().exactOptional(),
    }),
  ),
);
export const testProvider = named(
  'TestProvider',
  exactly<TestProvider>()(
    z.strictObject({ id: anId.exactOptional(), baseUrl, apiKey: apiKey.exactOptional(), ...how }),
  ),
);
export const testedProvider = named(
  'TestedProvider',
  exactly<TestedProvider>()(
    z.discriminatedUnion('ok', [
      z.strictObject({ ok: z.literal(true), models: z.array(z.string()) }),
      z.strictObject({ ok: z.literal(false), error: errorInfo }),
    ]),
  ),
);
