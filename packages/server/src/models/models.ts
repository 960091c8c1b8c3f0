import type { ModelInfo, ModelRuntime } from '@toolyard/model-runtime';
import { createDemoRuntime, createProviderRuntime, loadingError, rememberNativeCalls } from '@toolyard/model-runtime';
import { cloudCredentials } from '@toolyard/agent-host/node';
import { createGuardedFetch, trustOrigins } from '@toolyard/guarded-fetch';
import type {
  AgentConfiguration,
  Clock,
  IdSource,
  ModelReference,
  ModelsView,
  ModelView,
  Owner,
  ToolyardError,
} from '@toolyard/protocol';
import { defined, isStorageFault, toErrorInfo, say } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import { createConflictError, createInvalidError, createNotFoundError } from '../errors.ts';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import { checkBaseUrl } from '../config/base-url.ts';
import { isLoopback } from '../config/server-options.ts';
import type { FileProvider } from '../config/config-file.ts';
import { PROVIDER_ID } from '../config/config-file.ts';
import { DEFAULTS_KEY } from '../config/raised-budget.ts';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { LiveHub, Models } from '../services.ts';
import { DEMO } from './demo-provider.ts';
import { environmentProviders } from './environment-provider.ts';
import { fileProviderRecords } from './file-providers.ts';
import type { DetectedProvider } from './detected-providers.ts';
import { DetectedProviders } from './detected-providers.ts';
import { findPreset, requirePreset, providerPresetViews, explainMissingProvider } from './provider-presets.ts';
import type { Freshness, ListOutcome } from './model-lists.ts';
import { ModelLists } from './model-lists.ts';
import type { KnownDetails, StatedModels } from './model-details.ts';
import { ModelDetailsStore } from './model-details.ts';
import { nativeCallMemory } from './native-call-memory.ts';
import { toConfiguredProvider, ProviderDirectory } from './provider-directory.ts';
import type { ConfiguredProvider } from './provider-record.ts';
import { isSameOrigin, providerIdFrom, toRuntimeOptions } from './provider-record.ts';
import { LOADED_MODEL, standardModel } from './standard-model.ts';
import { createProviderIdTakenError, readKey, StoredProviders } from './stored-providers.ts';
import { testProviderModels } from './test-provider.ts';

/** Time limit of a provider's model list when all are listed. */
const LIST_MS = 5_000;

export type ModelsOptions = {
  settings: Pick<SettingsRepository, 'get' | 'set'>;
  secrets: Pick<Secrets, 'get' | 'set' | 'remove'>;
  env: Readonly<Record<string, string | undefined>>;
  fileProviders: readonly FileProvider[];
  fileDefaults: AgentConfiguration;
  /** The operator's facts about models. */
  statedModels: StatedModels;
  clock: Clock;
  ids: IdSource;
  hub: Pick<LiveHub, 'changed'>;
  /** Loopback ports to look for model servers on; default: the usual ones. */
  localPorts?: readonly number[];
};

export type ModelsService = Models & {
  /** The default model if no user has chosen one; queries providers only if nothing is known. */
  standard(principal: Owner): Promise<ModelReference>;
  /** Closes every connection. */
  close(): Promise<void>;
};

/**
 * The models of every provider: from the environment, the configuration file, the settings, detected on this machine,
 * and the demo.
 *
 * @throws ToolyardError `bad_config` for an invalid base URL in the environment, or an unknown provider in the file
 */
