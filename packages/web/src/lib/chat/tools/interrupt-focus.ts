import type { Attachment } from 'svelte/attachments';
import { composerField } from '../../composer/composer-field.ts';
import { typing } from '../../shell/typing.ts';
import { AnswerGuard, guardApprovalButtons } from './answer-guard.ts';
import { mediaQuery } from '../../ui/media-query.ts';

/** Delay after which the list has measured the interrupt and its position is stable, in milliseconds. */
const SETTLED_MS = 250;

/** What may follow the card at the end of the list, in pixels. */
const NEAR_END = 120;

const INTERRUPT = 'data-interrupt';

type Actions = { onenter?: () => void; onescape?: () => void };

/**
 * Makes an interrupt answerable by keyboard while it has the focus itself. A new interrupt takes the focus after a second
 * without typing if nothing else has it; in a list of interrupts (`data-interrupts`) it never does. A letter typed on it
 * goes to the composer. After the answer, the next interrupt gets the focus, or else the composer.
 */
export function interruptFocus({ onenter, onescape }: Actions): Attachment<HTMLElement> {
  return (element) => {
    element.setAttribute(INTERRUPT, '');
    const guard = new AnswerGuard();
    const unguard = guardApprovalButtons(element, guard);
    /** The focus was here last: it may be on nothing since, but on no other element. */
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
      element.closest('[data-interrupts]') === null
        ? typing.whenQuiet(() => {
            if (isIdle()) focusInterrupt(element);
          })
        : () => undefined;
    const settled = setTimeout(() => showBeginning(element), SETTLED_MS);

    function onkeydown(event: KeyboardEvent): void {
      if (event.target !== element || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = event.key === 'Enter' ? onenter : event.key === 'Escape' ? onescape : undefined;
      if (action !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        if (!event.repeat && guard.accepts) action();
      } else if (event.key.length === 1 && event.key !== ' ' && event.key !== '?') {
        // The browser inserts the letter where the focus is now.
        composerField()?.focus();
      }
    }

    element.addEventListener('keydown', onkeydown);
    return () => {
      clearTimeout(settled);
      leaveAlone();
      unguard();
      element.removeEventListener('keydown', onkeydown);
      element.removeEventListener('focusin', onfocusin);
      element.removeEventListener('focusout', onfocusout);
      if (hadFocus) setTimeout(() => passOn(element));
    };
  };
}

/** A new interrupt that is higher than the list is read from its title; the list follows its end. */
function showBeginning(element: HTMLElement): void {
  const card = element.closest('[data-tool-card]');
  const scroller = element.closest('[role=log]');
  if (card === null || scroller === null || card.getBoundingClientRect().height < scroller.clientHeight) return;
  const { top, bottom } = card.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  // A user who scrolled elsewhere stays there.
  if (top < view.top && bottom > view.top && bottom <= view.bottom + NEAR_END) card.scrollIntoView({ block: 'start' });
}

/** The interrupt that Enter would answer must be visible: of several, the first. */
function focusInterrupt(element: HTMLElement): void {
  element.focus({ preventScroll: true });
  setTimeout(() => {
    if (document.activeElement !== element) return;
    element.closest('[data-tool-card]')?.scrollIntoView({ block: 'nearest' });
    showBeginning(element);
  }, SETTLED_MS);
}

function passOn(from: HTMLElement): void {
  if (!isIdle()) return;
  const others = [...document.querySelectorAll<HTMLElement>(`[${INTERRUPT}]`)].filter((element) => element !== from);
  if (others[0] !== undefined) focusInterrupt(others[0]);
  else writable()?.focus({ preventScroll: true });
}

/** True if nothing has the focus, or an empty composer. */
function isIdle(): boolean {
  const { activeElement } = document;
  if (document.querySelector('dialog[open], [popover=auto]:popover-open') !== null) return false;
  const field = composerField();
  if (field !== null && field.value !== '') return false;
  return activeElement === null || activeElement === document.body || activeElement === field;
}

/** On touch devices focusing would open the keyboard. */
function writable(): HTMLTextAreaElement | null {
  return mediaQuery('(pointer: coarse)').matches ? null : composerField();
}
