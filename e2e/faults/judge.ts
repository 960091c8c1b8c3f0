import { isDeepStrictEqual } from 'node:util';
import type { RunEvent } from '@toolyard/protocol';
import { applyAll, inconsistentMessages } from '../support/transcript.ts';
import type { Failover } from './failovers.ts';
import { listFailovers } from './failovers.ts';
import type { History, ReadConversation, RowWrite, ScheduleHistory, StoredCall, StoredRun } from './history.ts';
import { usageProblems } from './usage-problems.ts';

/** Another process continues a run within this time, on a machine that has nothing else to do. */
const FAILOVER_MS = 15_000;

export type Verdict = { problems: string[]; failovers: Failover[] };

const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);
const OPEN_CALLS: ReadonlySet<StoredCall['status']> = new Set(['planned', 'sent']);

/** The one judge of all plans: what of a recorded history breaks a promise. */
export function judge(history: History, failoverMs = FAILOVER_MS): Verdict {
  const failovers = listFailovers(history);
  const problems = [
    ...lost(history),
    ...ownedTwice(history.writes),
    ...checkEvents(history),
    ...readingsAmiss(history),
    ...history.conversations.flatMap(conversationAmiss),
    ...effectsAmiss(history),
    ...steeredAmiss(history),
    ...usageProblems(history),
    ...history.schedules.flatMap((schedule) => firingsAmiss(schedule, history.runs)),
    ...history.malformed.map((fault) => `the model was sent a malformed history: ${fault}`),
    ...failovers
      .filter(({ ms }) => ms > failoverMs)
      .map(({ runId, from, how, ms }) => `late: ${runId} continued ${String(ms)} ms after ${from} was ${how}`),
  ];
  return { problems, failovers };
}

function lost({ asked, runs, calls, interrupts, queued, events }: History): string[] {
  const kept = new Map(runs.map((run) => [run.id, run]));
  // An unknown outcome stays in doubt if the run received it as the result, or was cancelled before the user was asked.
  const isReportedUnknown = ({ runId, callId }: StoredCall): boolean =>
    (events.get(runId) ?? []).some(
      (event) => event.type === 'tool_finished' && event.callId === callId && event.result.outcome === 'unknown',
    );
  const isOpen = (call: StoredCall): boolean =>
    OPEN_CALLS.has(call.status) ||
    (call.status === 'in_doubt' && kept.get(call.runId)?.status !== 'cancelled' && !isReportedUnknown(call));
  return [
    ...asked.filter((id) => !kept.has(id)).map((id) => `lost: ${id} was requested and is not stored`),
    ...runs
      .filter(({ status }) => status === 'failed')
      .map(({ id }) => `lost: ${id} has failed${whyFailed(events.get(id))}`),
    ...runs.filter(({ status }) => !OVER.has(status)).map(({ id, status }) => `lost: ${id} is still ${status}`),
    ...calls.filter(isOpen).map(({ runId, call, status }) => `lost: call ${call} of ${runId} is still ${status}`),
    ...interrupts
      .filter(({ status }) => status === 'open')
      .map(({ runId, id }) => `lost: interrupt ${id} of ${runId} is still open`),
    ...(queued === 0 ? [] : [`lost: ${String(queued)} messages are still queued`]),
  ];
}

function whyFailed(events: readonly RunEvent[] = []): string {
  const last = events.findLast((event) => event.type === 'run_finished');
  return last?.error === undefined ? '' : ` (${last.error.code}: ${last.error.message})`;
}

