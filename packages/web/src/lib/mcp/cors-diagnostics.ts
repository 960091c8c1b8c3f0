import type { ErrorInfo } from '@toolyard/protocol';
import type { adviceFor } from './preflight.ts';
import type { BrowserServerEntry } from './server-entries.ts';

/**
 * Why servers reject requests of a page (CORS). Browsers do not expose the reason, so the server of this page is asked
 * to check, once for each failure.
 */
export class CorsDiagnostics {
  readonly #check: typeof adviceFor;
  readonly #onFound: () => void;
  readonly #found = new Map<string, string>();
  readonly #checks = new Map<string, AbortController>();

  constructor(ask: typeof adviceFor, onFound: () => void) {
    this.#check = ask;
    this.#onFound = onFound;
  }

  /** The reason as text; undefined if unknown. */
  of(id: string): string | undefined {
    return this.#found.get(id);
  }

  /** For a server that reconnects or was removed. */
  forget(id: string): void {
    this.#checks.get(id)?.abort();
    this.#checks.delete(id);
    this.#found.delete(id);
  }

  /** Checks a server the tab itself could not reach. */
  async check(
    { id, url, headers, transport, useProxy }: BrowserServerEntry,
    error: ErrorInfo | undefined,
  ): Promise<void> {
    this.forget(id);
    if (useProxy || transport === 'websocket' || error?.code !== 'server_unreachable') return;
    const control = new AbortController();
    this.#checks.set(id, control);
    const found = await this.#check(url, Object.keys(headers), control.signal).catch(() => []);
    if (control.signal.aborted) return;
    this.#checks.delete(id);
    if (found.length === 0) return;
    this.#found.set(id, found.join(' '));
    this.#onFound();
  }
}
