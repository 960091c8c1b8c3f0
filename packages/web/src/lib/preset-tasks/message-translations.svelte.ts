import type { MessageTranslation } from '@toolyard/protocol';
import type { Api } from '../api/client.ts';
import { toApiError } from '../state/failure.ts';
import type { ShownTranslation, TranslateDeps, TranslateRequest } from './translate-message.ts';

/** A change that the loaded conversation does not contain yet. */
type Local = { shown: ShownTranslation; control: AbortController } | 'removed';

export type TranslationsDeps = {
  api: Pick<Api, 'patch' | 'delete'>;
  /** The stored translations of the open conversation. */
  stored: () => readonly MessageTranslation[];
  /** Loads the open conversation again. */
  refresh: () => Promise<void>;
  translate: (request: TranslateRequest, deps: Pick<TranslateDeps, 'show' | 'store'>) => Promise<void>;
  onProblem: (thrown: unknown) => void;
};

/** The translations of messages: the stored ones, and those in progress. */
export class Translations {
  #locals: ReadonlyMap<string, Local> = $state.raw(new Map());
  readonly #deps: TranslationsDeps;

  constructor(deps: TranslationsDeps) {
    this.#deps = deps;
  }

  of(messageId: string): ShownTranslation | undefined {
    const local = this.#locals.get(messageId);
    if (local !== undefined) return local === 'removed' ? undefined : local.shown;
    const stored = this.#findStored(messageId);
    return stored && { from: stored.from, to: stored.to, content: stored.content, isBusy: false, error: null };
  }

  /** Replaces the translation of the message. */
  async translate(of: Omit<TranslateRequest, 'signal'>): Promise<void> {
    const { conversationId, messageId, to } = of;
    const from = this.of(messageId)?.from ?? null;
    this.#abort(messageId);
    const control = new AbortController();
    const { signal } = control;
    this.#set(messageId, { shown: { from, to, content: '', isBusy: true, error: null }, control });
    const params = { id: conversationId, message: messageId };
    await this.#deps.translate(
      { ...of, signal },
      {
        show: (change) => this.#change(messageId, control, change),
        store: (body) => this.#deps.api.patch('/api/conversations/{id}/translations/{message}', { params, body }),
      },
    );
    if (!signal.aborted && this.of(messageId)?.error === null) await this.#settle(messageId);
  }

  /** Shows the stored translation again, if there is one. */
  stop(messageId: string): void {
    this.#abort(messageId);
    this.#set(messageId, undefined);
  }

  async remove(conversationId: string, messageId: string): Promise<void> {
    this.#abort(messageId);
    this.#set(messageId, 'removed');
    try {
      const params = { id: conversationId, message: messageId };
      await this.#deps.api.delete('/api/conversations/{id}/translations/{message}', { params });
      await this.#settle(messageId);
    } catch (thrown) {
      this.#set(messageId, undefined);
      this.#deps.onProblem(toApiError(thrown));
    }
  }

  /** Once the loaded conversation contains the change, it is what is shown: other tabs may change it. */
  async #settle(messageId: string): Promise<void> {
    const local = this.#locals.get(messageId);
    await this.#deps.refresh();
    if (local === undefined || this.#locals.get(messageId) !== local) return;
    const stored = this.#findStored(messageId);
    const isLoaded = local === 'removed' ? stored === undefined : stored?.content === local.shown.content;
    if (isLoaded) this.#set(messageId, undefined);
  }

  #findStored(messageId: string): MessageTranslation | undefined {
    return this.#deps.stored().find((translation) => translation.messageId === messageId);
  }

  #abort(messageId: string): void {
    const local = this.#locals.get(messageId);
    if (typeof local === 'object') local.control.abort();
  }

  /** Results of an earlier translation are dropped. */
  #change(messageId: string, control: AbortController, change: Partial<ShownTranslation>): void {
    const local = this.#locals.get(messageId);
    if (typeof local !== 'object' || local.control !== control) return;
    this.#set(messageId, { control, shown: { ...local.shown, ...change } });
  }

  #set(messageId: string, local: Local | undefined): void {
    const locals = new Map(this.#locals);
    if (local === undefined) locals.delete(messageId);
    else locals.set(messageId, local);
    this.#locals = locals;
  }
}
