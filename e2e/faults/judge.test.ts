import { describe, expect, it } from 'vitest';
import type { RunEvent, RunStatus, UserMessage } from '@toolyard/protocol';
import { judge } from './judge.ts';
import type {
  History,
  StoredCall,
  StoredQuestion,
  SteeredMessage,
  StoredRun,
  StoredUsage,
  RowWrite,
} from './history.ts';

const RUN = 'r1';
const RUN_ROW: StoredRun = { id: RUN, conversationId: 'conversation', status: 'done', lastSeq: 4 };

function eventAt(seq: number, text = `word ${String(seq)}`): RunEvent {
  return { v: 1, seq, runId: RUN, step: 0, attempt: 1, at: seq, type: 'notice', level: 'info', code: 'test', text };
}

function write(more: Partial<RowWrite>): RowWrite {
  const { seqBefore = 0 } = more;
  return {
    ...{ runId: RUN, at: 1_000, writer: 'w0.1', fence: 1, owner: 'first', status: 'running' },
    ...{ seqBefore, seqAfter: seqBefore },
    ...more,
  };
}

const asked: StoredQuestion = { runId: RUN, id: 'q', kind: 'in_doubt', call: 'c', status: 'answered', answer: null };
const repeated: StoredQuestion = { ...asked, answer: { decision: 'repeat' } };
const done: StoredCall = { runId: RUN, callId: 'id', call: 'c', status: 'done' };

/** A run of four events: two by the first process, which is killed, and two by the one that takes it up. */
function history(change: Partial<History> = {}): History {
  const events = [1, 2, 3, 4].map((seq) => eventAt(seq));
  return {
    asked: [RUN],
    runs: [RUN_ROW],
    writes: [
      write({}),
      write({ seqBefore: 0, seqAfter: 2, at: 1_500 }),
      write({ at: 13_000, seqBefore: 2, seqAfter: 2, fence: 2, owner: 'second', writer: 'w1.1' }),
      write({ at: 13_100, seqBefore: 2, seqAfter: 4, fence: 2, owner: null, writer: 'w1.1', status: 'done' }),
    ],
    events: new Map([[RUN, events]]),
    calls: [done],
    questions: [],
    steered: [],
    messages: [],
    sentToModel: new Map(),
    malformed: [],
    usage: [],
    requests: new Map(),
    interruptions: new Map(),
    conversations: [],
    queued: 0,
    effects: new Map([['c', 1]]),
    counted: 1,
    readings: [{ reader: 'somebody', runId: RUN, events }],
    failings: [{ writer: 'w0.1', role: 'worker', how: 'killed', from: 2_000, until: Infinity }],
    outages: [],
    ...change,
  };
}

function problemsOf(change: Partial<History>): string[] {
  return judge(history(change)).problems;
}

it('finds nothing amiss where nothing is, and says how long the run lay', () => {
  const { problems, failovers } = judge(history());
  expect(problems).toEqual([]);
  expect(failovers).toEqual([{ runId: RUN, from: 'w0.1', how: 'killed', to: 'w1.1', ms: 11_100 }]);
});

describe('a run that is lost', () => {
  it('because nobody kept it', () => {
    expect(problemsOf({ asked: [RUN, 'r2'] })).toEqual(['lost: r2 was asked for and is not there']);
  });

  it.each<RunStatus>(['queued', 'running', 'parked', 'failed'])('because it is %s in the end', (status) => {
    expect(problemsOf({ runs: [{ ...RUN_ROW, status }] })).toEqual([expect.stringContaining(status)]);
  });

  it.each<StoredCall['status']>(['planned', 'sent', 'in_doubt'])('because a call is still %s', (status) => {
    expect(problemsOf({ calls: [{ ...done, status }] })).toEqual([expect.stringContaining(`still ${status}`)]);
  });

  it('but not where it was stopped and nobody can know what came of a call', () => {
    const calls: StoredCall[] = [{ ...done, status: 'in_doubt' }];
    expect(problemsOf({ calls, runs: [{ ...RUN_ROW, status: 'cancelled' }] })).toEqual([]);
  });

  it('because a question is still open, or a message still waits', () => {
    expect(problemsOf({ questions: [{ ...asked, status: 'open' }] })).toEqual([expect.stringContaining('question q')]);
    expect(problemsOf({ queued: 2 })).toEqual([expect.stringContaining('2 messages')]);
  });
});

