import { tick } from 'svelte';

const FIELD = 'input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), textarea, select';

/** Who opens a form wants to fill it in: the focus is on its first field, not on a button that closes it. */
export function findFirstField(form: Element): HTMLElement | null {
  return form.querySelector(`:is(${FIELD}):not(:disabled)`);
}

/**
 * Attached to a form in the page that takes the place of the button that opened it: focuses its first field and, once it is
 * closed, the button, which is the last one there.
 */
export function focusOpenedForm(form: HTMLElement): () => void {
  const place = form.parentElement;
  findFirstField(form)?.focus();
  return () =>
    void tick().then(() => {
      if (document.activeElement === document.body) [...(place?.querySelectorAll('button') ?? [])].at(-1)?.focus();
    });
}