/** One process writes with a fence; a later process has a higher fence; no process writes with an older one. */
function ownedTwice(writes: readonly RowWrite[]): string[] {
  const problems: string[] = [];
  const last = new Map<string, RowWrite>();
  const writers = new Map<string, string>();
  for (const write of writes) {
    const { runId, fence, seqBefore, seqAfter, owner, writer } = write;
    const before = last.get(runId);
    last.set(runId, write);
    if (before && fence < before.fence) {
      problems.push(`owned twice: ${runId} went from fence ${String(before.fence)} back to ${String(fence)}`);
    }
    if (before && fence === before.fence && owner !== null && before.owner !== null && owner !== before.owner) {
      problems.push(`owned twice: ${runId} got a new owner with fence ${String(fence)}`);
    }
    if (seqAfter === seqBefore) continue;
    if (seqBefore !== (before?.seqAfter ?? 0)) {
      problems.push(`owned twice: ${runId} was written from ${String(seqBefore)}, which was not its last event`);
    }
    const place = `${runId} ${String(fence)}`;
    const known = writers.get(place) ?? writer;
    writers.set(place, known);
    if (known !== writer) {
      problems.push(`owned twice: ${known} and ${writer} both wrote ${runId} with fence ${String(fence)}`);
    }
  }
  return problems;
}

/** The stored events of each run are numbered without gaps, up to the number in its row. */
function checkEvents({ runs, events }: History): string[] {
  return runs.flatMap(({ id, lastSeq }) => {
    const kept = events.get(id) ?? [];
    const whole = kept.length === lastSeq && kept.every(({ seq }, index) => seq === index + 1);
    return whole ? [] : [`events: ${id} has ${String(kept.length)} events, and its row says ${String(lastSeq)}`];
  });
}

/** Every reader of a run got each event once, in order, as stored. */
function readingsAmiss({ readings, events, runs }: History): string[] {
  const over = new Set(runs.filter(({ status }) => OVER.has(status)).map(({ id }) => id));
  return readings.flatMap(({ reader, runId, events: read }) => {
    const kept = events.get(runId) ?? [];
    const wrong = read.findIndex((event, index) => event.seq !== index + 1);
    if (wrong !== -1) {
      const { seq } = read[wrong] ?? { seq: 0 };
      const what = read.slice(0, wrong).some((event) => event.seq === seq) ? 'a second time' : 'out of turn';
      return [`reader: ${reader} read event ${String(seq)} of ${runId} ${what}, instead of ${String(wrong + 1)}`];
    }
    if (over.has(runId) && read.length !== kept.length) {
      return [`reader: ${reader} read ${String(read.length)} of ${String(kept.length)} events of ${runId}`];
    }
    const other = read.findIndex((event, index) => !isDeepStrictEqual(event, kept[index]));
    if (other !== -1)
      return [`reader: ${reader} read event ${String(other + 1)} of ${runId} different from the stored one`];
    return [
      ...inconsistentMessages(read).map((what) => `reader: ${reader} read of ${runId} ${what}`),
      ...repeated(read).map((what) => `reader: ${reader} read twice ${what}`),
    ];
  });
}

