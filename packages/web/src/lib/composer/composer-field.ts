export const COMPOSER_ID = 'composer';

/** Where messages are written; null where there is no chat. */
export function composerField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>(`textarea#${COMPOSER_ID}`);
}