describe('a run that two own', () => {
  const withWrites = (...writes: RowWrite[]): string[] => problemsOf({ writes, failings: [] });

  it('who write under one fence', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 2 }),
      write({ seqBefore: 2, seqAfter: 4, writer: 'w1.1' }),
    );
    expect(problems).toEqual(['owned twice: w0.1 and w1.1 both wrote r1 under fence 1']);
  });

  it('one of whom writes under a fence that is over', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 2, fence: 2 }),
      write({ seqBefore: 2, seqAfter: 4, fence: 1 }),
    );
    expect(problems).toEqual([expect.stringContaining('from fence 2 back to 1')]);
  });

  it('because its lease changes hands without a new fence', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 4 }),
      write({ owner: 'second', seqBefore: 4, seqAfter: 4 }),
    );
    expect(problems).toEqual([expect.stringContaining('changed hands under fence 1')]);
  });

  it('one of whom writes over what the other wrote', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 4 }),
      write({ seqBefore: 2, seqAfter: 4, fence: 2, writer: 'w1.1' }),
    );
    expect(problems).toEqual([expect.stringContaining('written from 2 on')]);
  });
});

describe('events', () => {
  const one = eventAt(1);
  const two = eventAt(2);
  const three = eventAt(3);
  const four = eventAt(4);

  it.each([
    ['of which one is missing', [one, two, four]],
    ['of which the last is missing', [one, two, three]],
    ['out of order', [one, three, two, four]],
  ])('%s among what is kept', (_how, events) => {
    expect(problemsOf({ events: new Map([[RUN, events]]), readings: [] })).toEqual([
      expect.stringMatching(/^events: /),
    ]);
  });

  it.each([
    ['one is missing', [one, three, four], 'event 3 of r1 out of turn'],
    ['the last is missing', [one, two, three], 'read 3 of 4 events'],
    ['one comes twice', [one, two, two, three, four], 'event 2 of r1 a second time'],
    ['one is another one', [one, eventAt(2, 'forged'), three, four], 'another event 2'],
    ['one is more', [one, two, three, four, eventAt(5)], 'read 5 of 4 events'],
  ])('of which, for a reader, %s', (_how, events, said) => {
    const problems = problemsOf({ readings: [{ reader: 'somebody', runId: RUN, events }] });
    expect(problems).toEqual([expect.stringContaining(said)]);
  });

  it('whose deltas do not spell the message', () => {
    const start: RunEvent = { ...one, type: 'message_started', messageId: 'm', parentId: null, model: 'x' };
    const events = [start, two, three, four];
    const readings = [{ reader: 'somebody', runId: RUN, events }];
    expect(problemsOf({ events: new Map([[RUN, events]]), readings })).toEqual([expect.stringContaining('m: no end')]);
  });
});

describe('an effect', () => {
  it('that came twice without a word', () => {
    expect(problemsOf({ effects: new Map([['c', 2]]), counted: 2 })).toEqual([expect.stringContaining('2 times')]);
  });

  it('that came twice on a word is as it should be, and no third time', () => {
    expect(problemsOf({ effects: new Map([['c', 2]]), counted: 2, questions: [repeated] })).toEqual([]);
    expect(problemsOf({ effects: new Map([['c', 3]]), counted: 3, questions: [repeated] })).toHaveLength(1);
  });

  it('that no word to repeat another call excuses', () => {
    const questions = [{ ...repeated, call: 'another' }];
    expect(problemsOf({ effects: new Map([['c', 2]]), counted: 2, questions })).toHaveLength(1);
  });

  it('that is told of and never was, unless a person gave the result', () => {
    const never = { effects: new Map<string, number>(), counted: 0 };
    expect(problemsOf(never)).toEqual(['effect: c is done, and never was']);
    const questions: StoredQuestion[] = [{ ...asked, answer: { decision: 'result', text: 'It was.' } }];
    expect(problemsOf({ ...never, questions })).toEqual([]);
  });

  it('that no ledger has', () => {
    expect(
      problemsOf({
        effects: new Map([
          ['c', 1],
          ['other', 1],
        ]),
        counted: 2,
      }),
    ).toEqual(['effect: other took effect, and no ledger has it']);
  });

  it('that the tool has not counted', () => {
    expect(problemsOf({ counted: 0 })).toEqual([expect.stringContaining('counted 0')]);
  });
});

