import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody, SystemMessage } from '@toolyard/protocol';
import { applyRunEvent } from './apply-event.ts';
import { callState } from './calls.ts';
import type { CallView } from './calls.ts';
import type { AssistantRow, Row } from './rows.ts';
import {
  assistantMessage,
  DATE_TOOL,
  eventsOf,
  run,
  toolCall,
  toolMessage,
  toolResult,
  userMessage,
  view,
} from './test-events.ts';
import { forgetSending, openTranscript, prependPage, rowList, showSending } from './transcript.ts';
import type { Transcript } from './transcript.ts';

const QUESTION = userMessage('u1', 'What time is it in Tokyo?');
const ASKING = assistantMessage('r1.0', [{ type: 'reasoning', text: 'Let me look.' }, toolCall('call1')], {
  finishReason: 'tool_calls',
});
const RESULT = toolMessage('r1.1.0', 'call1', toolResult('21:30'), 'r1.0');
const ANSWER = assistantMessage('r1.2', [{ type: 'text', text: 'It is half past nine.' }], { parentId: 'r1.1.0' });

const WHOLE_RUN: RunEventBody[] = [
  { type: 'run_started', conversationId: 'c1', place: 'server', model: 'demo', message: QUESTION },
  { type: 'step_started', instruction: 'call_llm' },
  { type: 'message_started', messageId: 'r1.0', parentId: 'u1', model: 'demo' },
  { type: 'reasoning_delta', messageId: 'r1.0', text: 'Let me ' },
  { type: 'reasoning_delta', messageId: 'r1.0', text: 'look.' },
  { type: 'tool_call_started', messageId: 'r1.0', callId: 'call1', name: 'get-date' },
  { type: 'tool_call_delta', messageId: 'r1.0', callId: 'call1', argumentsText: '{"zone":"Asia/Tokyo"}' },
  { type: 'tool_call_ready', messageId: 'r1.0', call: toolCall('call1') },
  { type: 'message_finished', message: ASKING },
  { type: 'step_started', instruction: 'call_tool' },
  { type: 'tool_started', callId: 'call1', tool: DATE_TOOL, name: 'get-date' },
  { type: 'tool_progress', callId: 'call1', progress: 1, total: 2, text: 'asking the clock' },
  { type: 'tool_finished', callId: 'call1', result: toolResult('21:30'), message: RESULT, durationMs: 40 },
  { type: 'message_started', messageId: 'r1.2', parentId: 'r1.1.0', model: 'demo' },
  { type: 'text_delta', messageId: 'r1.2', text: 'It is half ' },
  { type: 'text_delta', messageId: 'r1.2', text: 'past nine.' },
  { type: 'message_finished', message: ANSWER },
  { type: 'run_finished', status: 'done', usage: {} },
];

function open(): Transcript {
  return openTranscript(view([QUESTION], { activeRun: run('r1') }));
}

function play(transcript: Transcript, events: readonly RunEvent[]): Transcript {
  return events.reduce(applyRunEvent, transcript);
}

function rows(transcript: Transcript): Row[] {
  return [...transcript.history, ...transcript.tail];
}

function answers(transcript: Transcript): AssistantRow[] {
  return rows(transcript).filter((row) => row.kind === 'assistant');
}

function firstCall(transcript: Transcript): CallView | undefined {
  for (const row of answers(transcript)) {
    for (const block of row.blocks) if (block.type === 'call') return block.call;
  }
  return undefined;
}

/** What is shown, without the times only watching tells. */
function shown(transcript: Transcript): unknown {
  return rows(transcript).map((row) =>
    row.kind === 'assistant'
      ? {
          id: row.messageId,
          status: row.status,
          head: row.head,
          answer: row.answer,
          blocks: row.blocks.map((block) => {
            if (block.type === 'call') return { call: block.call.callId, state: callState(block.call) };
            return block.type === 'reasoning' ? { reasoning: block.text } : block;
          }),
        }
      : { kind: row.kind },
  );
}

const SUMMARY: SystemMessage = {
  id: 'r1.summary',
  parentId: 'u1',
  createdAt: 2,
  role: 'system',
  parts: [{ type: 'text', text: 'They asked for the time.' }],
  folds: { upTo: 'u1', messages: 1, tokensBefore: 9, tokensAfter: 4 },
};

