import type { ServerState } from '../types.ts';

/** The state of a server. `waiting` and `trying` together are shown as `reconnecting`. */
export type Stage = 'idle' | 'disabled' | 'connecting' | 'ready' | 'waiting' | 'trying' | 'failed' | 'needs_sign_in';

/**
 * Events of a server.
 * - `connect`, `disconnect`, `enable`, `disable`: requested by a user or the program
 * - `opened`, `refused`, `unreachable`: the result of an attempt; only `unreachable` is worth a retry
 * - `lost`, `session_lost`: an open connection was lost; with `session_lost` the server itself still answers
 * - `sign_in`: it requires a sign-in
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
  /** Attempts begun since the connection was last stable; also the number of the next one, from 0. */
  readonly spent: number;
};

/** The condition of a row; without one the row always applies. */
type When = 'always' | 'attempts are left' | 'no attempt is left' | 'first time' | 'switched on' | 'switched off';

export type StateTransition = { from: Stage; event: ServerEvent; when: When; to: Stage };

const row = (from: Stage, event: ServerEvent, to: Stage, when: When = 'always'): StateTransition => ({
  from,
  event,
  when,
  to,
});

const LIVE: Stage[] = ['connecting', 'ready', 'waiting', 'trying', 'failed', 'needs_sign_in'];

/** All transitions; an event without a row changes nothing. `docs/mcp-host.md` contains the same table. */
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

/** The machine after the event; the same object if nothing changes. */
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
const MAX_WAIT_MS = 30_000;
/** The largest part of a wait that jitter removes, so that servers do not all reconnect at the same moment. */
const JITTER = 0.25;

/** The wait before attempt `attempt` (from 0), in milliseconds. `jitter` is 0 up to 1 and only shortens it. */
export function reconnectWait(attempt: number, jitter: number): number {
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return Math.round(wait - wait * JITTER * Math.min(1, Math.max(0, jitter)));
}