export async function createModels(options: ModelsOptions): Promise<ModelsService> {
  const { settings, secrets, clock, ids, hub } = options;
  const fetches = createOwnerFetches();
  const fixed: ConfiguredProvider[] = [
    ...(await environmentProviders(options.env)),
    ...(await fileProviderRecords(options.fileProviders)),
  ];
  const stored = new StoredProviders({ settings, secrets, clock });
  const found = new DetectedProviders({
    fetches,
    clock,
    onChange: () => hub.changed(null, 'providers'),
    ...defined({ ports: options.localPorts }),
  });
  const lists = new ModelLists(clock);
  const directory = new ProviderDirectory({ fixed, stored, found, fetches, clock, ids, env: options.env });
  const details = new ModelDetailsStore(options.statedModels, clock);
  const demo = createDemoRuntime({ clock, newId: () => ids.next() });

  const remembered = new WeakMap<ModelRuntime, ModelRuntime>();
  /** One runtime of an owner and provider stays the same object. */
  function remembering(principal: Owner, providerId: string, runtime: ModelRuntime): ModelRuntime {
    let known = remembered.get(runtime);
    if (!known) {
      known = rememberNativeCalls(runtime, nativeCallMemory(principal, providerId, { settings, clock }));
      remembered.set(runtime, known);
    }
    return known;
  }

  async function fetchModels(principal: Owner, record: ConfiguredProvider, how: Freshness): Promise<ListOutcome> {
    try {
      const { key, version, runtime } = await directory.open(principal, record);
      return await lists.ask(key, version, runtime, how, LIST_MS);
    } catch (thrown) {
      // A provider whose key is temporarily unreadable still exists; no other may replace it.
      if (isStorageFault(thrown)) throw thrown;
      return { ok: false, error: toErrorInfo(thrown) };
    }
  }

  async function collect(principal: Owner, how: Freshness): Promise<ModelsView> {
    const known = await directory.configured(principal);
    const [asked, local] = await Promise.all([
      Promise.all(known.map(async (record) => ({ record, outcome: await fetchModels(principal, record, how) }))),
      directory.foundBeside(known, how === 'refresh'),
    ]);
    const results = [
      ...asked,
      ...local.map((record): { record: DetectedProvider; outcome: ListOutcome } => ({
        record,
        outcome: record.isLoading ? { ok: false, error: loadingError(record) } : { ok: true, models: record.models },
      })),
      { record: DEMO, outcome: { ok: true as const, models: await demo.models() } },
    ];
    const chosen =
      options.fileDefaults.model ?? readStoredConfiguration(await settings.get(principal, DEFAULTS_KEY)).model;
    const isOffered = results.some(({ record }) => record.id === chosen?.providerId);
    const views = await Promise.all(
      results.map(async ({ record, outcome }) =>
        outcome.ok
          ? modelViews(record, outcome.models, record.baseUrl === null ? toListedDetails : await details.of(record))
          : [],
      ),
    );
    return {
      models: views.flat(),
      failures: results.flatMap(({ record, outcome }) =>
        outcome.ok ? [] : [{ providerId: record.id, providerLabel: record.label, error: outcome.error }],
      ),
      defaultModel:
        chosen !== undefined && isOffered
          ? chosen
          : standardModel(
              // A provider that is unreachable for a while is still the configured one.
              results.flatMap(({ record, outcome }) =>
                modelViews(record, outcome.ok ? outcome.models : (outcome.before ?? []), toListedDetails),
              ),
              local,
            ),
    };
  }

  /** What is known of a model, by its provider or by the operator. */
  async function getModelDetails(
    record: ConfiguredProvider,
    models: readonly ModelInfo[],
    modelId: string,
  ): Promise<Pick<ModelView, 'contextWindow' | 'inputs'>> {
    const only = modelId === LOADED_MODEL ? models[0] : undefined;
    const model = models.find(({ id }) => id === modelId) ?? only ?? { id: modelId };
    const { contextWindow } = (await details.of(record))(model);
    return { ...defined({ contextWindow }), ...getInputs(model) };
  }

  /** The models that the detection read, again if another one was started on the port since. */
  async function modelsWith(record: DetectedProvider, modelId: string): Promise<readonly ModelInfo[]> {
    if (record.models.some(({ id }) => id === modelId)) return record.models;
    const again = (await found.current(true)).find(({ id }) => id === record.id);
    return again?.models ?? record.models;
  }

  async function mayChange(principal: Owner, id: string): Promise<void> {
    const record = id === DEMO.id ? DEMO : await directory.find(principal, id);
    if (record === undefined) throw createNoProviderError(id);
    if (record.origin === 'settings') return;
    throw createConflictError(say`The provider "${record.label}" cannot be changed here.`, whereToChange(record));
  }

  return {
    async list(principal, { refresh = false, signal } = {}) {
      return orAborted(collect(principal, refresh ? 'refresh' : 'fresh'), signal);
    },
    async standard(principal) {
      return (await collect(principal, 'known')).defaultModel ?? standardModel([]);
    },
    async open(principal, { providerId }) {
      if (providerId === DEMO.id) return demo;
      const record = await directory.find(principal, providerId);
      if (record !== undefined)
        return remembering(principal, record.id, (await directory.open(principal, record)).runtime);
      const there = [...(await directory.configured(principal)), DEMO].map(({ id }) => id);
      throw await explainMissingProvider(providerId, there);
    },
    async price(principal, { providerId, modelId }) {
      const record = providerId === DEMO.id ? undefined : await directory.find(principal, providerId);
      return record && (await details.of(record))({ id: modelId }).price;
    },
    async abilities(principal, { providerId, modelId }, { ask = false } = {}) {
      if (providerId === DEMO.id) return {};
      try {
        const record = await directory.find(principal, providerId);
        if (record === undefined) return {};
        const { key, version, runtime } = await directory.open(principal, record);
        if (isDetected(record)) return await getModelDetails(record, await modelsWith(record, modelId), modelId);
        const listed =
          ask || isLocal(record.baseUrl)
            ? await lists.ask(key, version, runtime, 'known', LIST_MS)
            : lists.known(key, version);
        const models = listed?.ok ? listed.models : (listed?.before ?? []);
        return await getModelDetails(record, models, modelId);
      } catch (thrown) {
        if (isStorageFault(thrown)) throw thrown;
        // A permanently unreadable key is reported when the model is opened.
        return {};
      }
    },
    async providers(principal) {
      const known = await directory.configured(principal);
      const local = await directory.foundBeside(known, false);
      return [...(await Promise.all([...known, ...local].map((record) => directory.view(principal, record)))), DEMO];
    },
    known: providerPresetViews,
    async create(principal, { id, ...fields }) {
      const { label, baseUrl } = fields;
      if (fields.known !== undefined) await requirePreset(fields.known, { code: 'bad_request' });
      const taken = new Set([DEMO.id, ...(await directory.configured(principal)).map((record) => record.id)]);
      if (id !== undefined) checkNewId(id, taken);
      const name = label.trim() || new URL(checkBaseUrl(baseUrl, { code: 'bad_request' })).host;
      const made = await stored.create(principal, { ...fields, id: id ?? providerIdFrom(name, taken), label: name });
      hub.changed(principal.ownerId, 'providers', made.id);
      return directory.view(principal, await toConfiguredProvider(made));
    },
    async change(principal, id, change) {
      await mayChange(principal, id);
      if (typeof change.known === 'string') await requirePreset(change.known, { code: 'bad_request' });
      const changed = await stored.change(principal, id, change);
      if (changed === null) throw createNoProviderError(id);
      hub.changed(principal.ownerId, 'providers', id);
      return directory.view(principal, await toConfiguredProvider(changed));
    },
    async remove(principal, id) {
      await mayChange(principal, id);
      if (!(await stored.remove(principal, id))) throw createNoProviderError(id);
      hub.changed(principal.ownerId, 'providers', id);
    },
    async test(principal, { id, baseUrl: newBaseUrl, apiKey: newKey, ...how }, signal) {
      let fetch: ReturnType<typeof createGuardedFetch> | undefined;
      try {
        const baseUrl = checkBaseUrl(newBaseUrl, { code: 'bad_request' });
        fetch = createGuardedFetch({ trust: trustOrigins([baseUrl]) });
        // A stored key is used only where it would be sent anyway.
        const record = id === undefined ? undefined : await directory.find(principal, id);
        const isHome = newKey === undefined && record !== undefined && isSameOrigin(record.baseUrl, baseUrl);
        const known = (await findPreset(how.known)) ?? record?.known;
        const ownKey = isHome ? await directory.findKey(principal, record) : (readKey(newKey) ?? undefined);
        const apiKey = ownKey ?? cloudCredentials(known ?? {}, baseUrl, options.env);
        const key = apiKey === undefined ? {} : { apiKey };
        const wire = how.wire ?? record?.wire ?? known?.wire ?? 'openai-chat';
        const modelNames = how.modelNames ?? record?.modelNames ?? [];
        const details = toRuntimeOptions({ baseUrl, wire, modelNames, ...(known && { known }) });
        const isNamed = details.models !== undefined && 'named' in details.models;
        const runtime = createProviderRuntime(details, { fetch, clock, maxRetries: 0, ...key });
        return await testProviderModels({ runtime, baseUrl, wire, isNamed }, clock, signal);
      } catch (thrown) {
        if (signal?.aborted === true) throw thrown;
        return { ok: false, error: toErrorInfo(thrown) };
      } finally {
        await fetch?.close();
      }
    },
    async close() {
      await found.close();
      await fetches.close();
    },
  };
}

