import { expect, test } from 'vitest';
import { countVotes } from './count-votes.ts';

const says = (agentId: string, text: string) => ({
  agentId,
  result: { title: agentId, text, status: 'done' as const, runId: 'r', conversationId: 'c' },
});
const VOTE = { question: '?', options: ['Red', 'Blue', 'Dark blue'], tieBreaker: 'Blue' };

test('counts the option on the first line, in any case and marked up, and keeps the reason', () => {
  const { options, ballots, winner, wasTied } = countVotes(VOTE, [
    says('ada', '**red**.\nIt is warm.'),
    says('bob', 'I choose Red because it is warm.'),
    says('cy', 'dark BLUE'),
    says('dan', 'Blue or red?'),
  ]);
  expect(options.map(({ votes }) => votes)).toEqual([2, 0, 1]);
  expect(ballots[0]).toEqual({ agentId: 'ada', option: 'Red', reason: 'It is warm.' });
  expect(ballots[3]).toEqual({ agentId: 'dan', option: null, reason: 'Blue or red?' });
  expect({ winner, wasTied }).toEqual({ winner: 'Red', wasTied: false });
});

test('decides equal votes by the tie breaker, or by the order if it has fewer', () => {
  expect(countVotes(VOTE, [says('ada', 'Red'), says('bob', 'Blue')])).toMatchObject({ winner: 'Blue', wasTied: true });
  expect(countVotes(VOTE, [])).toMatchObject({ winner: 'Blue', wasTied: true });
  const others = countVotes(VOTE, [says('ada', 'Red'), says('bob', 'Dark blue')]);
  expect(others).toMatchObject({ winner: 'Red', wasTied: true });
});
