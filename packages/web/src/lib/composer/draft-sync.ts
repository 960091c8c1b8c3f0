import type { Draft } from '@toolyard/protocol';
import { api as realApi, ApiError, type Api } from '../api/client.ts';
import { browserValueFamily, type BrowserValueFamily } from '../browser-storage.ts';
import { live as realLive } from '../live/live.svelte.ts';
import type { ComposerDraft } from './draft.svelte.ts';

/** Delay until a keystroke is stored on the server, in milliseconds. */
const SAVE_AFTER_MS = 800;
/** In the browser's storage: the draft has changes that the server does not have. */
const CHANGED = -1;

export type DraftSyncDeps = {
  api: Pick<Api, 'get' | 'put'>;
  live: Pick<typeof realLive, 'onChanged' | 'onHello'>;
  /** By conversation: the time of the stored draft that this browser has, or that it has changes. */
  synced: BrowserValueFamily<number>;
};

/**
 * Keeps a draft on the server, so that other tabs and devices show it. What this browser has and the server does not have
 * wins; otherwise the server wins, also if it has none: then the message was sent elsewhere.
 */
export class DraftSync {
  readonly #draft: ComposerDraft;
  readonly #deps: DraftSyncDeps;
  #key: string;
  /** Incremented with every change of the user. */
  #revision = 0;
  /** This browser had nothing of the draft. */
  readonly #beganEmpty: boolean;
  /** Incremented with every request that stores the draft. */
  #saves = 0;
  /** Until then nothing is stored: it would replace the draft of another device unseen. */
  #isLoaded = false;
  #isLoading = false;
  #isSaving = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(draft: ComposerDraft, deps: DraftSyncDeps) {
    this.#draft = draft;
    this.#deps = deps;
    this.#key = draft.key;
    this.#beganEmpty = draft.empty;
    const known = deps.synced.get(this.#key);
    if (known === 0 && !draft.empty) this.#mark(CHANGED);
    draft.changed = () => this.#changed();
    deps.live.onHello(() => void this.load());
    deps.live.onChanged(({ what, id }) => {
      if (what === 'drafts' && id === this.#key && !this.#isSaving) void this.load();
    });
  }

  /** Reads the draft of the server and shows it, or stores the changes of this browser. */
  async load(): Promise<void> {
    const key = this.#key;
    const saves = this.#saves;
    this.#isLoading = true;
    const stored = await this.#deps.api.get('/api/drafts/{id}', { params: { id: key } }).catch(() => null);
    this.#isLoading = false;
    if (stored === null) return;
    const isFirst = !this.#isLoaded;
    this.#isLoaded = true;
    if (key !== this.#key || this.#draft.sending) return;
    // It may be older than what was stored meanwhile.
    if (saves !== this.#saves) return;
    // Typed while the draft of another device was on its way: it is kept in front of what was typed.
    if (isFirst && this.#beganEmpty && this.#revision > 0 && stored.updatedAt > 0) this.#join(stored);
    if (this.#hasChanges) return this.#save();
    if (stored.updatedAt === this.#deps.synced.get(key)) return;
    this.#draft.show(stored);
    this.#mark(stored.updatedAt);
  }

  get #hasChanges(): boolean {
    return this.#deps.synced.get(this.#key) === CHANGED;
  }

  #mark(at: number): void {
    this.#deps.synced.set(this.#key, at);
  }

  #join(stored: Draft): void {
    const own = this.#draft.content;
    const text = [stored.text, own.text].filter((part) => part.trim() !== '').join('\n\n');
    this.#draft.show({ ...stored, ...own, text, attachments: [...stored.attachments, ...own.attachments] });
  }

  #changed(): void {
    if (this.#draft.key !== this.#key) this.#move();
    this.#revision += 1;
    if (this.#draft.sending) return;
    this.#mark(CHANGED);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), this.#draft.empty ? 0 : SAVE_AFTER_MS);
  }

  /** The new chat became a conversation. */
  #move(): void {
    const id = this.#key;
    this.#mark(0);
    this.#key = this.#draft.key;
    void this.#deps.api
      .put('/api/drafts/{id}', { params: { id }, body: { text: '', attachments: [] } })
      .catch(() => undefined);
  }

  async #save(): Promise<void> {
    if (this.#isSaving || this.#draft.sending || !this.#hasChanges) return;
    if (!this.#isLoaded) return this.#isLoading ? undefined : this.load();
    const id = this.#key;
    const revision = this.#revision;
    this.#isSaving = true;
    this.#saves += 1;
    try {
      const { updatedAt } = await this.#deps.api.put('/api/drafts/{id}', { params: { id }, body: this.#draft.content });
      if (revision === this.#revision && id === this.#key) this.#mark(updatedAt);
    } catch (thrown) {
      // It stays in this browser, and is stored with the next change or connection.
      if (!(thrown instanceof ApiError)) throw thrown;
      return;
    } finally {
      this.#isSaving = false;
    }
    if (this.#hasChanges) this.#changed();
  }
}

const synced = browserValueFamily<number>('drafts-synced', {
  version: 1,
  read: (value) => (typeof value === 'number' ? value : undefined),
  fallback: 0,
  keep: 100,
});

export function storeOnServer(draft: ComposerDraft): void {
  void new DraftSync(draft, { api: realApi, live: realLive, synced }).load();
}
