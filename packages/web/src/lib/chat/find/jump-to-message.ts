import { tick } from 'svelte';
import { t } from '../../i18n/i18n.svelte.ts';
import { chat } from '../state/chat.svelte.ts';
import { toasts } from '../../state/toasts.svelte.ts';
import { DisplayedRows } from '../../transcript/displayed-rows.ts';
import { findRow } from '../../transcript/find-row.ts';
import { listHandle } from '../list/list-handle.svelte.ts';
import type { MessageJump } from './find.svelte.ts';
import { foldQuery } from './fold-text.ts';
import { Highlighter } from './highlighter.ts';
import { loadEarlierUntil } from './load-earlier.ts';
import { expand, nextFrame, rangesIn, rowElement, scrollTo, whenRendered } from './page-ranges.ts';

/** Frames to wait for the messages, whose code is loaded after the page: 10 seconds. */
const MAX_FRAMES = 600;

async function mountedList(isOpen: () => boolean): Promise<typeof listHandle.current> {
  for (let frames = 0; frames < MAX_FRAMES && listHandle.current === null && isOpen(); frames++) await nextFrame();
  return listHandle.current;
}

/** Ends the highlights of the last jump. */
let end: () => void = () => undefined;

/** Keys that only move through the page. */
const MOVING = /^(Arrow|Page|Home$|End$|Tab$|Shift$|Control$|Alt$|Meta$)/;

/**
 * Shows the message of a search result: loads it, switches to its branch if it is on another one, scrolls to the first
 * match and highlights all matches in it until the user does something else.
 */
export async function jumpToMessage({ conversationId, messageId, query }: MessageJump): Promise<void> {
  end();
  const isOpen = () => chat.view?.id === conversationId;
  const isLoaded = () => !isOpen() || findRow(chat.rows, messageId) !== undefined;
  try {
    await loadEarlierUntil(isLoaded);
    if (!isLoaded()) {
      // It is not on this branch.
      await chat.show(messageId);
      await loadEarlierUntil(isLoaded);
    }
  } catch (thrown) {
    return toasts.problem(thrown);
  }
  if (!isOpen()) return;
  await tick();
  const list = await mountedList(isOpen);
  const displayed = new DisplayedRows();
  displayed.of(chat.rows);
  const row = await list?.reveal(displayed.getKey(messageId));
  if (list == null || row === undefined) {
    toasts.show(t('chat.messageNotFound'));
    return;
  }
  const queries = query
    .split(/\s+/)
    .map(foldQuery)
    .filter((word) => word !== '');
  const key = row.dataset['row'] ?? '';
  const found = (): Range[] => {
    const element = rowElement(list.scroller, key);
    return [...(element?.querySelectorAll('[data-find]') ?? [])].flatMap((part) => rangesIn(part, queries));
  };
  await expand(row, messageId);
  await nextFrame();
  await whenRendered(row, isOpen);
  await scrollTo(list, () => found()[0] ?? rowElement(list.scroller, key));
  if (!isOpen()) return;
  // For screen readers and the keyboard: reading continues at the message.
  const shown = rowElement(list.scroller, key);
  shown?.setAttribute('tabindex', '-1');
  shown?.focus({ preventScroll: true });
  shown?.classList.add('found-row');
  const highlighter = new Highlighter(list.scroller, () => ({ found: found(), 'found-current': [] }));
  const stop = new AbortController();
  end = () => {
    stop.abort();
    highlighter.stop();
    shown?.classList.remove('found-row');
  };
  const { signal } = stop;
  addEventListener('pointerdown', () => end(), { signal, capture: true });
  addEventListener('keydown', ({ key: pressed }) => (MOVING.test(pressed) ? undefined : end()), {
    signal,
    capture: true,
  });
}
