/** Pause in typing after which a completion is requested, in milliseconds. */
const PAUSE_MS = 400;
/** Shorter texts say too little. */
const MIN_LENGTH = 4;

/** The input field at a moment. */
export type TypedText = { text: string; selectionStart: number; selectionEnd: number; isComposing: boolean };

export type InputCompletionDeps = {
  /** Asks the model for the words after a text; rejects if it is aborted or fails. */
  complete: (before: string, signal: AbortSignal) => Promise<string>;
  /** Calls back after a pause in milliseconds, unless the returned function is called before. */
  after: (ms: number, work: () => void) => () => void;
  /** Shows a suggestion; empty: none. */
  show: (suggestion: string) => void;
};

/**
 * Suggests the words that follow the text of the composer, at its end. Every change of the text aborts the request in
 * progress and hides the suggestion.
 */
export class InputCompletion {
  readonly #deps: InputCompletionDeps;
  #base = '';
  #suggestion = '';
  #control: AbortController | null = null;
  #clearTimer = (): void => undefined;

  constructor(deps: InputCompletionDeps) {
    this.#deps = deps;
  }

  typed(typed: TypedText): void {
    this.dismiss();
    if (!isCompletable(typed)) return;
    this.#base = typed.text;
    this.#clearTimer = this.#deps.after(PAUSE_MS, () => void this.#request(typed.text));
  }

  /** The whole text with the suggestion, which is then hidden; null without one. */
  accept(): string | null {
    const text = this.#suggestion === '' ? null : this.#base + this.#suggestion;
    this.dismiss();
    return text;
  }

  /** True if a suggestion was shown. */
  dismiss(): boolean {
    const wasShown = this.#suggestion !== '';
    this.#clearTimer();
    this.#control?.abort();
    this.#control = null;
    this.#suggestion = '';
    if (wasShown) this.#deps.show('');
    return wasShown;
  }

  async #request(before: string): Promise<void> {
    const control = (this.#control = new AbortController());
    // Without a suggestion the user writes on; the settings show whether the model works.
    const suggestion = await this.#deps.complete(before, control.signal).catch(() => '');
    if (control.signal.aborted || suggestion.trim() === '') return;
    this.#suggestion = suggestion;
    this.#deps.show(suggestion);
  }
}

/** Only at the end of the text, not while an input method composes, and not for what the menu of `/` and `@` completes. */
function isCompletable({ text, selectionStart, selectionEnd, isComposing }: TypedText): boolean {
  if (isComposing || selectionStart !== selectionEnd || selectionEnd !== text.length) return false;
  if (text.trim().length < MIN_LENGTH || /^\s*[/／]/.test(text)) return false;
  return !/(?:^|\s)[/@／＠]\S*$/.test(text);
}
