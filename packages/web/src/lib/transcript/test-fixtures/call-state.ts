import type { CallInterrupt } from '@toolyard/protocol';
import type { CallView } from '../calls.ts';

/**
 * The state of a call, for tests:
 *
 * - `writing`: its arguments are streaming
 * - `waiting`: it will be executed
 * - the kind of an interrupt: it waits for the user
 * - `refused`: denied by a user
 * - `not_made`: not executed for another reason
 * - `unknown`: sent, outcome unknown
 */
type CallState =
  | 'writing'
  | 'waiting'
  | CallInterrupt['kind']
  | 'running'
  | 'done'
  | 'failed'
  | 'refused'
  | 'not_made'
  | 'unknown';

export function callState(call: CallView): CallState {
  const { result } = call;
  if (result !== null) {
    if (result.outcome === 'unknown') return 'unknown';
    if (!result.isError) return 'done';
    if (result.error?.code === 'tool_refused') return 'refused';
    return result.outcome === 'not_sent' && result.error?.code === 'cancelled' ? 'not_made' : 'failed';
  }
  if (call.malformed !== null) return 'failed';
  if (call.over) return call.started ? 'unknown' : 'not_made';
  if (call.interrupt !== null) return call.interrupt.kind;
  if (call.started) return 'running';
  return call.arguments === null ? 'writing' : 'waiting';
}
