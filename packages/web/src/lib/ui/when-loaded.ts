import { fetchWithSession } from '../api/session-fetch.ts';
import { t } from '../i18n/i18n.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';

/** For modules loaded in advance: if that fails, the error is reported when they are needed. */
export function preload(load: () => Promise<unknown>): () => void {
  return () => void load().catch(() => undefined);
}

/**
 * For a popover or dialog that cannot show an error itself: shows it once it is loaded, or a toast with a retry button.
 */
export function whenLoaded(load: () => Promise<unknown>, show: () => void): void {
  const again = (): void => whenLoaded(() => loadAgain(load), show);
  load().then(show, () =>
    toasts.show(t('errors.network'), { kind: 'problem', action: { label: t('common.retry'), run: again } }),
  );
}

/**
 * A browser may cache a failed module load until the page is reloaded. If the server is reachable, the page is
 * reloaded.
 */
export function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  const loading = load();
  loading.catch(() => fetchWithSession('/health').then(() => location.reload())).catch(() => undefined);
  return loading;
}