describe('what is said to a run under way', () => {
  const SAID: SteeredMessage = { id: 's1', text: 'by the way' };
  const message: UserMessage = {
    ...{ id: SAID.id, role: 'user', parentId: null, createdAt: 3 },
    parts: [{ type: 'text', text: SAID.text }],
  };

  /** The run hears it as its third event. */
  function said(change: Partial<History> = {}, heard: readonly number[] = [3]): Partial<History> {
    const events = [1, 2, 3, 4].map((seq): RunEvent =>
      heard.includes(seq) ? { ...eventAt(seq), type: 'steered', message } : eventAt(seq),
    );
    const sentToModel = new Map([[SAID.text, 1]]);
    return {
      events: new Map([[RUN, events]]),
      readings: [],
      steered: [SAID],
      messages: [SAID],
      sentToModel,
      ...change,
    };
  }
  const ofItsOwn: StoredRun = { ...RUN_ROW, id: SAID.id, lastSeq: 0 };

  it('is heard once, or is a run of its own', () => {
    expect(problemsOf(said())).toEqual([]);
    expect(problemsOf(said({ runs: [...history().runs, ofItsOwn] }, []))).toEqual([]);
  });

  it('is lost where no run took it in', () => {
    expect(problemsOf(said({}, []))).toEqual(['said: s1 reached no run']);
  });

  it('is lost where it does not stand in its conversation', () => {
    expect(problemsOf(said({ messages: [] }))).toEqual(['said: s1 stands 0 times in its conversation']);
  });

  it('is lost where the run that heard it came to its end, and no model has read it', () => {
    const sentToModel = new Map<string, number>();
    expect(problemsOf(said({ sentToModel }))).toEqual(['said: s1 was taken in, and no model read it']);
    expect(problemsOf(said({ sentToModel, runs: [{ ...RUN_ROW, status: 'cancelled' }] }))).toEqual([]);
  });

  it('is heard twice by one run', () => {
    expect(problemsOf(said({}, [2, 3]))).toEqual(['said: s1 was taken in 2 times, by r1,r1']);
  });

  it('is heard, and sent as a message of its own as well', () => {
    expect(problemsOf(said({ runs: [...history().runs, ofItsOwn] }))).toEqual([
      'said: s1 was taken in 2 times, by r1,s1',
    ]);
  });

  it('stands twice in its conversation, under whatever id', () => {
    expect(problemsOf(said({ messages: [SAID, { ...SAID, id: 'other' }] }))).toEqual([
      'said: s1 stands 2 times in its conversation',
    ]);
  });

  it('is read twice by a model', () => {
    expect(problemsOf(said({ sentToModel: new Map([[SAID.text, 2]]) }))).toEqual([
      'said: a model was sent s1 2 times in one request',
    ]);
  });
});

describe('taking over', () => {
  /** The run goes on so many milliseconds after its process was killed. */
  const after = (ms: number, change: Partial<History> = {}): History =>
    history({
      writes: history().writes.map((each) => (each.fence === 2 ? { ...each, at: 2_000 + ms } : each)),
      ...change,
    });

  it('that takes longer than 15 s is late', () => {
    expect(judge(after(15_000)).problems).toEqual([]);
    expect(judge(after(15_001)).problems).toEqual(['late: r1 lay for 15001 ms after w0.1 was killed']);
  });

  it('is not late for the time in which there was no database', () => {
    const outages = [
      { from: 3_000, until: 6_000 },
      { from: 5_000, until: 7_000 },
      { from: 30_000, until: 40_000 },
    ];
    expect(judge(after(18_000, { outages }))).toMatchObject({ problems: [], failovers: [{ ms: 14_000 }] });
  });

  it('counts up to the first event, not to a claim nothing comes of', () => {
    const writes = history().writes.map((each) =>
      each.seqBefore === 2 && each.seqAfter === 4 ? { ...each, at: 20_000 } : each,
    );
    expect(judge(history({ writes })).problems).toEqual([expect.stringContaining('late')]);
  });

  it('counts up to the claim where whoever claimed it failed at once', () => {
    const writes = [
      ...history().writes.slice(0, 3),
      write({ at: 25_000, seqBefore: 2, seqAfter: 4, fence: 3, owner: null, writer: 'w2.1', status: 'done' }),
    ];
    const failings = [
      ...history().failings,
      { writer: 'w1.1', role: 'worker' as const, how: 'killed', from: 13_050, until: Infinity },
    ];
    expect(judge(history({ writes, failings }))).toMatchObject({
      problems: [],
      failovers: [
        { from: 'w0.1', to: 'w1.1', ms: 11_000 },
        { from: 'w1.1', to: 'w2.1', ms: 11_950 },
      ],
    });
  });

  it('counts up to the claim where the tools were away that the run went on with', () => {
    const writes = [
      ...history().writes.slice(0, 3),
      write({ at: 20_000, seqBefore: 2, seqAfter: 4, fence: 2, owner: null, writer: 'w1.1', status: 'done' }),
    ];
    const tools = (from: number, until: number): Partial<History> => ({
      writes,
      failings: [...history().failings, { writer: 'w3.1', role: 'tools', how: 'killed', from, until }],
    });
    expect(judge(history(tools(11_000, Infinity)))).toMatchObject({ problems: [], failovers: [{ ms: 11_000 }] });
    expect(judge(history(tools(21_000, Infinity))).problems).toEqual([expect.stringContaining('late')]);
    expect(judge(history(tools(-5_000, -3_000))).problems).toEqual([expect.stringContaining('late')]);
  });

  it('is none where the process went on itself, which must not take longer either', () => {
    const woken = (at: number): History =>
      history({
        writes: [
          ...history().writes.slice(0, 2),
          write({ at, seqBefore: 2, seqAfter: 3, owner: null, status: 'parked' }),
          write({ at: 60_000, seqBefore: 3, seqAfter: 4, fence: 2, owner: null, writer: 'w1.1', status: 'done' }),
        ],
        failings: [{ writer: 'w0.1', role: 'worker', how: 'stopped', from: 2_000, until: 10_000 }],
      });
    expect(judge(woken(10_100))).toMatchObject({ problems: [], failovers: [{ from: 'w0.1', to: 'w0.1', ms: 8_100 }] });
    expect(judge(woken(17_001)).problems).toEqual(['late: r1 lay for 15001 ms after w0.1 was stopped']);
  });

  it('is nothing for a run that was given back with what was on its way', () => {
    const writes = [
      ...history().writes.slice(0, 2),
      write({ at: 2_001, seqBefore: 2, seqAfter: 3, owner: null, status: 'parked' }),
      write({ at: 60_000, seqBefore: 3, seqAfter: 4, fence: 2, owner: null, writer: 'w1.1', status: 'done' }),
    ];
    expect(judge(history({ writes }))).toEqual({ problems: [], failovers: [] });
  });

  it('is nothing for a run the process did not hold', () => {
    const writes = history().writes.map((each) => (each.at === 1_500 ? { ...each, owner: null } : each));
    expect(judge(history({ writes })).failovers).toEqual([]);
  });
});

