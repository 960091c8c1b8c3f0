import type { Attachment } from 'svelte/attachments';
import { composerField } from '../../composer/composer-field.ts';

/** A key that somebody pressed before they saw the question is no answer to it. */
const UNSEEN_MS = 700;

/** By then the list has measured what came with the question, and stands still. */
const SETTLED_MS = 250;

const QUESTION = 'data-question';

/** The question that has the focus was given it, not chosen. */
let unseenUntil = 0;

type Actions = { onenter?: () => void; onescape?: () => void };

/**
 * Makes a question answerable by its keys while the focus is on the question itself, and gives it the focus when it
 * comes up, if nobody is doing anything else; in a list of questions (`data-questions`) none was waited for. Whoever goes on typing goes on in the composer. When it is answered the
 * next question gets the focus, or else the composer.
 */
export function questionFocus({ onenter, onescape }: Actions): Attachment<HTMLElement> {
  return (element) => {
    element.setAttribute(QUESTION, '');
    /** The focus was here last: it may have gone to nowhere since, but to nothing else. */
    let hadFocus = false;
    const onfocusin = (): void => {
      hadFocus = true;
    };
    const onfocusout = ({ relatedTarget }: FocusEvent): void => {
      if (relatedTarget instanceof Node && !element.contains(relatedTarget)) hadFocus = false;
    };
    element.addEventListener('focusin', onfocusin);
    element.addEventListener('focusout', onfocusout);
    if (isIdle() && element.closest('[data-questions]') === null) focusQuestion(element);

    function onkeydown(event: KeyboardEvent): void {
      if (event.target !== element || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = event.key === 'Enter' ? onenter : event.key === 'Escape' ? onescape : undefined;
      if (action !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        if (!event.repeat && performance.now() >= unseenUntil) action();
      } else if (event.key.length === 1 && event.key !== ' ' && event.key !== '?') {
        // The letter itself follows the focus.
        composerField()?.focus();
      }
    }

    element.addEventListener('keydown', onkeydown);
    return () => {
      element.removeEventListener('keydown', onkeydown);
      element.removeEventListener('focusin', onfocusin);
      element.removeEventListener('focusout', onfocusout);
      if (hadFocus) setTimeout(() => passOn(element));
    };
  };
}

/** What Enter would answer must be in sight: of several questions the first, not the last. */
function focusQuestion(element: HTMLElement): void {
  unseenUntil = performance.now() + UNSEEN_MS;
  element.focus({ preventScroll: true });
  setTimeout(() => {
    if (document.activeElement === element) element.closest('[data-tool-card]')?.scrollIntoView({ block: 'nearest' });
  }, SETTLED_MS);
}

function passOn(from: HTMLElement): void {
  if (!isIdle()) return;
  const others = [...document.querySelectorAll<HTMLElement>(`[${QUESTION}]`)].filter((element) => element !== from);
  if (others[0] !== undefined) focusQuestion(others[0]);
  else writable()?.focus({ preventScroll: true });
}

/** True where the focus is nowhere, or in a composer with nothing in it. */
function isIdle(): boolean {
  const { activeElement } = document;
  if (document.querySelector('dialog[open], [popover=auto]:popover-open') !== null) return false;
  const field = composerField();
  if (field !== null && field.value !== '') return false;
  return activeElement === null || activeElement === document.body || activeElement === field;
}

/** Under a finger the focus would bring up the keyboard, which nobody asked for. */
function writable(): HTMLTextAreaElement | null {
  return matchMedia('(pointer: coarse)').matches ? null : composerField();
}
