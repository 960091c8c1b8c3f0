import { isDeepStrictEqual } from 'node:util';
import type { RunEvent } from '@toolyard/protocol';
import { misspelt } from '../support/transcript.ts';
import type { History, KeptCall, Write } from './history.ts';
import type { TakeOver } from './take-overs.ts';
import { takeOversOf } from './take-overs.ts';

/** A run goes on elsewhere within so many milliseconds of its process's end, where the machine has nothing else to do. */
const TAKE_OVER_MS = 15_000;

export type Verdict = {
  /** Everything that must not be, in words; empty where all is well. */
  problems: string[];
  takeOvers: TakeOver[];
};

const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);
const OPEN_CALLS: ReadonlySet<KeptCall['status']> = new Set(['planned', 'sent']);

/** Reads what was recorded, and says what of it breaks a promise. */
export function judge(history: History, takeOverMs = TAKE_OVER_MS): Verdict {
  const takeOvers = takeOversOf(history);
  const problems = [
    ...lost(history),
    ...ownedTwice(history.writes),
    ...eventsAmiss(history),
    ...readingsAmiss(history),
    ...effectsAmiss(history),
    ...saidAmiss(history),
    ...takeOvers
      .filter(({ ms }) => ms > takeOverMs)
      .map(({ runId, from, how, ms }) => `late: ${runId} lay for ${String(ms)} ms after ${from} was ${how}`),
  ];
  return { problems, takeOvers };
}

function lost({ asked, runs, calls, questions, queued, events }: History): string[] {
  const kept = new Map(runs.map((run) => [run.id, run]));
  // What nobody can know stays so: where the run was told that, or was stopped before anybody was asked.
  const toldUnknown = ({ runId, callId }: KeptCall): boolean =>
    (events.get(runId) ?? []).some(
      (event) => event.type === 'tool_finished' && event.callId === callId && event.result.outcome === 'unknown',
    );
  const isOpen = (call: KeptCall): boolean =>
    OPEN_CALLS.has(call.status) ||
    (call.status === 'in_doubt' && kept.get(call.runId)?.status !== 'cancelled' && !toldUnknown(call));
  return [
    ...asked.filter((id) => !kept.has(id)).map((id) => `lost: ${id} was asked for and is not there`),
    ...runs
      .filter(({ status }) => status === 'failed')
      .map(({ id }) => `lost: ${id} has failed${whyFailed(events.get(id))}`),
    ...runs.filter(({ status }) => !OVER.has(status)).map(({ id, status }) => `lost: ${id} is still ${status}`),
    ...calls.filter(isOpen).map(({ runId, call, status }) => `lost: call ${call} of ${runId} is still ${status}`),
    ...questions
      .filter(({ status }) => status === 'open')
      .map(({ runId, id }) => `lost: question ${id} of ${runId} is still open`),
    ...(queued === 0 ? [] : [`lost: ${String(queued)} messages still wait in queues`]),
  ];
}

function whyFailed(events: readonly RunEvent[] = []): string {
  const last = events.findLast((event) => event.type === 'run_finished');
  return last?.error === undefined ? '' : ` (${last.error.code}: ${last.error.message})`;
}

/** Under one fence one process writes; a later one has a higher fence; nobody writes under an older one. */
function ownedTwice(writes: readonly Write[]): string[] {
  const problems: string[] = [];
  const last = new Map<string, Write>();
  const writers = new Map<string, string>();
  for (const write of writes) {
    const { runId, fence, seqBefore, seqAfter, owner, writer } = write;
    const before = last.get(runId);
    last.set(runId, write);
    if (before && fence < before.fence) {
      problems.push(`owned twice: ${runId} went from fence ${String(before.fence)} back to ${String(fence)}`);
    }
    if (before && fence === before.fence && owner !== null && before.owner !== null && owner !== before.owner) {
      problems.push(`owned twice: ${runId} changed hands under fence ${String(fence)}`);
    }
    if (seqAfter === seqBefore) continue;
    if (seqBefore !== (before?.seqAfter ?? 0)) {
      problems.push(`owned twice: ${runId} was written from ${String(seqBefore)} on, and stood elsewhere`);
    }
    const place = `${runId} ${String(fence)}`;
    const known = writers.get(place) ?? writer;
    writers.set(place, known);
    if (known !== writer) {
      problems.push(`owned twice: ${known} and ${writer} both wrote ${runId} under fence ${String(fence)}`);
    }
  }
  return problems;
}

