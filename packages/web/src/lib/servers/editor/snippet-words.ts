import { t } from '../../i18n/i18n.svelte.ts';
import { MAX_CONCURRENT_CALLS } from '@toolyard/protocol';
import type { EntryProblem } from './read-snippet.ts';
import type { LimitProblem } from './snippet-limits.ts';
import { TIMEOUT_MS } from './snippet-limits.ts';

/** Why an entry is rejected, as text. */
export function entryProblemWords(problem: EntryProblem): string {
  switch (problem.kind) {
    case 'neither':
      return t('mcp.pasteNeither');
    case 'address':
      return t('mcp.pasteAddress');
    case 'part':
      return t('mcp.pastePart', { part: problem.part });
    case 'limit':
      return limitWords(problem);
  }
}

function limitWords({ part, value }: LimitProblem): string {
  if (part === 'processes') return t('mcp.pasteProcesses', { value });
  const { min, max } = part === 'maxConcurrentCalls' ? { min: 1, max: MAX_CONCURRENT_CALLS } : TIMEOUT_MS;
  return t('mcp.pasteNumber', { part, value, min, max });
}

/** What remains to be filled in, as text; null if nothing does. */
export function gapsWords(gaps: readonly string[]): string | null {
  return gaps.length === 0 ? null : gaps.map((gap) => t('mcp.pasteAsks', { gap })).join(' ');
}
