import type { ApprovalInterrupt, CallInterrupt, ErrorInfo, InDoubtInterrupt } from '@toolyard/protocol';
import type { CallProgress, CallView } from '../../transcript/calls.ts';

/** The status of a call with everything a card shows about it. */
export type CallStatus =
  /** The model is generating its arguments. */
  | { kind: 'writing' }
  /** It waits for execution. */
  | { kind: 'waiting' }
  | { kind: 'approval'; interrupt: ApprovalInterrupt }
  | { kind: 'in_doubt'; interrupt: InDoubtInterrupt }
  /** Its server asks the user for something. */
  | { kind: 'asked'; interrupt: InputInterrupt }
  /** Not sent yet: its server is busy with other calls. Lists their conversations, as far as the user may see them. */
  | { kind: 'queued'; waitsFor: readonly string[] }
  | { kind: 'running'; since: number | null; progress: ShownProgress | null }
  | { kind: 'done' }
  /** `message` is null if the tool itself reported the error. */
  | { kind: 'failed'; error: ErrorInfo | null }
  | { kind: 'refused'; error: ErrorInfo | null; reason: string | null }
  /** `started`: it was executing; its outcome is in doubt. */
  | { kind: 'cancelled'; started: boolean }
  /** It was sent; the outcome is unknown. */
  | { kind: 'unknown'; error: ErrorInfo | null }
  | { kind: 'malformed'; raw: string; reason: string };

export type InputInterrupt = Exclude<CallInterrupt, ApprovalInterrupt | InDoubtInterrupt>;

/** `share` from 0 to 1; null if the server reports no total. */
export type ShownProgress = { share: number | null; text: string | null };

/** The single place that decides what a card shows about its call. */
export function callStatus(call: CallView): CallStatus {
  if (call.malformed !== null) return { kind: 'malformed', ...call.malformed };
  if (call.result !== null) return statusOfResult(call, call.result);
  if (call.over) return call.started ? { kind: 'unknown', error: null } : { kind: 'cancelled', started: false };
  if (call.interrupt?.kind === 'approval') return { kind: 'approval', interrupt: call.interrupt };
  if (call.interrupt?.kind === 'in_doubt') return { kind: 'in_doubt', interrupt: call.interrupt };
  if (call.interrupt !== null) return { kind: 'asked', interrupt: call.interrupt };
  if (call.started && call.progress?.waitsFor !== undefined) {
    return { kind: 'queued', waitsFor: call.progress.waitsFor };
  }
  if (call.started) return { kind: 'running', since: call.startedAt, progress: shownProgress(call.progress) };
  // The decision of the user shows at once, although the result follows with those of other calls.
  if (call.answer?.decision === 'refuse') return { kind: 'refused', error: null, reason: findReason(call) };
  return { kind: call.arguments === null ? 'writing' : 'waiting' };
}

/** How long the tool took, in milliseconds; null if unknown, or if a user answered instead. */
export function shownDuration({ started, result, answer, durationMs }: CallView): number | null {
  const answeredByUser = answer?.decision === 'failed' || answer?.decision === 'result';
  return !started || answeredByUser || result?.outcome === 'not_sent' ? null : durationMs;
}

/** True for interrupts that need a decision. */
export function needsAnswer(status: CallStatus): status is Extract<CallStatus, { interrupt: unknown }> {
  return status.kind === 'approval' || status.kind === 'in_doubt' || status.kind === 'asked';
}

function statusOfResult(call: CallView, result: NonNullable<CallView['result']>): CallStatus {
  const { isError, outcome, error = null } = result;
  if (error?.code === 'cancelled') return { kind: 'cancelled', started: outcome !== 'not_sent' };
  if (outcome === 'unknown') return { kind: 'unknown', error };
  if (!isError) return { kind: 'done' };
  if (error?.code === 'tool_refused') return { kind: 'refused', error, reason: findReason(call) };
  return { kind: 'failed', error };
}

function findReason({ answer }: CallView): string | null {
  return answer?.decision === 'refuse' && answer.reason !== undefined ? answer.reason : null;
}

/** Servers report progress in any unit, and some exceed their own total. */
function shownProgress(progress: CallProgress | null): ShownProgress | null {
  if (progress === null) return null;
  const { progress: at, total, text } = progress;
  const known = total !== undefined && total > 0 && Number.isFinite(at / total);
  return { share: known ? Math.min(1, Math.max(0, at / total)) : null, text: text ?? null };
}
