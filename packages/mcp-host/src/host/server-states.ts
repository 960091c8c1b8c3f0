import type { ServerState } from '../types.ts';

/**
 * The state of a server. `waiting` and `trying` together are shown as `reconnecting`; `unreached`, which waits for the
 * next attempt of a server that could not be reached at first, is shown as `failed`.
 */
export type Stage =
  | 'idle'
  | 'disabled'
  | 'connecting'
  | 'ready'
  | 'waiting'
  | 'trying'
  | 'unreached'
  | 'failed'
  | 'needs_sign_in';

/**
 * Events of a server.
 * - `connect`, `disconnect`, `enable`, `disable`: requested by a user or the program
 * - `opened`, `refused`, `unreachable`: the result of an attempt; only `unreachable` is worth a retry
 * - `lost`, `session_lost`: an open connection was lost; with `session_lost` the server itself still answers
 * - `sign_in`: it requires a sign-in
 * - `due`: the wait before the next attempt is over
 * - `settled`: it has been ready for a while, and counts as stable
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
  /** Retries begun since the server was last ready; also the number of the next one, from 0. */
  readonly spent: number;
  /** How often the connection was lost since it was last stable: a server that crashes at once is not retried faster. */
  readonly losses: number;
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

const LIVE: Stage[] = ['connecting', 'ready', 'waiting', 'trying', 'unreached', 'failed', 'needs_sign_in'];

/** All transitions; an event without a row changes nothing. `docs/mcp-host.md` contains the same table. */
export const TRANSITIONS: readonly StateTransition[] = [
  row('idle', 'connect', 'connecting'),
  row('idle', 'disable', 'disabled'),
  row('disabled', 'connect', 'connecting'),
  row('disabled', 'enable', 'idle'),
  row('connecting', 'opened', 'ready'),
  row('connecting', 'refused', 'failed'),
  row('connecting', 'unreachable', 'unreached', 'attempts are left'),
  row('connecting', 'unreachable', 'failed', 'no attempt is left'),
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
  row('unreached', 'due', 'connecting'),
  row('unreached', 'connect', 'connecting'),
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
  const losses = lossesAfter(machine, event);
  const next = { enabled, spent, losses };
  const found = TRANSITIONS.find(
    ({ from, event: on, when }) => from === machine.stage && on === event && holds(when, next, maxAttempts),
  );
  if (found !== undefined) return { stage: found.to, ...next };
  return enabled === machine.enabled ? machine : { ...machine, enabled };
}

/** Attempts are counted from 0 after every success, which is a connection that is initialized and has its tools listed. */
function spentAfter({ stage, spent }: ServerMachine, event: ServerEvent): number {
  if (event === 'opened') return 0;
  if (event === 'connect') return stage === 'waiting' ? spent : 0;
  const isRetry = (stage === 'trying' && event === 'unreachable') || (stage === 'unreached' && event === 'due');
  return isRetry ? spent + 1 : spent;
}

function lossesAfter({ stage, losses }: ServerMachine, event: ServerEvent): number {
  if (event === 'settled' || (event === 'connect' && stage !== 'waiting')) return 0;
  return event === 'lost' || event === 'session_lost' ? losses + 1 : losses;
}

function holds(when: When, { enabled, spent, losses }: Omit<ServerMachine, 'stage'>, maxAttempts: number): boolean {
  switch (when) {
    case 'always':
      return true;
    case 'attempts are left':
      return spent < maxAttempts;
    case 'no attempt is left':
      return spent >= maxAttempts;
    case 'first time':
      return losses === 1;
    case 'switched on':
      return enabled;
    case 'switched off':
      return !enabled;
  }
}

export function shownState(stage: Stage): ServerState {
  if (stage === 'unreached') return 'failed';
  return stage === 'waiting' || stage === 'trying' ? 'reconnecting' : stage;
}

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** The largest part of a wait that jitter removes, so that servers do not all reconnect at the same moment. */
const JITTER = 0.25;

/** The number of the next wait, from 0: failed retries, and losses of connections that never became stable. */
export function waitNumber({ spent, losses }: Pick<ServerMachine, 'spent' | 'losses'>): number {
  return spent + Math.max(0, losses - 1);
}

/** The wait with number `attempt` (from 0), in milliseconds. `jitter` is 0 up to 1 and only shortens it. */
export function reconnectWait(attempt: number, jitter: number): number {
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return Math.round(wait - wait * JITTER * Math.min(1, Math.max(0, jitter)));
}
