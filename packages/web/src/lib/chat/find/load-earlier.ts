import { chat } from '../state/chat.svelte.ts';
import { nextFrame } from './page-ranges.ts';

/** As many as the server returns at once. */
const MESSAGES_AT_ONCE = 500;

/** Loads earlier messages until a condition holds or there are none. Rejects if the server cannot be reached. */
export async function loadEarlierUntil(isDone: () => boolean, atOnce = MESSAGES_AT_ONCE): Promise<void> {
  while (!isDone() && chat.hasEarlier) {
    // The list may be loading some already.
    if (chat.loadingEarlier) await nextFrame();
    else await chat.loadEarlier({ limit: atOnce });
  }
}
