export const COMPOSER_ID = 'composer';

/** The input element of the open chat; null if no chat is open. */
export function composerField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>(`textarea#${COMPOSER_ID}`);
}
