import { RecentMap } from '../../recent-map.ts';
import { t } from '../../i18n/i18n.svelte.ts';
import { during } from '../loads.ts';
import { escape } from '../entities.ts';
import type { SetFormula } from './katex.ts';

type Setter = (tex: string, display: boolean) => SetFormula;

/** KaTeX is loaded with the first formula. */
let setter: Setter | null = $state.raw(null);
let isRequested = false;

/** Formulas that were set before: a paragraph that grows is rendered again for each chunk. */
const known = new RecentMap<string, SetFormula>(2000);

/** HTML of a formula; of an invalid one, its source and the reason. Null until KaTeX is loaded. */
export function formulaHtml(tex: string, display: boolean): string | null {
  if (setter === null) {
    if (!isRequested) void load();
    return null;
  }
  const result = setOnce(setter, tex, display);
  if ('html' in result) return result.html;
  const reason = escape(t('rich.badFormula', { reason: result.reason }));
  return `<code class="md-bad" dir="ltr">${escape(tex)}</code> <small class="md-why">${reason}</small>`;
}

function setOnce(set: Setter, tex: string, display: boolean): SetFormula {
  const key = `${display ? 'd' : 'i'}${tex}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const result = set(tex, display);
  known.set(key, result);
  return result;
}

async function load(): Promise<void> {
  isRequested = true;
  const loading = import('./katex.ts').then(async (katex) => {
    setter = katex.setFormula;
    // The styles of all formulas are computed again with each font that arrives.
    await Promise.all(FONTS.map((font) => document.fonts.load(font)));
  });
  try {
    await during(loading);
  } catch {
    // The source is readable; the next formula tries again.
    isRequested = setter !== null;
  }
}

/** Those of ordinary formulas. */
const FONTS = ['1em KaTeX_Main', 'italic 1em KaTeX_Math', '1em KaTeX_Size1', '1em KaTeX_Size2'];
