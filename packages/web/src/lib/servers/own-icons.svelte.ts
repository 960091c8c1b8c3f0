import { SvelteMap } from 'svelte/reactivity';
import type { JsonValue, McpServerView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { settings } from '../state/settings.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';

const KEY = 'serverIcons';

/**
 * Icons that servers sent. Each is shown only after the user asked for it: an icon may imitate another product, and its
 * host learns of the request. Toolyard fetches and checks it; the page gets a `data:` URL.
 */
class OwnIcons {
  readonly #sources = new SvelteMap<string, string>();
  readonly #requested = new Set<string>();

  isShown({ id }: Pick<McpServerView, 'id'>): boolean {
    return this.#chosen().includes(id);
  }

  /** Null if it is not to be shown, or is not there yet. */
  sourceOf({ id }: Pick<McpServerView, 'id'>): string | null {
    if (!this.isShown({ id })) return null;
    const known = this.#sources.get(id);
    if (known !== undefined) return known;
    // After a failure the server keeps the icon of its kind until the page is loaded again.
    if (!this.#requested.has(id)) queueMicrotask(() => void this.#load(id).catch(() => undefined));
    return null;
  }

  /** Loads the icon first: one that cannot be shown is reported and not remembered. */
  async show(id: string): Promise<void> {
    try {
      await this.#load(id);
      await settings.store(KEY, [...this.#chosen().filter((one) => one !== id), id]);
    } catch (thrown) {
      toasts.problem(thrown);
    }
  }

  async hide(id: string): Promise<void> {
    this.#sources.delete(id);
    this.#requested.delete(id);
    await settings.store(
      KEY,
      this.#chosen().filter((one) => one !== id),
    );
  }

  async #load(id: string): Promise<void> {
    this.#requested.add(id);
    const { src } = await api.get('/api/mcp/servers/{id}/icon', { params: { id } });
    this.#sources.set(id, src);
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
