export const COMPOSER_ID = 'composer';

/** Puts the cursor where messages are written. */
export function focusComposer(): void {
  document.getElementById(COMPOSER_ID)?.focus();
}
