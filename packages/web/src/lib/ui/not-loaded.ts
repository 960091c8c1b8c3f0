import { t } from '../i18n/i18n.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';

/** Says that a part of the page could not be loaded, where there is no place for it to say so. */
export function sayNotLoaded(retry: () => void): void {
  toasts.show(t('errors.network'), { kind: 'problem', action: { label: t('common.retry'), run: retry } });
}
