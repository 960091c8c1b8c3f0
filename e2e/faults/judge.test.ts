import { describe, expect, it } from 'vitest';
import type { RunEvent, RunStatus, UserMessage } from '@toolyard/protocol';
import { judge } from './judge.ts';
import type {
  History,
  StoredCall,
  StoredFiring,
  StoredRunInterrupt,
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

const asked: StoredRunInterrupt = {
  runId: RUN,
  id: 'q',
  kind: 'in_doubt',
  call: 'c',
  status: 'answered',
  answer: null,
};
const repeated: StoredRunInterrupt = { ...asked, answer: { decision: 'repeat' } };
const done: StoredCall = { runId: RUN, callId: 'id', call: 'c', status: 'done' };

/** A run of four events: two by a process that is killed, and two by the one that continues the run. */
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
    interrupts: [],
    steered: [],
    messages: [],
    sentToModel: new Map(),
    malformed: [],
    usage: [],
    requests: new Map(),
    interruptions: new Map(),
    conversations: [],
    schedules: [],
    queued: 0,
    effects: new Map([['c', 1]]),
    counted: 1,
    readings: [{ reader: 'somebody', runId: RUN, events }],
    failings: [{ writer: 'w0.1', role: 'worker', how: 'killed', from: 2_000, until: Infinity }],
    outages: [],
    ...change,
  };
}

function listProblems(change: Partial<History>): string[] {
  return judge(history(change)).problems;
}

it('reports no problem for a correct history, and the failover time', () => {
  const { problems, failovers } = judge(history());
  expect(problems).toEqual([]);
  expect(failovers).toEqual([{ runId: RUN, from: 'w0.1', how: 'killed', to: 'w1.1', ms: 11_100 }]);
});

describe('a lost run', () => {
  it('is not stored', () => {
    expect(listProblems({ asked: [RUN, 'r2'] })).toEqual(['lost: r2 was requested and is not stored']);
  });

  it.each<RunStatus>(['queued', 'running', 'parked', 'failed'])('because it is %s in the end', (status) => {
    expect(listProblems({ runs: [{ ...RUN_ROW, status }] })).toEqual([expect.stringContaining(status)]);
  });

  it.each<StoredCall['status']>(['planned', 'sent', 'in_doubt'])('because a call is still %s', (status) => {
    expect(listProblems({ calls: [{ ...done, status }] })).toEqual([expect.stringContaining(`still ${status}`)]);
  });

  it('is not reported if it was cancelled with a call in doubt', () => {
    const calls: StoredCall[] = [{ ...done, status: 'in_doubt' }];
    expect(listProblems({ calls, runs: [{ ...RUN_ROW, status: 'cancelled' }] })).toEqual([]);
  });

  it('has an open interrupt, or a queued message', () => {
    expect(listProblems({ interrupts: [{ ...asked, status: 'open' }] })).toEqual([
      expect.stringContaining('interrupt q'),
    ]);
    expect(listProblems({ queued: 2 })).toEqual([expect.stringContaining('2 messages')]);
  });
});

describe('a run with two owners', () => {
  const withWrites = (...writes: RowWrite[]): string[] => listProblems({ writes, failings: [] });

  it('has two writers with the same fence', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 2 }),
      write({ seqBefore: 2, seqAfter: 4, writer: 'w1.1' }),
    );
    expect(problems).toEqual(['owned twice: w0.1 and w1.1 both wrote r1 with fence 1']);
  });

  it('has a writer with an old fence', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 2, fence: 2 }),
      write({ seqBefore: 2, seqAfter: 4, fence: 1 }),
    );
    expect(problems).toEqual([expect.stringContaining('from fence 2 back to 1')]);
  });

  it('has a new owner without a new fence', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 4 }),
      write({ owner: 'second', seqBefore: 4, seqAfter: 4 }),
    );
    expect(problems).toEqual([expect.stringContaining('got a new owner with fence 1')]);
  });

  it('has a writer that overwrites events of the other', () => {
    const problems = withWrites(
      write({ seqBefore: 0, seqAfter: 4 }),
      write({ seqBefore: 2, seqAfter: 4, fence: 2, writer: 'w1.1' }),
    );
    expect(problems).toEqual([expect.stringContaining('was written from 2,')]);
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
    expect(listProblems({ events: new Map([[RUN, events]]), readings: [] })).toEqual([
      expect.stringMatching(/^events: /),
    ]);
  });

  it.each([
    ['one is missing', [one, three, four], 'event 3 of r1 out of turn'],
    ['the last is missing', [one, two, three], 'read 3 of 4 events'],
    ['one comes twice', [one, two, two, three, four], 'event 2 of r1 a second time'],
    ['one is another one', [one, eventAt(2, 'forged'), three, four], 'read event 2 of r1 different'],
    ['one is more', [one, two, three, four, eventAt(5)], 'read 5 of 4 events'],
  ])('of which, for a reader, %s', (_how, events, said) => {
    const problems = listProblems({ readings: [{ reader: 'somebody', runId: RUN, events }] });
    expect(problems).toEqual([expect.stringContaining(said)]);
  });

  it('have deltas that differ from the message', () => {
    const start: RunEvent = { ...one, type: 'message_started', messageId: 'm', parentId: null, model: 'x' };
    const events = [start, two, three, four];
    const readings = [{ reader: 'somebody', runId: RUN, events }];
    expect(listProblems({ events: new Map([[RUN, events]]), readings })).toEqual([
      expect.stringContaining('m: no end'),
    ]);
  });
});

