import type { ChangeTranslation, TranslationLanguage } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import type { fetchPresetTaskResult } from './fetch-preset-task-result.ts';

/** A translation as the page shows it. */
export type ShownTranslation = {
  /** Null while it is detected, and if it is unknown. */
  from: TranslationLanguage | null;
  to: TranslationLanguage;
  /** Grows while the answer is streamed. */
  content: string;
  isBusy: boolean;
  error: ApiError | null;
};

export type TranslateRequest = {
  conversationId: string;
  messageId: string;
  /** The text parts of the message. */
  text: string;
  to: TranslationLanguage;
  signal: AbortSignal;
};

export type TranslateDeps = {
  run: typeof fetchPresetTaskResult;
  /** Shows a change at once. */
  show: (change: Partial<ShownTranslation>) => void;
  /** Stores a result beside the message; rejects with an {@link ApiError}. */
  store: (change: ChangeTranslation) => Promise<void>;
};

/**
 * Detects the language of a message and translates it. Both start together, and each result is shown and stored by itself:
 * neither overwrites the other's. A language that cannot be detected does not matter.
 */
export async function translateMessage(request: TranslateRequest, { run, show, store }: TranslateDeps): Promise<void> {
  const { conversationId, messageId, text, to, signal } = request;
  const common = { text, conversationId };
  // Both are spans of one trace.
  const shared = { signal, trace: { id: `translation ${messageId}` } };
  let content = '';
  await Promise.all([
    run({
      ...shared,
      params: { task: 'detect-language', ...common },
      async onFinish(from) {
        show({ from });
        await store({ from }).catch(ignoreApiError);
      },
    }),
    run({
      ...shared,
      params: { task: 'translate', to, ...common },
      onMessageHandle({ text: piece }) {
        content += piece;
        show({ content });
      },
      async onFinish(value) {
        show({ content: value });
        await store({ to, content: value });
      },
      onError: (error) => show({ error }),
      onLoadingChange: (isBusy) => show({ isBusy }),
    }),
  ]);
}

function ignoreApiError(thrown: unknown): void {
  if (!(thrown instanceof ApiError)) throw thrown;
}
