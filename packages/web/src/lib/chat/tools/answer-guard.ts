/**
 * Keys within this time after an interrupt appeared or received the focus were meant for something else, in milliseconds.
 */
const UNREAD_MS = 1_000;

/** Ignores keys that hit an interrupt by accident. */
export class AnswerGuard {
  readonly #now: () => number;
  #until: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#until = now() + UNREAD_MS;
  }

  /** To be called when the interrupt receives the focus. */
  restart(): void {
    this.#until = this.#now() + UNREAD_MS;
  }

  get accepts(): boolean {
    return this.#now() >= this.#until;
  }
}

/** Attribute of a button that allows something. */
const ALLOWS = 'data-allows';

/** Makes buttons marked with {@link ALLOWS} ignore the keyboard until the guard accepts keys. */
export function guardApprovalButtons(node: HTMLElement, guard = new AnswerGuard()): () => void {
  const onfocusin = ({ relatedTarget }: FocusEvent): void => {
    if (!(relatedTarget instanceof Node && node.contains(relatedTarget))) guard.restart();
  };
  const onclick = (event: MouseEvent): void => {
    // A click by Enter or Space has `detail` 0.
    const isByKey = event.detail === 0;
    if (!isByKey || guard.accepts) return;
    if (!(event.target instanceof Element) || event.target.closest(`[${ALLOWS}]`) === null) return;
    event.preventDefault();
    event.stopPropagation();
  };
  node.addEventListener('focusin', onfocusin);
  node.addEventListener('click', onclick, { capture: true });
  return () => {
    node.removeEventListener('focusin', onfocusin);
    node.removeEventListener('click', onclick, { capture: true });
  };
}
