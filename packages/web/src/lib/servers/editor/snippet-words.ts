import { t } from '../../i18n/i18n.svelte.ts';
import type { EntryProblem } from './read-snippet.ts';

/** Why an entry cannot be taken. */
export function entryProblemWords(problem: EntryProblem): string {
  switch (problem.kind) {
    case 'neither':
      return t('mcp.pasteNeither');
    case 'address':
      return t('mcp.pasteAddress');
    case 'part':
      return t('mcp.pastePart', { part: problem.part });
  }
}

/** What is left to be filled in; null where nothing is. */
export function gapsWords(gaps: readonly string[]): string | null {
  return gaps.length === 0 ? null : gaps.map((gap) => t('mcp.pasteAsks', { gap })).join(' ');
}
