import { expect, it } from 'vitest';
import type { GroupView } from '@toolyard/protocol';
import { changedGroup, toGroupDraft, movedMember, newGroup, findProblem } from './group-draft.ts';

const GROUP: GroupView = {
  id: 'g',
  title: 'Editors',
  members: [{ agentId: 'a' }, { agentId: 'b', name: 'Bea' }],
  mode: { kind: 'supervisor', supervisor: { agentId: 'boss' } },
  instructions: 'Be brief.',
  maxRounds: 7,
  memberTimeoutMs: 90_000,
  stopPhrases: ['APPROVED', 'STOP'],
  budgets: [],
  version: 3,
  createdAt: 1,
  updatedAt: 1,
};

it('sends back what it has read, and only what the user chose for a new group', () => {
  const { id: _id, version, createdAt: _c, updatedAt: _u, ...definition } = GROUP;
  expect(changedGroup(toGroupDraft(GROUP), 3)).toEqual({ ...definition, memberMaxTurns: null, version });
  const draft = { ...toGroupDraft(null), title: ' Crew ', members: [{ agentId: 'a' }], stopPhrases: '\nDone \n' };
  expect(newGroup(draft)).toEqual({
    title: 'Crew',
    instructions: '',
    members: [{ agentId: 'a' }],
    mode: { kind: 'supervisor', supervisor: { instructions: '' } },
    stopPhrases: ['Done'],
    budgets: [],
  });
  expect(newGroup({ ...draft, decider: 'fixed_order', timeoutMinutes: 0.5 })).toMatchObject({
    mode: { kind: 'fixed_order' },
    memberTimeoutMs: 30_000,
  });
});

it('says what is missing', () => {
  const draft = toGroupDraft(GROUP);
  expect(findProblem(draft)).toBeNull();
  expect(findProblem({ ...draft, title: ' ' })).toBe('title');
  expect(findProblem({ ...draft, members: [] })).toBe('members');
  expect(findProblem({ ...draft, supervisorId: '' })).toBe('supervisor');
});

it('moves a member within the list', () => {
  const [a, b] = [{ agentId: 'a' }, { agentId: 'b' }];
  expect(movedMember([a, b], 0, 1)).toEqual([b, a]);
  expect(movedMember([a, b], 0, -1)).toEqual([a, b]);
});