describe('a side effect', () => {
  it('happened twice without a decision of the user', () => {
    expect(listProblems({ effects: new Map([['c', 2]]), counted: 2 })).toEqual([expect.stringContaining('2 times')]);
  });

  it('may happen twice, but not three times, if the user decided "repeat"', () => {
    expect(listProblems({ effects: new Map([['c', 2]]), counted: 2, interrupts: [repeated] })).toEqual([]);
    expect(listProblems({ effects: new Map([['c', 3]]), counted: 3, interrupts: [repeated] })).toHaveLength(1);
  });

  it('happened twice although the user repeated another call', () => {
    const interrupts = [{ ...repeated, call: 'another' }];
    expect(listProblems({ effects: new Map([['c', 2]]), counted: 2, interrupts })).toHaveLength(1);
  });

  it('did not happen although it has a result, unless the user entered it', () => {
    const never = { effects: new Map<string, number>(), counted: 0 };
    expect(listProblems(never)).toEqual(['effect: c is done and never took effect']);
    const interrupts: StoredRunInterrupt[] = [{ ...asked, answer: { decision: 'result', text: 'It was.' } }];
    expect(listProblems({ ...never, interrupts })).toEqual([]);
  });

  it('is missing in the ledger', () => {
    expect(
      listProblems({
        effects: new Map([
          ['c', 1],
          ['other', 1],
        ]),
        counted: 2,
      }),
    ).toEqual(['effect: other took effect and is missing in the ledger']);
  });

  it('was not counted by the tool', () => {
    expect(listProblems({ counted: 0 })).toEqual([expect.stringContaining('counted 0')]);
  });
});

describe('a steered message', () => {
  const SAID: SteeredMessage = { id: 's1', text: 'by the way' };
  const message: UserMessage = {
    ...{ id: SAID.id, role: 'user', parentId: null, createdAt: 3 },
    parts: [{ type: 'text', text: SAID.text }],
  };

  /** The run receives it as its third event. */
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

  it('is received once, or starts its own run', () => {
    expect(listProblems(said())).toEqual([]);
    expect(listProblems(said({ runs: [...history().runs, ofItsOwn] }, []))).toEqual([]);
  });

  it('is lost if no run received it', () => {
    expect(listProblems(said({}, []))).toEqual(['steered: no run received s1']);
  });

  it('is lost if it is not in the conversation', () => {
    expect(listProblems(said({ messages: [] }))).toEqual(['steered: s1 is 0 times in its conversation']);
  });

  it('is lost if the run completed and no model request contains it', () => {
    const sentToModel = new Map<string, number>();
    expect(listProblems(said({ sentToModel }))).toEqual(['steered: s1 was received, and no model request contains it']);
    expect(listProblems(said({ sentToModel, runs: [{ ...RUN_ROW, status: 'cancelled' }] }))).toEqual([]);
  });

  it('is received twice by one run', () => {
    expect(listProblems(said({}, [2, 3]))).toEqual(['steered: s1 was received 2 times, by r1,r1']);
  });

  it('is received, and also sent as its own message', () => {
    expect(listProblems(said({ runs: [...history().runs, ofItsOwn] }))).toEqual([
      'steered: s1 was received 2 times, by r1,s1',
    ]);
  });

  it('is twice in its conversation, under any ID', () => {
    expect(listProblems(said({ messages: [SAID, { ...SAID, id: 'other' }] }))).toEqual([
      'steered: s1 is 2 times in its conversation',
    ]);
  });

  it('is twice in a model request', () => {
    expect(listProblems(said({ sentToModel: new Map([[SAID.text, 2]]) }))).toEqual([
      'steered: a model request contains s1 2 times',
    ]);
  });
});

