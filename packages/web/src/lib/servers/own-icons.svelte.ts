import { SvelteMap } from 'svelte/reactivity';
import type { JsonValue } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { settings } from '../state/settings.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';
import type { IconServer } from './server-kind.ts';

const KEY = 'serverIcons';

/** `entry`: it belongs to this browser. */
type ServerWithIcon = Pick<IconServer, 'id' | 'entry'>;

/** Of a server of the browser and one of Toolyard with the same id, each has its own choice. */
function getKey({ id, entry }: ServerWithIcon): string {
  return entry === undefined ? id : `tab:${id}`;
}

async function read({ id, entry }: ServerWithIcon): Promise<string> {
  if (entry !== undefined) return (await import('../mcp/tab-icon.ts')).readTabIcon(id);
  return (await api.get('/api/mcp/servers/{id}/icon', { params: { id } })).src;
}

/**
 * Icons that servers sent. Each is shown only after the user asked for it: an icon may imitate another product, and its
 * host learns of the request. Toolyard fetches and checks it, or this tab does so for a server of this browser; the page
 * shows a `data:` URL.
 */
class OwnIcons {
  readonly #sources = new SvelteMap<string, string>();
  readonly #requested = new Set<string>();

  isShown(server: ServerWithIcon): boolean {
    return this.#chosen().includes(getKey(server));
  }

  /** Null if it is not to be shown, or is not there yet. */
  findSource(server: ServerWithIcon): string | null {
    if (!this.isShown(server)) return null;
    const known = this.#sources.get(getKey(server));
    if (known !== undefined) return known;
    // After a failure the server keeps the icon of its kind until the page is loaded again.
    if (!this.#requested.has(getKey(server))) queueMicrotask(() => void this.#load(server).catch(() => undefined));
    return null;
  }

  /** Loads the icon first: one that cannot be shown is reported and not remembered. */
  async show(server: ServerWithIcon): Promise<void> {
    const key = getKey(server);
    await this.#load(server)
      .then(() => settings.store(KEY, [...this.#chosen().filter((one) => one !== key), key]))
      .catch(toasts.problem);
  }

  async hide(server: ServerWithIcon): Promise<void> {
    const key = getKey(server);
    this.#sources.delete(key);
    this.#requested.delete(key);
    await settings.store(
      KEY,
      this.#chosen().filter((one) => one !== key),
    );
  }

  async #load(server: ServerWithIcon): Promise<void> {
    this.#requested.add(getKey(server));
    this.#sources.set(getKey(server), await read(server));
  }

  #chosen(): string[] {
    return stringsIn(settings.view?.[KEY]);
  }
}

/** Written by any version of the page. */
function stringsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export const ownIcons = new OwnIcons();
