import type { Attachment } from 'svelte/attachments';
import { composerField } from '../../composer/composer-field.ts';
import { typing } from '../../shell/typing.ts';
import { AnswerGuard, guardApprovalButtons } from './answer-guard.ts';

/** By then the list has measured what came with the question, and stands still. */
const SETTLED_MS = 250;

const QUESTION = 'data-question';

type Actions = { onenter?: () => void; onescape?: () => void };

/**
 * Makes a question answerable by its keys while the focus is on the question itself. A new question takes the focus
 * once nobody has typed for a second, if nothing else has it; in a list of questions (`data-questions`) it never does.
 * A letter typed on it goes to the composer. When it is answered the next question gets the focus, or else the
 * composer.
 */
export function questionFocus({ onenter, onescape }: Actions): Attachment<HTMLElement> {
  return (element) => {
    element.setAttribute(QUESTION, '');
    const guard = new AnswerGuard();
    const unguard = guardApprovalButtons(element, guard);
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
    const leaveAlone =
      element.closest('[data-questions]') === null
        ? typing.whenQuiet(() => {
            if (isIdle()) focusQuestion(element);
          })
        : () => undefined;

    function onkeydown(event: KeyboardEvent): void {
      if (event.target !== element || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = event.key === 'Enter' ? onenter : event.key === 'Escape' ? onescape : undefined;
      if (action !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        if (!event.repeat && guard.accepts) action();
      } else if (event.key.length === 1 && event.key !== ' ' && event.key !== '?') {
        // The letter itself follows the focus.
        composerField()?.focus();
      }
    }

    element.addEventListener('keydown', onkeydown);
    return () => {
      leaveAlone();
      unguard();
      element.removeEventListener('keydown', onkeydown);
      element.removeEventListener('focusin', onfocusin);
      element.removeEventListener('focusout', onfocusout);
      if (hadFocus) setTimeout(() => passOn(element));
    };
  };
}

/** What Enter would answer must be in sight: of several questions the first, not the last. */
function focusQuestion(element: HTMLElement): void {
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
