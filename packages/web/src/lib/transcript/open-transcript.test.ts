import { describe, expect, it } from 'vitest';
import { callState } from './test-fixtures/call-state.ts';
import { createEvents, run, userMessage, view } from './test-fixtures/test-events.ts';
import { forgetSending, openTranscript, prependPage, rowList, showSending } from './transcript.ts';
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

describe('loading a conversation again', () => {
  it('keeps the objects and durations of equal rows', () => {
    const watched = play(open(), createEvents('r1', WHOLE_RUN));
    const again = openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER]), watched);
    expect(rows(again)).toHaveLength(3);
    for (const [index, row] of rows(again).entries()) expect(row).toBe(rows(watched)[index]);
  });

  it('keeps what the active run has streamed since', () => {
    const writing = play(open(), createEvents('r1', WHOLE_RUN).slice(0, 15));
    const again = openTranscript(view([USER_MESSAGE, ASKING], { activeRun: run('r1') }), writing);
    expect(shown(again)).toEqual(shown(writing));
    expect(again.run?.seq).toBe(writing.run?.seq);
  });

  it('shows the branches beside an answer once they are known', () => {
    const watched = play(open(), createEvents('r1', WHOLE_RUN));
    const stored = view([USER_MESSAGE, ASKING, RESULT, ANSWER]);
    stored.page.alternatives = { 'r1.0': ['r0.0', 'r1.0'] };
    expect(answers(openTranscript(stored, watched)).at(-1)?.answer?.alternatives).toEqual(['r0.0', 'r1.0']);
  });

  it('keeps older messages that were loaded', () => {
    const older = { messages: [userMessage('u0', 'Hello')], alternatives: {}, abandoned: [], earlier: true };
    const loaded = prependPage(openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER])), older);
    const again = openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER]), loaded);
    expect(rows(again).map((row) => row.key)).toEqual(['u0', 'u1', 'r1.0', 'r1.2']);
    expect(again).toMatchObject({ firstId: 'u0', earlier: true });
  });

  it('prepends older messages without duplicates', () => {
    const transcript = openTranscript(view([USER_MESSAGE, ASKING, RESULT, ANSWER]));
    const older = userMessage('u0', 'Hello');
    const whole = prependPage(transcript, {
      messages: [older, USER_MESSAGE],
      alternatives: {},
      abandoned: [],
      earlier: false,
    });
    expect(rows(whole).map((row) => row.key)).toEqual(['u0', 'u1', 'r1.0', 'r1.2']);
    expect(rowList(whole).at(1)).toBe(rowList(transcript).at(0));
  });
});

describe('a page that ends between a call and its result', () => {
  it('shows the result once the call is loaded', () => {
    const cut = openTranscript(view([RESULT, ANSWER]));
    expect(cut.firstId).toBe(RESULT.id);
    const whole = prependPage(cut, {
      messages: [USER_MESSAGE, ASKING],
      alternatives: {},
      abandoned: [],
      earlier: false,
    });
    const call = firstCall(whole);
    expect(call && callState(call)).toBe('done');
    expect(answers(whole).map((row) => [row.head, row.answer?.messageId])).toEqual([
      [true, undefined],
      [false, 'r1.0'],
    ]);
  });
});

describe('a message being sent', () => {
  it('is shown at once, and once after the server has confirmed it', () => {
    const sending = showSending(openTranscript(view([])), USER_MESSAGE);
    expect(rows(sending)).toMatchObject([{ kind: 'user', sending: true }]);
    const begun = play(sending, createEvents('r1', WHOLE_RUN).slice(0, 1));
    expect(rows(begun)).toMatchObject([{ kind: 'user', sending: false }, { kind: 'assistant' }]);
  });

  it('is removed if sending fails', () => {
    const empty = openTranscript(view([]));
    expect(rows(forgetSending(showSending(empty, USER_MESSAGE), 'u1'))).toEqual([]);
  });
});
