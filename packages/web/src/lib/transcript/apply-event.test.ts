import { fc } from '@toolyard/testing/property';
import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody, SystemMessage } from '@toolyard/protocol';
import { applyRunEvent } from './apply-event.ts';
import { callState } from './test-fixtures/call-state.ts';
import { assistantMessage, createEvents, run, userMessage, view } from './test-fixtures/test-events.ts';
import { openTranscript } from './transcript.ts';
import {
  USER_MESSAGE,
  ASKING,
  RESULT,
  ANSWER,
  WHOLE_RUN,
  open,
  play,
  rows,
  answers,
  firstCall,
  shown,
} from './test-fixtures/test-run.ts';

const SUMMARY: SystemMessage = {
  id: 'r1.summary',
  parentId: 'u1',
  createdAt: 2,
  role: 'system',
  parts: [{ type: 'text', text: 'They asked for the time.' }],
  compaction: { upTo: 'u1', messages: 1, tokensBefore: 9, tokensAfter: 4 },
};

describe('compaction', () => {
  it('is shown once, also if it was stored before its event arrived', () => {
    const transcript = openTranscript(view([USER_MESSAGE, SUMMARY], { activeRun: run('r1') }));
    const twice = play(transcript, createEvents('r1', [{ type: 'compression_finished', message: SUMMARY }]));
    expect(rows(twice).filter(({ kind }) => kind === 'compaction')).toHaveLength(1);
  });
});

describe('the run of a group', () => {
  it('shows the answer of a member at once, under its own name, before what the supervisor writes next', () => {
    const member = { kind: 'speak', runId: 'r1.m', conversationId: 'c.m', callId: 'call1' } as const;
    const agent = { id: 'ada', title: 'Ada' };
    const answer = assistantMessage('r1.m.answer', [{ type: 'text', text: 'Blue.' }], { agent, member });
    const events = WHOLE_RUN.toSpliced(13, 0, { type: 'message_finished', message: answer });
    const transcript = play(open(), createEvents('r1', events));
    expect(answers(transcript).map(({ messageId, head }) => [messageId, head])).toEqual([
      ['r1.0', true],
      ['r1.m.answer', true],
      ['r1.2', true],
    ]);
    expect(answers(transcript)[1]).toMatchObject({ agent, member, status: 'finished' });
  });
});

describe('an answer with text that looks like a call', () => {
  it('shows the text where the model wrote it, and the call that was not made, once', () => {
    const text = 'The page says <tool_call>{}</tool_call> and ends.';
    const unmadeCalls = [{ name: 'run', tool: { serverId: 'evil', name: 'run' }, arguments: {} }];
    const message = assistantMessage('r1.0', [{ type: 'text', text }], { unmadeCalls });
    const transcript = play(
      openTranscript(view([USER_MESSAGE], { activeRun: run('r1') })),
      createEvents('r1', [
        { type: 'message_started', messageId: 'r1.0', parentId: 'u1', model: 'm' },
        { type: 'text_delta', messageId: 'r1.0', text: 'The page says  and ends.' },
        { type: 'message_finished', message },
        { type: 'notice', level: 'info', code: 'text_not_called', text: 'The answer contains text.' },
      ]),
    );
    expect(rows(transcript).filter(({ kind }) => kind === 'notice')).toEqual([]);
    expect(answers(transcript)).toMatchObject([{ blocks: [{ type: 'text', text }], unmadeCalls }]);
  });
});

