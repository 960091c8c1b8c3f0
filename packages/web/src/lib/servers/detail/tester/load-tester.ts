import { i18n } from '../../../i18n/i18n.svelte.ts';

/** The tool tester with its texts. */
export async function loadTester() {
  const [{ default: TesterSheet }] = await Promise.all([
    import('./TesterSheet.svelte'),
    i18n.need('inspect', 'cards', 'offers', 'rules'),
  ]);
  return TesterSheet;
}
