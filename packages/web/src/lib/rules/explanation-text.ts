import { t } from '../i18n/i18n.svelte.ts';
import { serverText } from '../i18n/server-text.ts';
import type { CallExplanation } from './explain-call.ts';

/** The reason of a decision about a call, as a sentence. */
export function explanationText({ by }: CallExplanation): string {
  switch (by.kind) {
    case 'rules':
      return t('rules.by_rules', {
        count: by.rules.length,
        numbers: by.rules.map((index) => String(index + 1)).join(', '),
      });
    case 'danger':
      return t('rules.by_danger', { why: serverText(by.why, by.template).text });
    default:
      return t(`rules.by_${by.kind}`);
  }
}
