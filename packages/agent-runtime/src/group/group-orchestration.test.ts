import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import type { GroupOutcome, GroupSettings } from './group-orchestration.ts';
import { GroupOrchestrationRuntime } from './group-orchestration.ts';
import { initialGroupState } from './group-state.ts';

const MEMBERS = ['ada', 'bob', 'cy'];
const settings = (of: Partial<GroupSettings> = {}): GroupSettings => ({
  mode: 'supervisor',
  members: MEMBERS,
  maxRounds: 3,
  stopPhrases: [],
  ...of,
});
const NEW = { lastSpeaker: null, delegatedTo: null };

function spoke(kind: GroupOutcome['kind'], ...members: string[]): GroupOutcome {
  return { kind, members: members.map((agentId) => ({ agentId, text: `${agentId} says`, handedBack: true })) };
}

describe('GroupOrchestrationRuntime', () => {
  test('never exceeds the round limit, whatever the members do, and always finishes', () => {
    const outcome = fc.record({
      kind: fc.constantFrom('speak' as const, 'broadcast' as const, 'task' as const, 'vote' as const),
      members: fc.subarray([...MEMBERS, 'deleted']),
    });
    fc.assert(
      fc.property(
        fc.constantFrom('supervisor' as const, 'round_robin' as const, 'fixed_order' as const),
        fc.integer({ min: 1, max: 5 }),
        fc.array(outcome, { minLength: 40, maxLength: 40 }),
        (mode, maxRounds, outcomes) => {
          const group = new GroupOrchestrationRuntime(settings({ mode, maxRounds }));
          let state = initialGroupState();
          let lastSpeaker: string | null = null;
          for (const { kind, members } of outcomes) {
            // As stored and read again by another process.
            state = JSON.parse(JSON.stringify(state)) as typeof state;
            const next = group.decide(state, { lastSpeaker, delegatedTo: null });
            if (next.do === 'finish' || (next.do === 'ask_supervisor' && next.last)) break;
            const asked = next.do === 'ask_member' ? [next.agentId] : members;
            state = group.after(state, [spoke(kind, ...asked)]);
            lastSpeaker = asked.at(-1) ?? lastSpeaker;
          }
          expect(state.round).toBe(maxRounds);
        },
      ),
      cases(200),
    );
  });

  test('counts a round in which all members failed, and parallel calls as one', () => {
    const group = new GroupOrchestrationRuntime(settings());
    const failed = group.after(initialGroupState(), [{ kind: 'speak', members: [] }, spoke('task', 'ada')]);
    expect(failed.round).toBe(1);
  });

  test('lets members speak in their order, in turn after the last speaker, and not twice in a round', () => {
    const inTurn = new GroupOrchestrationRuntime(settings({ mode: 'round_robin', maxRounds: 1 }));
    expect(inTurn.decide(initialGroupState(), { ...NEW, lastSpeaker: 'bob' })).toMatchObject({ agentId: 'cy' });
    expect(inTurn.decide({ round: 0, spoke: ['cy'] }, { ...NEW, lastSpeaker: 'cy' })).toMatchObject({ agentId: 'ada' });
    const inOrder = new GroupOrchestrationRuntime(settings({ mode: 'fixed_order', maxRounds: 1 }));
    expect(inOrder.decide(initialGroupState(), { ...NEW, lastSpeaker: 'bob' })).toMatchObject({ agentId: 'ada' });
    expect(inOrder.after({ round: 0, spoke: ['ada', 'bob'] }, [spoke('speak', 'cy')])).toEqual({ round: 1, spoke: [] });
    expect(inOrder.decide({ round: 1, spoke: [] }, NEW)).toEqual({ do: 'finish' });
  });

  test('stops at a phrase in any case, at finish, and when the conversation is handed over', () => {
    const group = new GroupOrchestrationRuntime(settings({ stopPhrases: ['we are DONE'] }));
    const says = (text: string, kind: GroupOutcome['kind'] = 'speak', handedBack = true): GroupOutcome => ({
      kind,
      members: [{ agentId: 'ada', text, handedBack }],
    });
    expect(group.after(initialGroupState(), [says('Now We are done.')]).stop).toBe('phrase');
    expect(group.after(initialGroupState(), [says('Hello', 'delegate', false)]).stop).toBe('delegated');
    expect(group.after(initialGroupState(), [says('Hello', 'delegate')]).stop).toBeUndefined();
    const stopped = group.after(initialGroupState(), [{ kind: 'finish', members: [] }]);
    expect(stopped.stop).toBe('finished');
    expect(group.decide(stopped, NEW)).toEqual({ do: 'finish' });
  });

  test('asks the mentioned member first, then continues as before, or stops without a supervisor', () => {
    const led = new GroupOrchestrationRuntime(settings());
    expect(led.decide(initialGroupState('bob'), NEW)).toEqual({ do: 'ask_member', agentId: 'bob', kind: 'speak' });
    const after = led.after(initialGroupState('bob'), [spoke('speak', 'bob')]);
    expect(led.decide(after, NEW)).toEqual({ do: 'ask_supervisor', last: false });
    const inOrder = new GroupOrchestrationRuntime(settings({ mode: 'fixed_order' }));
    expect(inOrder.after(initialGroupState('bob'), [spoke('speak', 'bob')]).stop).toBe('mentioned');
    // The member was removed from the group since.
    expect(led.decide(initialGroupState('zoe'), NEW)).toEqual({ do: 'ask_supervisor', last: false });
  });
});