describe('a followed run', () => {
  it('shows at its end the same as the stored messages', () => {
    const watched = play(open(), createEvents('r1', WHOLE_RUN));
    const read = openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER]));
    expect(shown(watched)).toEqual(shown(read));
  });

  it('shows each state of a tool call', () => {
    const states: unknown[] = [];
    let transcript = open();
    for (const event of createEvents('r1', WHOLE_RUN)) {
      transcript = applyRunEvent(transcript, event);
      const call = firstCall(transcript);
      if (call !== undefined && states.at(-1) !== callState(call)) states.push(callState(call));
    }
    expect(states).toEqual(['writing', 'waiting', 'running', 'done']);
    expect(firstCall(transcript)).toMatchObject({ durationMs: 40, arguments: { zone: 'Asia/Tokyo' } });
  });

  it('keeps the duration of reasoning', () => {
    const transcript = play(open(), createEvents('r1', WHOLE_RUN));
    expect(answers(transcript)[0]?.blocks[0]).toMatchObject({ type: 'reasoning', durationMs: 2000 });
  });

  it('adds the actions to the last row of the answer once it has ended', () => {
    const events = createEvents('r1', WHOLE_RUN);
    const inBetween = play(open(), events.slice(0, 15));
    expect(answers(inBetween).map((row) => [row.head, row.answer])).toEqual([
      [true, null],
      [false, null],
    ]);
    expect(answers(play(open(), events)).map((row) => row.answer?.messageId)).toEqual([undefined, 'r1.0']);
  });

  it('applies each event once, however often it arrives', () => {
    const events = createEvents('r1', WHOLE_RUN);
    fc.assert(
      fc.property(fc.array(fc.nat(events.length - 1)), (backs) => {
        let transcript = open();
        for (const [index, event] of events.entries()) {
          transcript = applyRunEvent(transcript, event);
          const again = backs[index];
          if (again !== undefined) {
            for (const old of events.slice(Math.min(again, index), index + 1)) {
              expect(applyRunEvent(transcript, old)).toBe(transcript);
            }
          }
        }
        expect(shown(transcript)).toEqual(shown(play(open(), events)));
      }),
    );
  });

  it('keeps the objects of all other rows when text arrives', () => {
    const earlier = [
      userMessage('u0', 'Hello'),
      assistantMessage('r0.0', [{ type: 'text', text: 'Hi' }], { runId: 'r0' }),
    ];
    const before = play(
      openTranscript(view([...earlier, USER_MESSAGE], { activeRun: run('r1') })),
      createEvents('r1', WHOLE_RUN).slice(0, 14),
    );
    const after = play(before, createEvents('r1', WHOLE_RUN).slice(14, 15));
    expect(after.history).toBe(before.history);
    expect(after.tail[0]).toBe(before.tail[0]);
    expect(after.tail[1]).not.toBe(before.tail[1]);
  });

  it('is shown also if another tab sent the message', () => {
    const transcript = play(openTranscript(view([])), createEvents('r1', WHOLE_RUN).slice(0, 1));
    expect(rows(transcript).map((row) => row.kind)).toEqual(['user', 'assistant']);
    expect(transcript.run).toMatchObject({ id: 'r1', status: 'running' });
  });

  it('continues from its stored events when the page is opened during the run', () => {
    const opened = openTranscript(view([USER_MESSAGE, ASKING, RESULT], { activeRun: run('r1') }));
    const transcript = play(opened, createEvents('r1', WHOLE_RUN));
    expect(shown(transcript)).toEqual(shown(play(open(), createEvents('r1', WHOLE_RUN))));
  });

  it('replaces the pending message stored for it', () => {
    const pending = assistantMessage('r1.0', [], { finishReason: 'pending' });
    const opened = openTranscript(view([USER_MESSAGE, pending], { activeRun: run('r1') }));
    const begun = play(opened, createEvents('r1', WHOLE_RUN).slice(0, 4));
    expect(begun.tail).toHaveLength(1);
    expect(begun.tail[0]?.key).toBe(opened.tail[0]?.key);
  });

  it('of another conversation changes nothing', () => {
    const transcript = openTranscript(view([USER_MESSAGE]));
    const [started] = createEvents('r9', [
      { type: 'run_started', conversationId: 'c9', place: 'server', model: 'demo', message: USER_MESSAGE },
    ]);
    expect(started && applyRunEvent(transcript, started)).toBe(transcript);
  });

  it('that has ended changes nothing when its events arrive again after a reconnect', () => {
    const transcript = openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER], { updatedAt: 100 }));
    expect(play(transcript, createEvents('r1', WHOLE_RUN))).toBe(transcript);
  });
});