describe('failover', () => {
  /** The run continues this many milliseconds after its process was killed. */
  const after = (ms: number, change: Partial<History> = {}): History =>
    history({
      writes: history().writes.map((each) => (each.fence === 2 ? { ...each, at: 2_000 + ms } : each)),
      ...change,
    });

  it('of more than 15 s is late', () => {
    expect(judge(after(15_000)).problems).toEqual([]);
    expect(judge(after(15_001)).problems).toEqual(['late: r1 continued 15001 ms after w0.1 was killed']);
  });

  it('excludes outages of the database', () => {
    const outages = [
      { from: 3_000, until: 6_000 },
      { from: 5_000, until: 7_000 },
      { from: 30_000, until: 40_000 },
    ];
    expect(judge(after(18_000, { outages }))).toMatchObject({ problems: [], failovers: [{ ms: 14_000 }] });
  });

  it('is measured up to the first event, not up to a claim without events', () => {
    const writes = history().writes.map((each) =>
      each.seqBefore === 2 && each.seqAfter === 4 ? { ...each, at: 20_000 } : each,
    );
    expect(judge(history({ writes })).problems).toEqual([expect.stringContaining('late')]);
  });

  it('is measured up to the claim if the claiming process failed at once', () => {
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

  it('is measured up to the claim if the tools of the run were unavailable', () => {
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

  it('has the same limit if the process continued by itself', () => {
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
    expect(judge(woken(17_001)).problems).toEqual(['late: r1 continued 15001 ms after w0.1 was stopped']);
  });

  it('is not measured for a run that was released with its pending events', () => {
    const writes = [
      ...history().writes.slice(0, 2),
      write({ at: 2_001, seqBefore: 2, seqAfter: 3, owner: null, status: 'parked' }),
      write({ at: 60_000, seqBefore: 3, seqAfter: 4, fence: 2, owner: null, writer: 'w1.1', status: 'done' }),
    ];
    expect(judge(history({ writes }))).toEqual({ problems: [], failovers: [] });
  });

  it('is not measured for a run of another process', () => {
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
    listProblems({
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

  it('is wrong if an answer has tokens that no model reported', () => {
    expect(used({}, 1)).toContainEqual('usage: an answer of conversation has 2 tokens, which no model reported');
  });

  it('may differ by the calls in doubt', () => {
    expect(used({ toolCalls: 0 }, 3, { interrupts: [{ ...asked, answer: { decision: 'failed' } }] })).toEqual([]);
  });
});

describe('the times of a schedule', () => {
  const at = (plannedAt: number, runId: string | null = RUN, outcome = 'started') => ({ plannedAt, runId, outcome });
  const problems = (firings: readonly StoredFiring[], times = firings.length): string[] =>
    listProblems({
      runs: [RUN_ROW, { ...RUN_ROW, id: 'r2', lastSeq: 0 }],
      schedules: [{ id: 'tick', seconds: 1, times, firings }],
    }).filter((problem) => problem.startsWith('schedule'));

  it('have one run each', () => {
    expect(problems([at(5_000), at(6_000, 'r2')])).toEqual([]);
  });

  it.each([
    ['a lost one', [at(5_000)], 2, 'schedule: tick was due 2 times, and ran 1 times'],
    ['a skipped one', [at(5_000), at(7_000, 'r2')], 2, 'schedule: the time 2 of tick is not when it should be'],
    ['two with one run', [at(5_000), at(6_000)], 2, 'schedule: the time 2 of tick has no run of its own'],
    ['one without a stored run', [at(5_000, 'r3')], 1, 'schedule: the time 1 of tick has no run of its own'],
    ['one that is still due', [at(5_000, RUN, 'due')], 1, 'schedule: the time 1 of tick is due'],
  ])('%s is a problem', (_what, firings, times, problem) => {
    expect(problems(firings, times)).toEqual([problem]);
  });
});
