import type {
  ChangeProvider,
  Clock,
  CreateProvider,
  JsonValue,
  Owner,
  WireName,
  ToolyardError,
} from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, WIRES, say } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import { z } from 'zod';
import { createConflictError, createInvalidError } from '../errors.ts';
import { checkBaseUrl, checkHasNoKey } from '../config/base-url.ts';
import { PROVIDER_ID } from '../config/config-file.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { isSameOrigin } from './provider-record.ts';

/** Settings key of the stored providers, without their keys. Written only here. */
const PROVIDERS_KEY = 'providers';

/** `wire` is absent in records of older releases, which supported only one API format. */
export type StoredProvider = {
  id: string;
  label: string;
  baseUrl: string;
  wire?: WireName;
  known?: string;
  modelNames?: string[];
};

const storedProvider = z.object({
  id: z.string().regex(PROVIDER_ID),
  label: z.string(),
  baseUrl: z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url)),
  wire: z.enum(WIRES).exactOptional(),
  known: z.string().exactOptional(),
  modelNames: z.array(z.string()).exactOptional(),
});

/** A key is stored with the origin it was entered for. */
const storedKey = z.object({ origin: z.string(), apiKey: z.string() });

export type StoredProvidersOptions = {
  settings: Pick<SettingsRepository, 'get' | 'set'>;
  secrets: Pick<Secrets, 'get' | 'set' | 'remove'>;
  clock: Clock;
};

/**
 * Providers added by users. A key is bound to the origin it was entered for: however the base URL changes, the key is
 * not sent elsewhere.
 */
export class StoredProviders {
  readonly #options: StoredProvidersOptions;
  /** Changes run one after the other, because each reads and writes the whole list. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: StoredProvidersOptions) {
    this.#options = options;
  }

  async list(principal: Owner): Promise<StoredProvider[]> {
    const stored = await this.#options.settings.get(principal, PROVIDERS_KEY);
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((item) => {
      const read = storedProvider.safeParse(item);
      return read.success ? [read.data] : [];
    });
  }

  /** @throws ToolyardError `bad_config` if the stored key cannot be read */
  async key(principal: Owner, { id, baseUrl }: Pick<StoredProvider, 'id' | 'baseUrl'>): Promise<string | undefined> {
    const text = await this.#options.secrets.get(principal, secretName(id));
    if (text === null) return undefined;
    const parsed = parseJson(text);
    const read = storedKey.safeParse(parsed.ok ? parsed.value : undefined);
    return read.success && isSameOrigin(read.data.origin, baseUrl) ? read.data.apiKey : undefined;
  }

  /** @throws ToolyardError `bad_request` for an invalid base URL or key, `conflict` if the id exists */
  create(principal: Owner, provider: CreateProvider & { id: string }): Promise<StoredProvider> {
    return this.#inTurn(async () => {
      const { id, label, wire, known, modelNames = [] } = provider;
      const baseUrl = checkAddress(provider.baseUrl);
      const apiKey = readKey(provider.apiKey);
      const all = await this.list(principal);
      if (all.some((other) => other.id === id)) throw createProviderIdTakenError(id);
      // A crash may have left a key under this id.
      await this.#options.secrets.remove(principal, secretName(id));
      const made = plainly({ id, label, baseUrl, wire, known, modelNames });
      await this.#write(principal, [...all, made]);
      if (apiKey !== null) await this.#writeKey(principal, made, apiKey);
      return made;
    });
  }

  /** Null if the id does not exist. @throws like {@link StoredProviders.create} */
  change(principal: Owner, id: string, change: ChangeProvider): Promise<StoredProvider | null> {
    return this.#inTurn(async () => {
      const all = await this.list(principal);
      const before = all.find((provider) => provider.id === id);
      if (before === undefined) return null;
      const baseUrl = change.baseUrl === undefined ? before.baseUrl : checkAddress(change.baseUrl);
      const after = plainly({
        id,
        label: change.label?.trim() || before.label,
        baseUrl,
        wire: change.wire ?? before.wire,
        known: change.known === undefined ? before.known : (change.known ?? undefined),
        modelNames: change.modelNames ?? before.modelNames ?? [],
      });
      const apiKey = change.apiKey === undefined ? undefined : readKey(change.apiKey);
      const isElsewhere = !isSameOrigin(before.baseUrl, baseUrl);
      if (isElsewhere || apiKey !== undefined) await this.#options.secrets.remove(principal, secretName(id));
      await this.#write(
        principal,
        all.map((provider) => (provider.id === id ? after : provider)),
      );
      if (typeof apiKey === 'string') await this.#writeKey(principal, after, apiKey);
      return after;
    });
  }

  /** False if the id does not exist. */
  remove(principal: Owner, id: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const all = await this.list(principal);
      const rest = all.filter((provider) => provider.id !== id);
      if (rest.length === all.length) return false;
      await this.#options.secrets.remove(principal, secretName(id));
      await this.#write(principal, rest);
      return true;
    });
  }

  async #write(principal: Owner, providers: readonly StoredProvider[]): Promise<void> {
    const { settings, clock } = this.#options;
    const value: JsonValue = providers.map((provider) => ({ ...provider }));
    await settings.set(principal, PROVIDERS_KEY, value, clock.now());
  }

  async #writeKey(principal: Owner, of: { id: string; baseUrl: string }, apiKey: string): Promise<void> {
    const text = JSON.stringify({ origin: new URL(of.baseUrl).origin, apiKey });
    await this.#options.secrets.set(principal, secretName(of.id), text);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    // The caller receives the error; the next change starts afresh.
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** Removes empty fields; trims model names and removes duplicates. */
function plainly(fields: {
  id: string;
  label: string;
  baseUrl: string;
  wire: WireName | undefined;
  known: string | undefined;
  modelNames: readonly string[];
}): StoredProvider {
  const { id, label, baseUrl, wire, known } = fields;
  const modelNames = [...new Set(fields.modelNames.map((name) => name.trim()).filter((name) => name !== ''))];
  return {
    id,
    label,
    baseUrl,
    ...defined({ wire, known }),
    ...(modelNames.length === 0 ? {} : { modelNames }),
  };
}

/** @throws ToolyardError `bad_request` */
function checkAddress(input: string): string {
  const baseUrl = checkBaseUrl(input, { code: 'bad_request' });
  checkHasNoKey(baseUrl);
  return baseUrl;
}

/**
 * Trimmed; null if empty. A JSON object, such as the key of a Google Cloud service account, is written on one line.
 *
 * @throws ToolyardError `bad_request` for characters that a header cannot contain
 */
export function readKey(input: string | null | undefined): string | null {
  const key = input?.trim() ?? '';
  if (key === '') return null;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const parsed = key.startsWith('{') ? parseJson(key) : null;
  if (parsed?.ok === true && isJsonObject(parsed.value)) return JSON.stringify(parsed.value);
  throw createInvalidError(
    say`The API key contains spaces, line breaks or other invalid characters.`,
    say`Copy the key again, without surrounding text.`,
  );
}

/** The error for an id that already exists. */
export function createProviderIdTakenError(id: string): ToolyardError {
  return createConflictError(say`The provider "${id}" already exists.`);
}

function secretName(id: string): string {
  return `provider:${id}`;
}
