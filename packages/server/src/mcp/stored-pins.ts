import type { PinStore, ToolPin } from '@toolyard/mcp-host';
import type { Clock, JsonValue, Owner, ToolReference } from '@toolyard/protocol';
import { isJsonObject, messageOf } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import { retryUntilStored } from '../retry-until-stored.ts';

/** Prefix of `server/tool`. Written only here. */
const PREFIX = 'mcp.pin:';

export type StoredPinsOptions = {
  settings: SettingsRepository;
  owner: Owner;
  clock: Clock;
  log: (line: string) => void;
};

/** Reads the approved definitions of tools, stored in the settings of the owner. */
export async function loadPins(options: StoredPinsOptions): Promise<StoredPins> {
  return new StoredPins(options, await readPins(options));
}

/** The stored pins, by the names of their tools; `prefix` is that of their settings. */
export async function readPins(
  { settings, owner }: Pick<StoredPinsOptions, 'settings' | 'owner'>,
  prefix = PREFIX,
): Promise<Map<string, ToolPin>> {
  const pins = new Map<string, ToolPin>();
  for (const [key, value] of await settings.all(owner)) {
    const pin = key.startsWith(prefix) ? readPin(value) : null;
    if (pin !== null) pins.set(key.slice(prefix.length), pin);
  }
  return pins;
}

export class StoredPins implements PinStore {
  readonly #options: StoredPinsOptions;
  readonly #pins: Map<string, ToolPin>;
  /** Writes run one after the other, so that the last approval of a tool wins. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: StoredPinsOptions, pins: Map<string, ToolPin>) {
    this.#options = options;
    this.#pins = pins;
  }

  /** Reads approvals that another process has stored since; returns their tools. */
  async reload(): Promise<ToolReference[]> {
    await this.#last;
    const stored = await readPins(this.#options);
    return [...stored].flatMap(([key, pin]): ToolReference[] => {
      if (this.#pins.get(key)?.hash === pin.hash) return [];
      this.#pins.set(key, pin);
      const slash = key.indexOf('/');
      return [{ serverId: key.slice(0, slash), name: key.slice(slash + 1) }];
    });
  }

  get(key: string): ToolPin | undefined {
    return this.#pins.get(key);
  }

  set(key: string, pin: ToolPin): Map<string, ToolPin> {
    const { settings, owner, clock } = this.#options;
    this.#store(() => settings.set(owner, PREFIX + key, { ...pin }, clock.now()));
    return this.#pins.set(key, pin);
  }

  delete(key: string): boolean {
    const { settings, owner } = this.#options;
    this.#store(() => settings.remove(owner, PREFIX + key));
    return this.#pins.delete(key);
  }

  /** Resolves when pending approvals are stored or have failed. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#last;
  }

  #store(write: () => Promise<unknown>): void {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    this.#last = this.#last
      .then(() => retryUntilStored(write, { clock, signal }))
      .catch((thrown: unknown) => {
        const why = messageOf(thrown);
        this.#options.log(`tool approvals: could not store one: ${why}`);
      });
  }
}

function readPin(value: JsonValue): ToolPin | null {
  if (!isJsonObject(value)) return null;
  const { hash, endpoint, definition } = value;
  if (typeof hash !== 'string' || typeof endpoint !== 'string' || !isJsonObject(definition)) return null;
  return { hash, endpoint, definition };
}

/**
 * Stores the approval of a tool by a process that is not connected to its server; the previous definition stays known.
 */
export async function storePin(
  { settings, owner, clock }: Omit<StoredPinsOptions, 'log'>,
  { serverId, name }: ToolReference,
  pin: ToolPin,
): Promise<void> {
  const key = `${PREFIX}${serverId}/${name}`;
  const before = readPin((await settings.get(owner, key)) ?? null);
  if (before?.hash === pin.hash && before.endpoint !== '') return;
  await settings.set(owner, key, { ...pin }, clock.now());
}