function isDetected(record: ConfiguredProvider): record is DetectedProvider {
  return 'models' in record;
}

/** A server on this machine is asked at once: its windows are small. */
function isLocal(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

function whereToChange(record: ConfiguredProvider | typeof DEMO): string {
  switch (record.origin) {
    case 'built-in':
      return 'It is built into Toolyard.';
    case 'environment':
      return `It comes from ${(record.variables ?? []).join(' and ')}: change the environment of the server.`;
    case 'file':
      return 'It is set in config.json of the data folder: change it there and restart the server.';
    case 'found':
      return 'It was detected on this machine. To set a key or a name, add its base URL as a new provider.';
    case 'settings':
      return 'Change it in the settings.';
  }
}

function modelViews(
  { id, label }: { id: string; label: string },
  models: readonly ModelInfo[],
  getDetails: (model: ModelInfo) => KnownDetails,
): ModelView[] {
  return models.map((model) => ({
    providerId: id,
    providerLabel: label,
    modelId: model.id,
    ...getDetails(model),
    ...getInputs(model),
  }));
}

function getInputs({ inputs }: ModelInfo): Pick<ModelView, 'inputs'> {
  return inputs === undefined ? {} : { inputs };
}

function toListedDetails({ contextWindow }: ModelInfo): KnownDetails {
  return contextWindow === undefined ? {} : { contextWindow };
}

function createNoProviderError(id: string): ToolyardError {
  return createNotFoundError(say`There is no provider "${id}".`);
}

function checkNewId(id: string, taken: ReadonlySet<string>): void {
  if (!PROVIDER_ID.test(id)) {
    throw createInvalidError(
      say`"${id}" is not a valid provider id.`,
      say`Use letters, digits, dots, dashes and underscores, at most 64.`,
    );
  }
  if (taken.has(id)) throw createProviderIdTakenError(id);
}

/** Ends only this wait; shared work continues for the others. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const stop = (): void =>
      reject(signal.reason instanceof Error ? signal.reason : new DOMException('', 'AbortError'));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
