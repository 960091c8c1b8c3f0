import { SvelteMap } from 'svelte/reactivity';
import { api } from './client.ts';

/** URLs that expire sooner are requested again. */
const MIN_REMAINING_MS = 60_000;
const AT_ONCE = 200;

/** Signed URLs of files, requested in batches: an `<img>` cannot send the session's secret. */
class FileUrls {
  readonly #known = new SvelteMap<string, { url: string; expiresAt: number }>();
  readonly #requested = new Set<string>();

  /** Null until the server has returned the URL; reactive, so templates update when it arrives. */
  readonly of = (sha256: string): string | null => {
    const known = this.#known.get(sha256);
    if (known !== undefined && known.expiresAt - Date.now() > MIN_REMAINING_MS) return known.url;
    if (this.#requested.size === 0) queueMicrotask(() => void this.#ask());
    this.#requested.add(sha256);
    return null;
  };

  async #ask(): Promise<void> {
    const files = [...this.#requested];
    this.#requested.clear();
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const part = files.slice(at, at + AT_ONCE);
      // Without a response the images stay empty; the page reports the lost connection elsewhere.
      const links = await api.post('/api/files/links', { body: { files: part } }).catch(() => null);
      if (links === null) return;
      for (const [sha256, url] of Object.entries(links.urls)) {
        this.#known.set(sha256, { url, expiresAt: links.expiresAt });
      }
    }
  }
}

export const fileUrls = new FileUrls();
