import { cloudCredentials } from '@toolyard/agent-host/node';
import type { ModelRuntime } from '@toolyard/model-runtime';
import { createProviderRuntime } from '@toolyard/model-runtime';
import type { Clock, IdSource, Owner, ProviderView } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { shownBaseUrl } from '../config/base-url.ts';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import { DEMO } from './demo-provider.ts';
import type { DetectedProvider, DetectedProviders } from './detected-providers.ts';
import type { ConfiguredProvider } from './provider-record.ts';
import { findPreset } from './provider-presets.ts';
import { isSameServer, toRuntimeOptions } from './provider-record.ts';
import type { StoredProvider, StoredProviders } from './stored-providers.ts';

export type ProviderDirectoryOptions = {
  /** Providers of environment and configuration file; the first with an id wins. */
  fixed: readonly ConfiguredProvider[];
  stored: StoredProviders;
  found: DetectedProviders;
  fetches: OwnerFetches;
  clock: Clock;
  ids: IdSource;
  /** With the credentials of a cloud for its providers without a key. */
  env: Readonly<Record<string, string | undefined>>;
};

/** A runtime for a provider with its current base URL and key, which `version` identifies. */
export type OpenedProvider = { key: string; version: string; runtime: ModelRuntime };

/** Every provider with a base URL, from any source, and its runtime. */
export class ProviderDirectory {
  readonly #options: ProviderDirectoryOptions;
  readonly #opened = new Map<string, OpenedProvider>();

  constructor(options: ProviderDirectoryOptions) {
    this.#options = options;
  }

  /** Configured providers. */
  async configured(principal: Owner): Promise<ConfiguredProvider[]> {
    const own = await this.#options.stored.list(principal);
    const counting = new Map<string, ConfiguredProvider>();
    for (const record of [...this.#options.fixed, ...(await Promise.all(own.map(toConfiguredProvider)))]) {
      if (record.id !== DEMO.id) counting.set(record.id, inForce(counting.get(record.id), record));
    }
    return [...counting.values()];
  }

  /** Detected providers that are not configured. */
  async foundBeside(configured: readonly ConfiguredProvider[], refresh: boolean): Promise<DetectedProvider[]> {
    const servers = await this.#options.found.current(refresh);
    return servers.filter(
      (server) => !configured.some(({ id, baseUrl }) => id === server.id || isSameServer(baseUrl, server.baseUrl)),
    );
  }

  async find(principal: Owner, id: string): Promise<ConfiguredProvider | undefined> {
    const { found } = this.#options;
    return (await this.configured(principal)).find((record) => record.id === id) ?? found.find(id);
  }

  /** @throws ToolyardError `bad_config` if the stored key cannot be read */
  async findKey(principal: Owner, record: ConfiguredProvider): Promise<string | undefined> {
    const { stored, env } = this.#options;
    const own = record.origin === 'settings' ? await stored.key(principal, record) : record.apiKey;
    return own ?? cloudCredentials(record.known ?? {}, record.baseUrl, env);
  }

  /** Returns the same runtime until base URL or key change. @throws like {@link ProviderDirectory.findKey} */
  async open(principal: Owner, record: ConfiguredProvider): Promise<OpenedProvider> {
    const { fetches, clock, ids } = this.#options;
    const { id, label, baseUrl, wire, modelNames = [], models: knownModels } = record;
    const apiKey = await this.findKey(principal, record);
    const tools = knownModels?.map((model) => `${model.id} ${model.nativeTools}`) ?? [];
    const version = [label, baseUrl, apiKey ?? '', wire, record.known?.id ?? '', ...modelNames, ...tools].join('\n');
    const key = `${principal.ownerId}\n${id}`;
    const known = this.#opened.get(key);
    if (known?.version === version) return known;
    const runtime = createProviderRuntime(toRuntimeOptions(record), {
      fetch: fetches.for(baseUrl),
      clock,
      label,
      newId: () => ids.next(),
      ...defined({ apiKey, knownModels }),
    });
    const opened = { key, version, runtime };
    this.#opened.set(key, opened);
    return opened;
  }

  async view(principal: Owner, record: ConfiguredProvider): Promise<ProviderView> {
    const { id, label, origin, baseUrl, wire, known, modelNames, overrides, variables } = record;
    // An unreadable key counts as a key; its error is reported on use.
    const hasKey = await this.findKey(principal, record).then(
      (key) => key !== undefined,
      () => true,
    );
    return {
      id,
      label,
      origin,
      ...(overrides === undefined ? {} : { overrides: [...overrides] }),
      ...(variables === undefined ? {} : { variables: [...variables] }),
      baseUrl: shownBaseUrl(baseUrl),
      hasKey,
      wire,
      ...(known === undefined ? {} : { known: known.id }),
      ...(modelNames === undefined ? {} : { modelNames: [...modelNames] }),
    };
  }
}

/** Of two providers with the same id the first wins, and lists the other as overridden. */
function inForce(first: ConfiguredProvider | undefined, next: ConfiguredProvider): ConfiguredProvider {
  if (first === undefined) return next;
  const { origin } = next;
  const { overrides = [] } = first;
  const isNew = (origin === 'file' || origin === 'settings') && origin !== first.origin && !overrides.includes(origin);
  return isNew ? { ...first, overrides: [...overrides, origin] } : first;
}

/** A stored provider merged with its preset. */
export async function toConfiguredProvider({
  wire,
  known: id,
  ...stored
}: StoredProvider): Promise<ConfiguredProvider> {
  const known = await findPreset(id);
  return {
    ...stored,
    origin: 'settings',
    wire: wire ?? known?.wire ?? 'openai-chat',
    ...defined({ known }),
  };
}
