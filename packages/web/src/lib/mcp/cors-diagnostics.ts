import type { ErrorInfo } from '@toolyard/protocol';
import type { adviceFor } from './preflight.ts';
import type { BrowserServerEntry } from './server-entries.ts';

/**
 * Why servers let no page in. A browser keeps that to itself, so the server of this page is asked to look, once for
 * each failure.
 */
export class CorsDiagnostics {
  readonly #ask: typeof adviceFor;
  readonly #onFound: () => void;
  readonly #found = new Map<string, string>();
  readonly #asking = new Map<string, AbortController>();

  constructor(ask: typeof adviceFor, onFound: () => void) {
    this.#ask = ask;
    this.#onFound = onFound;
  }

  /** What stands in the way, for a person; undefined where nothing is known. */
  of(id: string): string | undefined {
    return this.#found.get(id);
  }

  /** For a server that is tried again, or gone. */
  forget(id: string): void {
    this.#asking.get(id)?.abort();
    this.#asking.delete(id);
    this.#found.delete(id);
  }

  /** Looks at a server that could not be reached by the tab itself. */
  async look(
    { id, url, headers, transport, useProxy }: BrowserServerEntry,
    error: ErrorInfo | undefined,
  ): Promise<void> {
    this.forget(id);
    if (useProxy || transport === 'websocket' || error?.code !== 'server_unreachable') return;
    const control = new AbortController();
    this.#asking.set(id, control);
    const found = await this.#ask(url, Object.keys(headers), control.signal).catch(() => []);
    if (control.signal.aborted) return;
    this.#asking.delete(id);
    if (found.length === 0) return;
    this.#found.set(id, found.join(' '));
    this.#onFound();
  }
}
