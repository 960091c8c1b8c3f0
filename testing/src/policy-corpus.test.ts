import { expect, test, vi } from 'vitest';
import type { PolicyCase } from './policy-corpus.ts';
import { loadPolicyCorpus } from './policy-corpus.ts';

const EXPECTED = {
  command: ['flagged', 'unflagged'],
  never: ['match', 'no-match'],
  call: ['flagged', 'unflagged'],
  path: ['inside', 'outside'],
} as const satisfies Record<PolicyCase['kind'], readonly string[]>;

function countGroups(cases: readonly PolicyCase[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { group } of cases) counts[group] = (counts[group] ?? 0) + 1;
  return counts;
}

/** The ids of malformed entries: a failure must not print the text of a sealed entry. */
function malformedEntries(cases: readonly PolicyCase[]): string[] {
  const isWellFormed = (entry: PolicyCase): boolean => {
    const values: readonly string[] = EXPECTED[entry.kind];
    const subject = 'command' in entry ? entry.command : entry.call.tool;
    const words = entry.why.split(' ').length;
    return values.includes(entry.expected) && subject !== '' && words <= 10 && entry.id.startsWith(`${entry.group}-`);
  };
  return cases.filter((entry) => !isWellFormed(entry)).map(({ id }) => id);
}

test('the open half has the groups and counts listed in its README', () => {
  expect(countGroups(loadPolicyCorpus('open'))).toEqual({
    'secrets-quoting': 22,
    'secrets-variables': 22,
    'secrets-folders': 23,
    'secrets-environment': 24,
    'secrets-tools': 26,
    'secrets-files': 27,
    'code-download': 35,
    'code-reverse-shell': 22,
    'code-encoded': 24,
    'loss-flags': 24,
    'loss-globs': 23,
    'loss-programs': 32,
    'loss-editors': 23,
    'parser-lexing': 29,
    'parser-grammar': 25,
    persistence: 31,
    privileges: 35,
    toolyard: 34,
    never: 52,
    arguments: 42,
    paths: 46,
    'harmless-git': 16,
    'harmless-build': 20,
    'harmless-files': 18,
    'harmless-text': 15,
    'harmless-network': 10,
    'harmless-services': 13,
    'harmless-writing': 10,
    'harmless-code': 10,
    'harmless-syntax': 18,
    'harmless-lookalike': 19,
  });
});

test('entries of both halves have unique ids and the documented format', () => {
  vi.stubEnv('TOOLYARD_SEALED', '1');
  const all = (['first', 'second'] as const).flatMap((corpus) => [
    ...loadPolicyCorpus('open', corpus),
    ...loadPolicyCorpus('sealed', corpus),
  ]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(malformedEntries(all)).toEqual([]);
});

test.each(['first', 'second'] as const)('the sealed half of the %s corpus has the same groups', (corpus) => {
  vi.stubEnv('TOOLYARD_SEALED', '1');
  const groups = (half: 'open' | 'sealed') => Object.keys(countGroups(loadPolicyCorpus(half, corpus))).sort();
  expect(groups('sealed')).toEqual(groups('open'));
});

test('the sealed half requires TOOLYARD_SEALED=1', () => {
  vi.stubEnv('TOOLYARD_SEALED', undefined);
  expect(() => loadPolicyCorpus('sealed')).toThrow('TOOLYARD_SEALED=1');
});
