import { t } from '../i18n/i18n.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';

/** For what is loaded before it is wanted: where that fails, whoever wants it is told. */
export function preload(load: () => Promise<unknown>): () => void {
  return () => void load().catch(() => undefined);
}

/** For what lies over the page and has no place to say so: shows it once it is loaded, or offers to try again. */
export function whenLoaded(load: () => Promise<unknown>, show: () => void): void {
  const again = (): void => whenLoaded(() => loadAgain(load), show);
  load().then(show, () =>
    toasts.show(t('errors.network'), { kind: 'problem', action: { label: t('common.retry'), run: again } }),
  );
}

/**
 * A browser may remember that a script could not be fetched, and fetch it no more while the page is open. Where the
 * server is there all the same, the page is loaded anew.
 */
export function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  const loading = load();
  loading.catch(() => fetch('/health').then(() => location.reload())).catch(() => undefined);
  return loading;
}