describe('what was folded', () => {
  it('stands there once, also where it was stored before it was told', () => {
    const transcript = openTranscript(view([QUESTION, SUMMARY], { activeRun: run('r1') }));
    const told = play(transcript, eventsOf('r1', [{ type: 'compression_finished', message: SUMMARY }]));
    expect(rows(told).filter(({ kind }) => kind === 'fold')).toHaveLength(1);
  });
});

describe('a run that is watched', () => {
  it('shows at its end what the stored messages show', () => {
    const watched = play(open(), eventsOf('r1', WHOLE_RUN));
    const read = openTranscript(view([QUESTION, ASKING, RESULT, ANSWER]));
    expect(shown(watched)).toEqual(shown(read));
  });

  it('shows each state of a tool call on its way', () => {
    const states: unknown[] = [];
    let transcript = open();
    for (const event of eventsOf('r1', WHOLE_RUN)) {
      transcript = applyRunEvent(transcript, event);
      const call = firstCall(transcript);
      if (call !== undefined && states.at(-1) !== callState(call)) states.push(callState(call));
    }
    expect(states).toEqual(['writing', 'waiting', 'running', 'done']);
    expect(firstCall(transcript)).toMatchObject({ durationMs: 40, arguments: { zone: 'Asia/Tokyo' } });
  });

  it('keeps how long the model thought', () => {
    const transcript = play(open(), eventsOf('r1', WHOLE_RUN));
    expect(answers(transcript)[0]?.blocks[0]).toMatchObject({ type: 'reasoning', durationMs: 2000 });
  });

  it('gives the actions to the last row of the answer, and only when it is over', () => {
    const events = eventsOf('r1', WHOLE_RUN);
    const inBetween = play(open(), events.slice(0, 15));
    expect(answers(inBetween).map((row) => [row.head, row.answer])).toEqual([
      [true, null],
      [false, null],
    ]);
    expect(answers(play(open(), events)).map((row) => row.answer?.messageId)).toEqual([undefined, 'r1.0']);
  });

  it('applies each event once, however often the stream tells it', () => {
    const events = eventsOf('r1', WHOLE_RUN);
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

  it('leaves every other row the object it was when a word comes', () => {
    const earlier = [
      userMessage('u0', 'Hello'),
      assistantMessage('r0.0', [{ type: 'text', text: 'Hi' }], { runId: 'r0' }),
    ];
    const before = play(
      openTranscript(view([...earlier, QUESTION], { activeRun: run('r1') })),
      eventsOf('r1', WHOLE_RUN).slice(0, 14),
    );
    const after = play(before, eventsOf('r1', WHOLE_RUN).slice(14, 15));
    expect(after.history).toBe(before.history);
    expect(after.tail[0]).toBe(before.tail[0]);
    expect(after.tail[1]).not.toBe(before.tail[1]);
  });

  it('is shown also where another tab sent the message', () => {
    const transcript = play(openTranscript(view([])), eventsOf('r1', WHOLE_RUN).slice(0, 1));
    expect(rows(transcript).map((row) => row.kind)).toEqual(['user', 'assistant']);
    expect(transcript.run).toMatchObject({ id: 'r1', status: 'running' });
  });

  it('goes on from what was stored of it when the page was opened in the middle', () => {
    const opened = openTranscript(view([QUESTION, ASKING, RESULT], { activeRun: run('r1') }));
    const transcript = play(opened, eventsOf('r1', WHOLE_RUN));
    expect(shown(transcript)).toEqual(shown(play(open(), eventsOf('r1', WHOLE_RUN))));
  });

  it('takes the place of the pending message the server stored for it', () => {
    const pending = assistantMessage('r1.0', [], { finishReason: 'pending' });
    const opened = openTranscript(view([QUESTION, pending], { activeRun: run('r1') }));
    const begun = play(opened, eventsOf('r1', WHOLE_RUN).slice(0, 4));
    expect(begun.tail).toHaveLength(1);
    expect(begun.tail[0]?.key).toBe(opened.tail[0]?.key);
  });

  it('of another conversation changes nothing', () => {
    const transcript = openTranscript(view([QUESTION]));
    const [started] = eventsOf('r9', [
      { type: 'run_started', conversationId: 'c9', place: 'server', model: 'demo', message: QUESTION },
    ]);
    expect(started && applyRunEvent(transcript, started)).toBe(transcript);
  });

  it('that is over and told of again after a reconnection changes nothing', () => {
    const transcript = openTranscript(view([QUESTION, ASKING, RESULT, ANSWER], { updatedAt: 100 }));
    expect(play(transcript, eventsOf('r1', WHOLE_RUN))).toBe(transcript);
  });
});

describe('what a person is asked', () => {
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

  it('stands at its call until it is answered', () => {
    const waiting = play(open(), eventsOf('r1', asked));
    expect(firstCall(waiting)?.interrupt).toEqual(interrupt);
    expect(waiting.run?.status).toBe('parked');

    const answered = play(waiting, [
      ...eventsOf('r1', [
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

  it('of several questions of one call they stand one behind the other, until answered or taken back', () => {
    const question = (id: string) => {
      const base = { id, callId: 'call1', tool: DATE_TOOL, name: 'get-date', kind: 'elicitation' } as const;
      return { ...base, mode: 'url', message: '', url: 'https://example.com/' } as const;
    };
    const begun: RunEventBody[] = [
      ...WHOLE_RUN.slice(0, 9),
      { type: 'tool_started', callId: 'call1', tool: DATE_TOOL, name: 'get-date' },
      { type: 'interrupt_requested', interrupt: question('one'), live: true },
      { type: 'interrupt_requested', interrupt: question('two'), live: true },
      { type: 'interrupt_requested', interrupt: question('three'), live: true },
    ];
    const after = (...more: RunEventBody[]) => firstCall(play(open(), eventsOf('r1', [...begun, ...more])));
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

  it('is there again after a reload', () => {
    const opened = openTranscript(
      view([QUESTION, ASKING], {
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

  it('is withdrawn when the run ends', () => {
    const ended = play(open(), eventsOf('r1', [...asked, { type: 'run_finished', status: 'cancelled', usage: {} }]));
    const call = firstCall(ended);
    expect(call?.interrupt).toBeNull();
    expect(call && callState(call)).toBe('not_made');
  });
});

describe('an answer that was begun anew after a crash', () => {
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

  it('keeps the first attempt, marked, and acts on the second', () => {
    const transcript = play(open(), eventsOf('r1', partial));
    expect(answers(transcript).map((row) => [row.messageId, row.status, row.answer?.messageId])).toEqual([
      ['r1.0', 'abandoned', undefined],
      ['r1.0~2', 'finished', 'r1.0~2'],
    ]);
  });

  it('shows the same when it is read later', () => {
    const stored = view([QUESTION, assistantMessage('r1.0~2', [{ type: 'text', text: 'It is half past nine.' }])]);
    stored.page.abandoned = [
      assistantMessage('r1.0', [{ type: 'text', text: 'It is ha' }], { finishReason: 'abandoned' }),
    ];
    expect(shown(openTranscript(stored))).toEqual(shown(play(open(), eventsOf('r1', partial))));
  });
});

describe('a run that fails', () => {
  const error = { code: 'overloaded', message: 'The model server is overloaded.' } as const;

  it('says why behind what there is', () => {
    const transcript = play(
      open(),
      eventsOf('r1', [...WHOLE_RUN.slice(0, 2), { type: 'run_finished', status: 'failed', usage: {}, error }]),
    );
    expect(rows(transcript).map((row) => row.kind)).toEqual(['user', 'outcome']);
    expect(transcript.tail[0]).toMatchObject({ outcome: { type: 'failed', error } });
  });

  it('says it once where the message holds the error', () => {
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
      eventsOf('r1', [
        ...WHOLE_RUN.slice(0, 3),
        { type: 'message_finished', message: broken },
        { type: 'run_finished', status: 'failed', usage: {}, error },
      ]),
    );
    expect(rows(transcript).map((row) => row.kind)).toEqual(['user', 'assistant']);
  });

  it('still says why after the page was read again', () => {
    const failed = play(
      open(),
      eventsOf('r1', [...WHOLE_RUN.slice(0, 2), { type: 'run_finished', status: 'failed', usage: {}, error }]),
    );
    const again = openTranscript(view([QUESTION]), failed);
    expect(rows(again).at(-1)).toMatchObject({ outcome: { type: 'failed', error } });
    const elsewhere = openTranscript(view([QUESTION]));
    expect(rows(elsewhere).at(-1)).toMatchObject({ outcome: { type: 'unanswered' } });
  });
});

describe('reading the page again', () => {
  it('keeps what shows the same, and the times', () => {
    const watched = play(open(), eventsOf('r1', WHOLE_RUN));
    const again = openTranscript(view([QUESTION, ASKING, RESULT, ANSWER]), watched);
    expect(rows(again)).toHaveLength(3);
    for (const [index, row] of rows(again).entries()) expect(row).toBe(rows(watched)[index]);
  });

  it('does not take back what the run under way has written since', () => {
    const writing = play(open(), eventsOf('r1', WHOLE_RUN).slice(0, 15));
    const again = openTranscript(view([QUESTION, ASKING], { activeRun: run('r1') }), writing);
    expect(shown(again)).toEqual(shown(writing));
    expect(again.run?.seq).toBe(writing.run?.seq);
  });

  it('shows the branches beside an answer once they are known', () => {
    const watched = play(open(), eventsOf('r1', WHOLE_RUN));
    const stored = view([QUESTION, ASKING, RESULT, ANSWER]);
    stored.page.alternatives = { 'r1.0': ['r0.0', 'r1.0'] };
    expect(answers(openTranscript(stored, watched)).at(-1)?.answer?.alternatives).toEqual(['r0.0', 'r1.0']);
  });

  it('keeps older messages that were loaded', () => {
    const older = { messages: [userMessage('u0', 'Hello')], alternatives: {}, abandoned: [], earlier: true };
    const loaded = prependPage(openTranscript(view([QUESTION, ASKING, RESULT, ANSWER])), older);
    const again = openTranscript(view([QUESTION, ASKING, RESULT, ANSWER]), loaded);
    expect(rows(again).map((row) => row.key)).toEqual(['u0', 'u1', 'r1.0', 'r1.2']);
    expect(again).toMatchObject({ firstId: 'u0', earlier: true });
  });

  it('puts older messages in front without doubling any', () => {
    const transcript = openTranscript(view([QUESTION, ASKING, RESULT, ANSWER]));
    const older = userMessage('u0', 'Hello');
    const whole = prependPage(transcript, {
      messages: [older, QUESTION],
      alternatives: {},
      abandoned: [],
      earlier: false,
    });
    expect(rows(whole).map((row) => row.key)).toEqual(['u0', 'u1', 'r1.0', 'r1.2']);
    expect(rowList(whole).at(1)).toBe(rowList(transcript).at(0));
  });
});

describe('a page that ends between a call and its answer', () => {
  it('shows the answer once the call is there', () => {
    const cut = openTranscript(view([RESULT, ANSWER]));
    expect(cut.firstId).toBe(RESULT.id);
    const whole = prependPage(cut, { messages: [QUESTION, ASKING], alternatives: {}, abandoned: [], earlier: false });
    const call = firstCall(whole);
    expect(call && callState(call)).toBe('done');
    expect(answers(whole).map((row) => [row.head, row.answer?.messageId])).toEqual([
      [true, undefined],
      [false, 'r1.0'],
    ]);
  });
});

describe('a message on its way', () => {
  it('is shown at once, and once when the server tells of it', () => {
    const sending = showSending(openTranscript(view([])), QUESTION);
    expect(rows(sending)).toMatchObject([{ kind: 'user', sending: true }]);
    const begun = play(sending, eventsOf('r1', WHOLE_RUN).slice(0, 1));
    expect(rows(begun)).toMatchObject([{ kind: 'user', sending: false }, { kind: 'assistant' }]);
  });

  it('goes away when it could not be sent', () => {
    const empty = openTranscript(view([]));
    expect(rows(forgetSending(showSending(empty, QUESTION), 'u1'))).toEqual([]);
  });
});

describe('an answer made anew', () => {
  it('takes the place of the old one', () => {
    const transcript = openTranscript(view([QUESTION, ASKING, RESULT, ANSWER]));
    const anew = play(
      transcript,
      eventsOf('r2', [
        { type: 'run_started', conversationId: 'c1', place: 'server', model: 'demo', message: QUESTION },
      ]),
    );
    expect(rows(anew).map((row) => row.key)).toEqual(['u1', 'r2:awaited']);
  });
});
