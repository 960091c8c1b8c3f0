import { i18n } from '../i18n/i18n.svelte.ts';

/** The preview of resources and prompts with its texts. */
export async function loadPreview() {
  const [{ default: PreviewDialog }] = await Promise.all([
    import('./PreviewDialog.svelte'),
    i18n.need('offers', 'cards', 'interrupts'),
  ]);
  return PreviewDialog;
}
