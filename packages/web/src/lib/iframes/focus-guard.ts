import { mediaQuery } from '../ui/media-query.ts';

/**
 * Gives the focus back when the content of a frame takes it without the user: what is typed into the composer must not
 * end up in a frame. Clicks inside a frame are not visible to the page, but before one the pointer is over the frame,
 * and before Tab leads there the key was pressed in the page.
 */
export function guardFocus(frame: HTMLIFrameElement): () => void {
  const undo = new AbortController();
  const { signal } = undo;
  const page = frame.ownerDocument;
  let isOver = false;
  let isTabbing = false;
  let last: Element | null = page.activeElement;
  const touch = mediaQuery('(hover: none)');

  frame.addEventListener('pointerenter', () => (isOver = true), { signal });
  frame.addEventListener('pointerleave', () => (isOver = false), { signal });
  page.addEventListener('focusin', ({ target }) => (last = target instanceof Element ? target : last), { signal });
  page.addEventListener('keydown', ({ key }) => (isTabbing = key === 'Tab'), { signal, capture: true });
  page.addEventListener('keyup', () => setTimeout(() => (isTabbing = false)), { signal, capture: true });
  page.defaultView?.addEventListener(
    'blur',
    () => {
      // The focused element is known only after this event.
      setTimeout(() => {
        if (page.activeElement !== frame || isOver || isTabbing || touch.matches) return;
        if (last instanceof HTMLElement && last !== frame && last.isConnected) last.focus({ preventScroll: true });
        else frame.blur();
      });
    },
    { signal },
  );
  return () => undo.abort();
}
