/** A key pressed so soon after a question appeared, or got the focus, was meant for something else. */
const UNREAD_MS = 1_000;

/** Tells keys that answer a question from keys that merely hit it. */
export class AnswerGuard {
  readonly #now: () => number;
  #until: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#until = now() + UNREAD_MS;
  }

  /** The question has received the focus. */
  restart(): void {
    this.#until = this.#now() + UNREAD_MS;
  }

  get accepts(): boolean {
    return this.#now() >= this.#until;
  }
}

/** Marks a button that allows something. */
const ALLOWS = 'data-allows';

/** Has buttons marked {@link ALLOWS} ignore the keyboard while the guard does not accept keys yet. */
export function guardApprovalButtons(node: HTMLElement, guard = new AnswerGuard()): () => void {
  const onfocusin = ({ relatedTarget }: FocusEvent): void => {
    if (!(relatedTarget instanceof Node && node.contains(relatedTarget))) guard.restart();
  };
  const onclick = (event: MouseEvent): void => {
    // A click by Enter or Space has no count.
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