describe('usage', () => {
  const answers = [1, 2].map((tokens, index): RunEvent => ({
    ...eventAt(index + 1),
    type: 'message_finished',
    message: {
      ...{ id: `m${String(tokens)}`, role: 'assistant', parentId: null, createdAt: 1, runId: RUN, model: 'x' },
      ...{ finishReason: 'stop', parts: [], usage: { inputTokens: tokens, outputTokens: 1 } },
    },
  }));
  const events = [...answers, eventAt(3), eventAt(4)];
  const counted: StoredUsage = {
    ...{ conversationId: RUN_ROW.conversationId, modelCalls: 2, uncounted: 0, inputTokens: 3, outputTokens: 2 },
    toolCalls: 1,
  };
  const used = (usage: Partial<StoredUsage>, requests = 3, more: Partial<History> = {}): string[] =>
    problemsOf({
      ...{ events: new Map([[RUN, events]]), readings: [], usage: [{ ...counted, ...usage }] },
      requests: new Map([[RUN_ROW.conversationId, requests]]),
      interruptions: new Map([[RUN_ROW.conversationId, 1]]),
      ...more,
    });

  it('counts every answer once, and may not count the request of an interrupted process', () => {
    expect(used({})).toEqual([]);
    expect(used({ modelCalls: 3, uncounted: 1 })).toEqual([]);
  });

  it.each<[what: string, problem: string, usage: Partial<StoredUsage>, requests?: number]>([
    ['tokens are counted twice', 'counts 4 + 3 tokens', { inputTokens: 4, outputTokens: 3 }],
    ['tokens are not counted', 'counts 1 + 1 tokens', { inputTokens: 1, outputTokens: 1 }],
    ['a call without tokens is missing', 'counts 1 answers, and has 2', { modelCalls: 2, uncounted: 1 }],
    ['more requests are missing than interruptions', 'the model server got 4', {}, 4],
    ['a model call is counted that was never made', 'the model server got 2', { modelCalls: 4, uncounted: 2 }, 2],
    ['a tool call is counted twice', 'counts 2 tool calls; the tool was called 1 times', { toolCalls: 2 }],
    ['a tool call is not counted', 'counts 0 tool calls; the tool was called 1 times', { toolCalls: 0 }],
  ])('is wrong if %s', (_what, problem, usage, requests) => {
    expect(used(usage, requests)).toEqual([expect.stringContaining(problem)]);
  });

  it('is wrong if an answer has tokens that no model told', () => {
    expect(used({}, 1)).toContainEqual('usage: an answer of conversation has 2 tokens, which no model told');
  });

  it('may differ by the calls in doubt', () => {
    expect(used({ toolCalls: 0 }, 3, { questions: [{ ...asked, answer: { decision: 'failed' } }] })).toEqual([]);
  });
});
