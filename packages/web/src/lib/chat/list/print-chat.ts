import { flushSync } from 'svelte';
import { chat } from '../state/chat.svelte.ts';
import { printing } from '../../markdown/printing.svelte.ts';
import { loadEarlierUntil } from '../find/load-earlier.ts';

/** More rows than this are not printed: the browser lays out all of them at once. */
export const MAX_PRINTED = 2_000;

/**
 * What is printed is the whole chat and nothing else (see app.css): all rows are rendered before the browser lays out the
 * pages. Returns a function that stops watching.
 */
export function watchPrinting(): () => void {
  const set = (isOn: boolean): void => flushSync(() => void (printing.isOn = isOn));
  const begin = (): void => set(true);
  const end = (): void => set(false);
  addEventListener('beforeprint', begin);
  addEventListener('afterprint', end);
  return () => {
    removeEventListener('beforeprint', begin);
    removeEventListener('afterprint', end);
  };
}

/** Loads the messages that the page has not loaded yet, then opens the browser's dialog. */
export async function printChat(): Promise<void> {
  await loadEarlierUntil(() => chat.rows.length >= MAX_PRINTED);
  window.print();
}
