import type { ApprovalInterrupt, CallInterrupt, ErrorInfo, InDoubtInterrupt } from '@toolyard/protocol';
import type { CallProgress, CallView } from '../../transcript/calls.ts';

/** Where a call stands, with all that is to be said about it. */
export type CallStatus =
  /** The model is writing it. */
  | { kind: 'writing' }
  /** It will be made. */
  | { kind: 'waiting' }
  | { kind: 'approval'; interrupt: ApprovalInterrupt }
  | { kind: 'in_doubt'; interrupt: InDoubtInterrupt }
  /** Its server wants something of a person. */
  | { kind: 'asked'; interrupt: AskedByServer }
  /** It was not sent yet: its server is busy with calls of these conversations, as far as they are one's own. */
  | { kind: 'queued'; waitsFor: readonly string[] }
  | { kind: 'running'; since: number | null; progress: ShownProgress | null }
  | { kind: 'done' }
  /** The tool said so itself where there is no error. */
  | { kind: 'failed'; error: ErrorInfo | null }
  | { kind: 'refused'; error: ErrorInfo | null; reason: string | null }
  /** `begun`: it was under way, and may have taken effect all the same. */
  | { kind: 'cancelled'; begun: boolean }
  /** It was sent, and nobody can say what came of it. */
  | { kind: 'unknown'; error: ErrorInfo | null }
  | { kind: 'malformed'; raw: string; reason: string };

export type AskedByServer = Exclude<CallInterrupt, ApprovalInterrupt | InDoubtInterrupt>;

/** `share` from 0 to 1; null where the server does not say how much there is to do. */
export type ShownProgress = { share: number | null; text: string | null };

/** The one place where it is decided what a card says about its call. */
export function callStatus(call: CallView): CallStatus {
  if (call.malformed !== null) return { kind: 'malformed', ...call.malformed };
  if (call.result !== null) return statusOfResult(call, call.result);
  if (call.over) return call.started ? { kind: 'unknown', error: null } : { kind: 'cancelled', begun: false };
  if (call.interrupt?.kind === 'approval') return { kind: 'approval', interrupt: call.interrupt };
  if (call.interrupt?.kind === 'in_doubt') return { kind: 'in_doubt', interrupt: call.interrupt };
  if (call.interrupt !== null) return { kind: 'asked', interrupt: call.interrupt };
  if (call.started && call.progress?.waitsFor !== undefined) {
    return { kind: 'queued', waitsFor: call.progress.waitsFor };
  }
  if (call.started) return { kind: 'running', since: call.startedAt, progress: shownProgress(call.progress) };
  return { kind: call.arguments === null ? 'writing' : 'waiting' };
}

/** How long the tool took; null where nobody watched it, and where a person answered in its place. */
export function shownDuration({ started, result, answer, durationMs }: CallView): number | null {
  const byPerson = answer?.decision === 'failed' || answer?.decision === 'result';
  return !started || byPerson || result?.outcome === 'not_sent' ? null : durationMs;
}

/** True for what a person is to decide. */
export function isQuestion(status: CallStatus): status is Extract<CallStatus, { interrupt: unknown }> {
  return status.kind === 'approval' || status.kind === 'in_doubt' || status.kind === 'asked';
}

function statusOfResult(call: CallView, result: NonNullable<CallView['result']>): CallStatus {
  const { isError, outcome, error = null } = result;
  if (error?.code === 'cancelled') return { kind: 'cancelled', begun: outcome !== 'not_sent' };
  if (outcome === 'unknown') return { kind: 'unknown', error };
  if (!isError) return { kind: 'done' };
  if (error?.code === 'tool_refused') return { kind: 'refused', error, reason: reasonOf(call) };
  return { kind: 'failed', error };
}

function reasonOf({ answer }: CallView): string | null {
  return answer?.decision === 'refuse' && answer.reason !== undefined ? answer.reason : null;
}

/** Servers count in what they like, and some count beyond their own total. */
function shownProgress(progress: CallProgress | null): ShownProgress | null {
  if (progress === null) return null;
  const { progress: at, total, text } = progress;
  const known = total !== undefined && total > 0 && Number.isFinite(at / total);
  return { share: known ? Math.min(1, Math.max(0, at / total)) : null, text: text ?? null };
}
