import type { TranslationLanguage } from '@toolyard/protocol';
import { isAbortError } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { chat } from '../chat/state/chat.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';
import { Translations } from './message-translations.svelte.ts';
import type { TranslateRequest } from './translate-message.ts';

/** The translations of the open conversation. */
export const translations = new Translations({
  api,
  stored: () => chat.view?.translations ?? [],
  refresh: () => chat.refresh(),
  onProblem: (thrown) => toasts.problem(thrown),
  async translate(request, deps) {
    const [{ translateMessage }, { fetchPresetTaskResult }] = await Promise.all([
      import('./translate-message.ts'),
      import('./fetch-preset-task-result.ts'),
    ]);
    await translateMessage(request, { ...deps, run: fetchPresetTaskResult });
  },
});

/** The name of a language in the language of the page. */
export function languageName(language: TranslationLanguage, locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'language' }).of(language) ?? language;
}

/** Starts a translation; a failed load of the page's code is a problem like any other. */
export function startTranslation(of: Omit<TranslateRequest, 'signal'>): void {
  translations.translate(of).catch((thrown: unknown) => {
    translations.stop(of.messageId);
    if (!isAbortError(thrown)) toasts.problem(thrown);
  });
}
