import type { ServerState } from '../types.ts';

/** Where a server stands. `waiting` and `trying` are the two halves of what is shown as `reconnecting`. */
export type Stage = 'idle' | 'disabled' | 'connecting' | 'ready' | 'waiting' | 'trying' | 'failed' | 'needs_sign_in';

/**
 * What can happen to a server.
 * - `connect`, `disconnect`, `enable`, `disable`: somebody wants it
 * - `opened`, `refused`, `unreachable`: how an attempt ended; only what was unreachable may answer another time
 * - `lost`, `session_lost`: a connection that stood is gone; with the session the server itself still answers
 * - `sign_in`: it wants to know who asks
 * - `due`: the wait before the next attempt is over
 * - `settled`: it has been ready for a while
 */
export type ServerEvent =
  | 'connect'
  | 'disconnect'
  | 'enable'
  | 'disable'
  | 'opened'
  | 'refused'
  | 'unreachable'
  | 'lost'
  | 'session_lost'
  | 'sign_in'
  | 'due'
  | 'settled';

export type ServerMachine = {
  readonly stage: Stage;
  readonly enabled: boolean;
  /** Attempts begun since the connection last stood for a while; the next one has this number, from 0. */
  readonly spent: number;
};

/** A condition of a row; no condition is `always`. */
type When = 'always' | 'attempts are left' | 'no attempt is left' | 'first time' | 'switched on' | 'switched off';

export type StateTransition = { from: Stage; event: ServerEvent; when: When; to: Stage };

const row = (from: Stage, event: ServerEvent, to: Stage, when: When = 'always'): StateTransition => ({
  from,
  event,
  when,
  to,
});

const LIVE: Stage[] = ['connecting', 'ready', 'waiting', 'trying', 'failed', 'needs_sign_in'];

/** All there is; an event without a row changes nothing. The same table stands in `docs/mcp-host.md`. */
export const TRANSITIONS: readonly StateTransition[] = [
  row('idle', 'connect', 'connecting'),
  row('idle', 'disable', 'disabled'),
  row('disabled', 'connect', 'connecting'),
  row('disabled', 'enable', 'idle'),
  row('connecting', 'opened', 'ready'),
  row('connecting', 'refused', 'failed'),
  row('connecting', 'unreachable', 'failed'),
  row('connecting', 'sign_in', 'needs_sign_in'),
  row('ready', 'lost', 'waiting', 'attempts are left'),
  row('ready', 'lost', 'failed', 'no attempt is left'),
  row('ready', 'session_lost', 'trying', 'first time'),
  row('ready', 'session_lost', 'waiting', 'attempts are left'),
  row('ready', 'session_lost', 'failed', 'no attempt is left'),
  row('ready', 'sign_in', 'needs_sign_in'),
  row('ready', 'settled', 'ready'),
  row('waiting', 'due', 'trying'),
  row('waiting', 'connect', 'trying'),
  row('trying', 'opened', 'ready'),
  row('trying', 'unreachable', 'waiting', 'attempts are left'),
  row('trying', 'unreachable', 'failed', 'no attempt is left'),
  row('trying', 'refused', 'failed'),
  row('trying', 'sign_in', 'needs_sign_in'),
  row('failed', 'connect', 'connecting'),
  row('needs_sign_in', 'connect', 'connecting'),
  ...LIVE.flatMap((from) => [
    row(from, 'disconnect', 'idle', 'switched on'),
    row(from, 'disconnect', 'disabled', 'switched off'),
    row(from, 'disable', 'disabled'),
  ]),
];

/** Where the event leads; the same machine where it changes nothing. */
export function transition(machine: ServerMachine, event: ServerEvent, maxAttempts: number): ServerMachine {
  const enabled = event === 'enable' ? true : event === 'disable' ? false : machine.enabled;
  const spent = spentAfter(machine, event);
  const found = TRANSITIONS.find(
    ({ from, event: on, when }) => from === machine.stage && on === event && holds(when, enabled, spent, maxAttempts),
  );
  if (found !== undefined) return { stage: found.to, enabled, spent };
  return enabled === machine.enabled ? machine : { ...machine, enabled };
}

function spentAfter({ stage, spent }: ServerMachine, event: ServerEvent): number {
  if (event === 'settled') return 0;
  if (event === 'connect') return stage === 'waiting' ? spent : 0;
  return stage === 'trying' && (event === 'opened' || event === 'unreachable') ? spent + 1 : spent;
}

function holds(when: When, enabled: boolean, spent: number, maxAttempts: number): boolean {
  switch (when) {
    case 'always':
      return true;
    case 'attempts are left':
      return spent < maxAttempts;
    case 'no attempt is left':
      return spent >= maxAttempts;
    case 'first time':
      return spent === 0;
    case 'switched on':
      return enabled;
    case 'switched off':
      return !enabled;
  }
}

export function shownState(stage: Stage): ServerState {
  return stage === 'waiting' || stage === 'trying' ? 'reconnecting' : stage;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** How much of a wait chance may take off, so that many servers do not come back in one moment. */
const JITTER = 0.25;

/** How long to wait before attempt `attempt`, from 0. `jitter` is 0 up to 1 and only ever shortens it. */
export function reconnectWait(attempt: number, jitter: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return Math.round(wait - wait * JITTER * Math.min(1, Math.max(0, jitter)));
}
