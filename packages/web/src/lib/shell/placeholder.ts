/** What was typed into the composer of the placeholder, and where the cursor was; null without the focus. */
export type TypedEarly = { text: string; cursor: number | null };

let take: ((typed: TypedEarly) => void) | null = null;

/** The composer of the page, which continues what was typed before it was loaded. */
export function onPlaceholderLeft(listener: (typed: TypedEarly) => void): () => void {
  take = listener;
  return () => {
    if (take === listener) take = null;
  };
}

/**
 * Removes the placeholder in app.html, which covers the page until it is loaded. A composition of an input method is
 * completed first: moving its text would end it.
 */
export function leavePlaceholder(): void {
  const placeholder = document.getElementById('placeholder');
  if (placeholder === null) return;
  const field = placeholder.querySelector('textarea');
  if (field?.dataset['composing'] !== undefined) {
    // The text of the composition is in the field after the event.
    field.addEventListener('compositionend', () => setTimeout(leavePlaceholder), { once: true });
    return;
  }
  const typed = field && {
    text: field.value,
    cursor: document.activeElement === field ? field.selectionStart : null,
  };
  placeholder.remove();
  if (typed !== null) take?.(typed);
}