describe('an answer restarted after a crash', () => {
  const partial: RunEventBody[] = [
    ...WHOLE_RUN.slice(0, 2),
    { type: 'message_started', messageId: 'r1.0', parentId: 'u1', model: 'demo' },
    { type: 'text_delta', messageId: 'r1.0', text: 'It is ha' },
    { type: 'attempt_abandoned', messageId: 'r1.0' },
    { type: 'message_started', messageId: 'r1.0~2', parentId: 'u1', model: 'demo' },
    { type: 'text_delta', messageId: 'r1.0~2', text: 'It is half past nine.' },
    {
      type: 'message_finished',
      message: assistantMessage('r1.0~2', [{ type: 'text', text: 'It is half past nine.' }]),
    },
    { type: 'run_finished', status: 'done', usage: {} },
  ];

  it('marks the first attempt as abandoned and updates the second', () => {
    const transcript = play(open(), createEvents('r1', partial));
    expect(answers(transcript).map((row) => [row.messageId, row.status, row.answer?.messageId])).toEqual([
      ['r1.0', 'abandoned', undefined],
      ['r1.0~2', 'finished', 'r1.0~2'],
    ]);
  });

  it('looks the same after a reload', () => {
    const stored = view([USER_MESSAGE, assistantMessage('r1.0~2', [{ type: 'text', text: 'It is half past nine.' }])]);
    stored.page.abandoned = [
      assistantMessage('r1.0', [{ type: 'text', text: 'It is ha' }], { finishReason: 'abandoned' }),
    ];
    expect(shown(openTranscript(stored))).toEqual(shown(play(open(), createEvents('r1', partial))));
  });
});

describe('a failed run', () => {
  const error = { code: 'overloaded', message: 'The model server is overloaded.' } as const;

  it('shows the reason after its messages', () => {
    const transcript = play(
      open(),
      createEvents('r1', [...WHOLE_RUN.slice(0, 2), { type: 'run_finished', status: 'failed', usage: {}, error }]),
    );
    expect(rows(transcript).map((row) => row.kind)).toEqual(['user', 'outcome']);
    expect(transcript.tail[0]).toMatchObject({ outcome: { type: 'failed', error } });
  });

  it('shows the reason once if a message contains the error', () => {
    const broken = assistantMessage(
      'r1.0',
      [
        { type: 'text', text: 'It' },
        { type: 'error', error },
      ],
      {
        finishReason: 'error',
      },
    );
    const transcript = play(
      open(),
      createEvents('r1', [
        ...WHOLE_RUN.slice(0, 3),
        { type: 'message_finished', message: broken },
        { type: 'run_finished', status: 'failed', usage: {}, error },
      ]),
    );
    expect(rows(transcript).map((row) => row.kind)).toEqual(['user', 'assistant']);
  });

  it('shows the reason also after a reload', () => {
    const failed = play(
      open(),
      createEvents('r1', [...WHOLE_RUN.slice(0, 2), { type: 'run_finished', status: 'failed', usage: {}, error }]),
    );
    const stored = view([USER_MESSAGE], { ended: { runId: 'r1', status: 'failed', error } });
    for (const again of [openTranscript(stored, failed), openTranscript(stored)]) {
      expect(rows(again).at(-1)).toMatchObject({ key: 'r1:end', outcome: { type: 'failed', error } });
    }
    expect(rows(openTranscript(view([USER_MESSAGE]))).at(-1)).toMatchObject({ outcome: { type: 'unanswered' } });
  });

  it('shows the reason though the page loads its end before the event', () => {
    const running = play(open(), createEvents('r1', WHOLE_RUN.slice(0, 12)));
    const stored = view([USER_MESSAGE, ASKING, RESULT], { ended: { runId: 'r1', status: 'failed', error } });
    const loaded = openTranscript(stored, running);
    const [end] = createEvents('r1', [{ type: 'run_finished', status: 'failed', usage: {}, error }]);
    const after = end === undefined ? loaded : applyRunEvent(loaded, { ...end, seq: 13 });
    expect(rows(after).map((row) => row.kind)).toEqual(['user', 'assistant', 'outcome']);
  });
});

describe('a regenerated answer', () => {
  it('replaces the old one', () => {
    const transcript = openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER]));
    const anew = play(
      transcript,
      createEvents('r2', [
        { type: 'run_started', conversationId: 'c1', place: 'server', model: 'demo', message: USER_MESSAGE },
      ]),
    );
    expect(rows(anew).map((row) => row.key)).toEqual(['u1', 'r2:awaited']);
  });
});

it('ignores an event of a newer server that this page does not know', () => {
  const [first] = createEvents('r1', [{ type: 'run_resumed' }]);
  const before = openTranscript(view([USER_MESSAGE], { activeRun: run('r1') }));
  const unknown = { ...first, seq: 1_000, type: 'message_moved' } as unknown as RunEvent;
  expect(rows(applyRunEvent(before, unknown))).toEqual(rows(before));
});
