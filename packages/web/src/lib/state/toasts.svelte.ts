import { messageOf, readTemplates } from '@toolyard/protocol';
import { errorLine, loadServerTexts } from '../i18n/server-text.ts';

type Toast = {
  id: number;
  text: string;
  kind: 'plain' | 'problem';
  action?: { label: string; run: () => void };
};

const SHOWN_MS = 6000;
/** Long enough to reach the button, in milliseconds. */
const SHOWN_WITH_ACTION_MS = 10_000;

/** Toasts at the edge of the page. They disappear after a while, but not under the pointer. */
class Toasts {
  list: readonly Toast[] = $state.raw([]);
  #next = 1;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  show(text: string, options: { kind?: Toast['kind']; action?: Toast['action']; stays?: boolean } = {}): number {
    const id = this.#next;
    this.#next += 1;
    const toast: Toast = { id, text, kind: options.kind ?? 'plain' };
    if (options.action !== undefined) toast.action = options.action;
    this.list = [...this.list.slice(-2), toast];
    if (options.stays !== true) this.#start(toast);
    return id;
  }

  /** Shows an error in the language of the page. */
  readonly problem = (error: unknown): void =>
    void loadServerTexts().then(() => this.show(errorLine(shownError(error)), { kind: 'problem' }));

  close(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  hold(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  letGo(): void {
    for (const toast of this.list) if (this.#timers.has(toast.id)) this.#start(toast);
  }

  #start(toast: Toast): void {
    const ms = toast.action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS;
    this.#timers.set(
      toast.id,
      setTimeout(() => this.close(toast.id), ms),
    );
  }
}

function shownError(error: unknown): Parameters<typeof errorLine>[0] {
  const message = messageOf(error);
  if (!(error instanceof Error)) return { message };
  return {
    message,
    ...('code' in error ? { code: error.code } : {}),
    ...('status' in error ? { status: error.status } : {}),
    ...('hint' in error && typeof error.hint === 'string' ? { hint: error.hint } : {}),
    ...('templates' in error ? { templates: readTemplates(error.templates) } : {}),
  };
}

export const toasts = new Toasts();