/** Events of which there is one each: an interrupt requested or answered, a steered message, a compaction. */
function repeated(events: readonly RunEvent[]): string[] {
  const keys = events.flatMap((event) => listKeys(event));
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

function listKeys(event: RunEvent): string[] {
  switch (event.type) {
    case 'interrupt_requested':
      return [`the request of ${event.interrupt.id}`];
    case 'interrupt_answered':
      return [`the answer to ${event.interruptId}`];
    case 'steered':
      return [`the message ${event.message.id}`];
    case 'compression_finished':
      return [`the compaction up to ${event.message.compaction?.upTo ?? ''}`];
    default:
      return [];
  }
}

/** Applying all events gives the conversation as a server shows it, and nothing of it is in progress. */
function conversationAmiss({ id, events, view: { page, activeRun, interrupts, queue } }: ReadConversation): string[] {
  const isOver = activeRun === null && interrupts.length === 0 && queue.length === 0;
  const abandoned = page.abandoned.filter(({ finishReason }) => finishReason !== 'abandoned');
  return [
    ...(isOver ? [] : [`conversation: something of ${id} is still in progress`]),
    ...(isDeepStrictEqual(applyAll(events), page.messages)
      ? []
      : [`conversation: applying the events of ${id} results in another transcript`]),
    ...abandoned.map(
      (message) => `conversation: the abandoned message ${message.id} of ${id} says that it is complete`,
    ),
  ];
}

/** A call takes effect once; more often only if the user decided "repeat", less often only if it did not succeed. */
function effectsAmiss({ calls, interrupts, effects, counted }: History): string[] {
  if (effects === null) return [];
  const problems: string[] = [];
  const statuses = new Map(calls.map(({ call, status }) => [call, status]));
  for (const [call, times] of effects) {
    if (!statuses.has(call)) problems.push(`effect: ${call} took effect and is missing in the ledger`);
    const answers = interrupts.filter((interrupt) => interrupt.kind === 'in_doubt' && interrupt.call === call);
    const repeats = answers.filter(({ answer }) => answer?.decision === 'repeat').length;
    if (times > 1 + repeats) {
      problems.push(
        `effect: ${call} took effect ${String(times)} times, repeated ${String(repeats)} times by the user`,
      );
    }
  }
  for (const { call, status } of calls) {
    const given = interrupts.some((interrupt) => interrupt.call === call && interrupt.answer?.decision === 'result');
    if (status === 'done' && !given && !effects.has(call))
      problems.push(`effect: ${call} is done and never took effect`);
  }
  const called = [...effects.values()].reduce((sum, times) => sum + times, 0);
  if (called !== counted)
    problems.push(`effect: the tool was called ${String(called)} times and counted ${String(counted)}`);
  return problems;
}

/** One run receives a steered message, or it becomes a message of its own; it is stored once. */
function steeredAmiss({ steered, messages, sentToModel, events, runs }: History): string[] {
  const receiversOf = Map.groupBy(
    [...events.values()].flat().filter((event) => event.type === 'steered'),
    ({ message }) => message.id,
  );
  return steered.flatMap(({ id, text }) => {
    const receivers = (receiversOf.get(id) ?? []).map(({ runId }) => runId);
    const owners = [...receivers, ...(runs.some((run) => run.id === id) ? [id] : [])];
    const occurrences = messages.filter((message) => message.text === text).length;
    const sent = sentToModel.get(text) ?? 0;
    const isDone = owners.some((taker) => runs.some((run) => run.id === taker && run.status === 'done'));
    return [
      ...(owners.length === 0 ? [`steered: no run received ${id}`] : []),
      ...(owners.length > 1 ? [`steered: ${id} was received ${String(owners.length)} times, by ${owners.join()}`] : []),
      ...(occurrences === 1 ? [] : [`steered: ${id} is ${String(occurrences)} times in its conversation`]),
      ...(sent > 1 ? [`steered: a model request contains ${id} ${String(sent)} times`] : []),
      ...(sent === 0 && isDone ? [`steered: ${id} was received, and no model request contains it`] : []),
    ];
  });
}

/** Each time of a schedule started one run. */
function firingsAmiss({ id, seconds, times, firings }: ScheduleHistory, runs: readonly StoredRun[]): string[] {
  const inOrder = firings.toSorted((a, b) => a.plannedAt - b.plannedAt);
  const firstAt = inOrder[0]?.plannedAt ?? 0;
  const stored = new Set(runs.map((run) => run.id));
  return [
    ...(firings.length === times
      ? []
      : [`schedule: ${id} was due ${String(times)} times, and ran ${String(firings.length)} times`]),
    ...inOrder.flatMap(({ plannedAt, outcome, runId }, index) => {
      const what = `the time ${String(index + 1)} of ${id}`;
      const isOwn = runId !== null && inOrder.findIndex((other) => other.runId === runId) === index;
      return [
        ...(plannedAt === firstAt + index * seconds * 1_000 ? [] : [`schedule: ${what} is not when it should be`]),
        ...(outcome === 'started' ? [] : [`schedule: ${what} is ${outcome}`]),
        ...(isOwn && stored.has(runId) ? [] : [`schedule: ${what} has no run of its own`]),
      ];
    }),
  ];
}
