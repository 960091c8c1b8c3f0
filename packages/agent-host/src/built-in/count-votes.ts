import type { GroupCallResult } from '@toolyard/protocol';
import type { SubAgentResult } from '../sub-agents.ts';

/**
 * Counts the votes of members. The option with most votes wins. If several have equal votes the tie breaker decides, or,
 * if it is not among them, the order of the options.
 */
export function countVotes(
  { question, options, tieBreaker }: { question: string; options: readonly string[]; tieBreaker: string },
  results: readonly { agentId: string; result: SubAgentResult }[],
): NonNullable<GroupCallResult['vote']> {
  const ballots = results.flatMap(({ agentId, result }) =>
    result.status === 'done' ? [{ agentId, ...readBallot(result.text, options) }] : [],
  );
  const counts = options.map((option) => ({ option, votes: ballots.filter((each) => each.option === option).length }));
  const most = Math.max(...counts.map(({ votes }) => votes));
  const first = counts.filter(({ votes }) => votes === most).map(({ option }) => option);
  const [winner = tieBreaker] = first.includes(tieBreaker) ? [tieBreaker] : first;
  return { question, options: counts, ballots, winner, wasTied: first.length > 1 };
}

/** The option on the first line of an answer, and the rest as the reason. */
function readBallot(text: string, options: readonly string[]): { option: string | null; reason: string } {
  const [first = '', ...rest] = text.trim().split('\n');
  const line = plain(first);
  const exact = options.find((option) => plain(option) === line);
  const mentioned = options.filter((option) => line.includes(plain(option)));
  const option = exact ?? (mentioned.length === 1 ? mentioned[0] : undefined) ?? null;
  const reason = (rest.length > 0 ? rest.join(' ') : exact === undefined ? first : '').replace(/\s+/g, ' ').trim();
  return { option, reason };
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu, '')
    .replace(/\s+/g, ' ');
}