/** What is kept of each run is numbered through, up to where its row says it stands. */
function eventsAmiss({ runs, events }: History): string[] {
  return runs.flatMap(({ id, lastSeq }) => {
    const kept = events.get(id) ?? [];
    const whole = kept.length === lastSeq && kept.every(({ seq }, index) => seq === index + 1);
    return whole ? [] : [`events: of ${id} ${String(kept.length)} are kept, and it stands at ${String(lastSeq)}`];
  });
}

/** Whoever read a run read each event once, in order, as it is kept. */
function readingsAmiss({ readings, events, runs }: History): string[] {
  const over = new Set(runs.filter(({ status }) => OVER.has(status)).map(({ id }) => id));
  return readings.flatMap(({ reader, runId, events: read }) => {
    const kept = events.get(runId) ?? [];
    const wrong = read.findIndex((event, index) => event.seq !== index + 1);
    if (wrong !== -1) {
      const { seq } = read[wrong] ?? { seq: 0 };
      const what = read.slice(0, wrong).some((event) => event.seq === seq) ? 'a second time' : 'out of turn';
      return [`reader: ${reader} read event ${String(seq)} of ${runId} ${what}, where ${String(wrong + 1)} was due`];
    }
    if (over.has(runId) && read.length !== kept.length) {
      return [`reader: ${reader} read ${String(read.length)} of ${String(kept.length)} events of ${runId}`];
    }
    const other = read.findIndex((event, index) => !isDeepStrictEqual(event, kept[index]));
    if (other !== -1) return [`reader: ${reader} read another event ${String(other + 1)} of ${runId} than is kept`];
    return misspelt(read).map((what) => `reader: ${reader} read of ${runId} ${what}`);
  });
}

/** A call takes effect once; more often only as a person has said "repeat", less often only where it did not succeed. */
function effectsAmiss({ calls, questions, effects, counted }: History): string[] {
  const problems: string[] = [];
  const statuses = new Map(calls.map(({ call, status }) => [call, status]));
  for (const [call, times] of effects) {
    if (!statuses.has(call)) problems.push(`effect: ${call} took effect, and no ledger has it`);
    const answers = questions.filter((question) => question.kind === 'in_doubt' && question.call === call);
    const repeats = answers.filter(({ answer }) => answer?.decision === 'repeat').length;
    if (times > 1 + repeats) {
      problems.push(`effect: ${call} took effect ${String(times)} times, repeated ${String(repeats)} times on a word`);
    }
  }
  for (const { call, status } of calls) {
    const given = questions.some((question) => question.call === call && question.answer?.decision === 'result');
    if (status === 'done' && !given && !effects.has(call)) problems.push(`effect: ${call} is done, and never was`);
  }
  const told = [...effects.values()].reduce((sum, times) => sum + times, 0);
  if (told !== counted)
    problems.push(`effect: the tool was called ${String(told)} times and counted ${String(counted)}`);
  return problems;
}

/** What is said to a run under way is heard by one run, or sent as a message of its own; it stands in one place. */
function saidAmiss({ said, messages, sentToModel, events, runs }: History): string[] {
  const heardBy = Map.groupBy(
    [...events.values()].flat().filter((event) => event.type === 'steered'),
    ({ message }) => message.id,
  );
  return said.flatMap(({ id, text }) => {
    const heard = (heardBy.get(id) ?? []).map(({ runId }) => runId);
    const takers = [...heard, ...(runs.some((run) => run.id === id) ? [id] : [])];
    const stands = messages.filter((message) => message.text === text).length;
    const sent = sentToModel.get(text) ?? 0;
    const isDone = takers.some((taker) => runs.some((run) => run.id === taker && run.status === 'done'));
    return [
      ...(takers.length === 0 ? [`said: ${id} reached no run`] : []),
      ...(takers.length > 1 ? [`said: ${id} was taken in ${String(takers.length)} times, by ${takers.join()}`] : []),
      ...(stands === 1 ? [] : [`said: ${id} stands ${String(stands)} times in its conversation`]),
      ...(sent > 1 ? [`said: a model was sent ${id} ${String(sent)} times in one request`] : []),
      ...(sent === 0 && isDone ? [`said: ${id} was taken in, and no model read it`] : []),
    ];
  });
}
