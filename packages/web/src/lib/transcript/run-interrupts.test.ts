import { describe, expect, it } from 'vitest';
import type { RunEventBody } from '@toolyard/protocol';
import { callState } from './test-fixtures/call-state.ts';
import { DATE_TOOL, createEvents, run, view } from './test-fixtures/test-events.ts';
import { openTranscript } from './transcript.ts';
import { USER_MESSAGE, ASKING, WHOLE_RUN, open, play, firstCall } from './test-fixtures/test-run.ts';

describe('interrupts of a call', () => {
  const interrupt = {
    id: 'call1.approval',
    kind: 'approval',
    callId: 'call1',
    tool: DATE_TOOL,
    name: 'get-date',
    arguments: {},
  } as const;
  const asked: RunEventBody[] = [
    ...WHOLE_RUN.slice(0, 9),
    { type: 'interrupt_requested', interrupt },
    { type: 'run_parked' },
  ];

  it('are shown at their call until they are answered', () => {
    const waiting = play(open(), createEvents('r1', asked));
    expect(firstCall(waiting)?.interrupt).toEqual(interrupt);
    expect(waiting.run?.status).toBe('parked');

    const answered = play(waiting, [
      ...createEvents('r1', [
        ...asked,
        { type: 'run_resumed' },
        {
          type: 'interrupt_answered',
          interruptId: interrupt.id,
          answer: { decision: 'approve', scope: 'conversation' },
        },
      ]),
    ]);
    expect(firstCall(answered)).toMatchObject({ interrupt: null, answer: { scope: 'conversation' } });
    expect(answered.run?.status).toBe('running');
  });

  it('are shown one after the other until answered or withdrawn', () => {
    const interrupt = (id: string) => {
      const base = { id, callId: 'call1', tool: DATE_TOOL, name: 'get-date', kind: 'elicitation' } as const;
      return { ...base, mode: 'url', message: '', url: 'https://example.com/' } as const;
    };
    const begun: RunEventBody[] = [
      ...WHOLE_RUN.slice(0, 9),
      { type: 'tool_started', callId: 'call1', tool: DATE_TOOL, name: 'get-date' },
      { type: 'interrupt_requested', interrupt: interrupt('one'), live: true },
      { type: 'interrupt_requested', interrupt: interrupt('two'), live: true },
      { type: 'interrupt_requested', interrupt: interrupt('three'), live: true },
    ];
    const after = (...more: RunEventBody[]) => firstCall(play(open(), createEvents('r1', [...begun, ...more])));
    const names = (call: ReturnType<typeof after>) => [
      call?.interrupt?.id,
      ...(call?.asksNext ?? []).map(({ id }) => id),
    ];
    expect(names(after())).toEqual(['one', 'two', 'three']);
    const taken: RunEventBody = { type: 'interrupt_withdrawn', interruptId: 'two' };
    expect(names(after(taken))).toEqual(['one', 'three']);
    const answer: RunEventBody = { type: 'interrupt_answered', interruptId: 'one', answer: { decision: 'accept' } };
    expect(names(after(taken, answer))).toEqual(['three']);
    expect(names(after(taken, answer, { type: 'interrupt_withdrawn', interruptId: 'three' }))).toEqual([undefined]);
  });

  it('are shown again after a reload', () => {
    const opened = openTranscript(
      view([USER_MESSAGE, ASKING], {
        activeRun: run('r1', 'parked'),
        interrupts: [
          {
            id: interrupt.id,
            runId: 'r1',
            conversationId: 'c1',
            mode: 'parked',
            interrupt,
            status: 'open',
            answer: null,
            openedAt: 1,
            answeredAt: null,
          },
        ],
      }),
    );
    expect(firstCall(opened)?.interrupt).toEqual(interrupt);
  });

  it('are withdrawn when the run ends', () => {
    const ended = play(
      open(),
      createEvents('r1', [...asked, { type: 'run_finished', status: 'cancelled', usage: {} }]),
    );
    const call = firstCall(ended);
    expect(call?.interrupt).toBeNull();
    expect(call && callState(call)).toBe('not_made');
  });
});
