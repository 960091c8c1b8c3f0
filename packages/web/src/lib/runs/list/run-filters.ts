import type { RunOrigin } from '@toolyard/protocol';
import type { RunState } from './run-state.ts';
import { RUN_STATES } from './run-state.ts';

/** Filters of the list of runs; an empty text filters nothing. */
export type RunFilters = { state: RunState | ''; agent: string; origin: RunOrigin | ''; words: string };

export const RUN_ORIGINS = ['chat', 'sub_agent', 'schedule', 'api'] as const satisfies readonly RunOrigin[];

/** The filters in the query of the address; what is not known is ignored. */
export function readFilters(query: Pick<URLSearchParams, 'get'>): RunFilters {
  return {
    state: RUN_STATES.find((state) => state === query.get('state')) ?? '',
    agent: query.get('agent') ?? '',
    origin: RUN_ORIGINS.find((origin) => origin === query.get('origin')) ?? '',
    words: query.get('words') ?? '',
  };
}

/** The query of the address for these filters. */
export function writeFilters(filters: RunFilters): string {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
}

const ACTIVE = 'queued,running,parked,waiting_for_tab';
const STATE_QUERY: Record<RunState, { status: string; asks?: '0' | '1' }> = {
  working: { status: ACTIVE, asks: '0' },
  waiting: { status: ACTIVE, asks: '1' },
  done: { status: 'done' },
  failed: { status: 'failed' },
  stopped: { status: 'cancelled' },
};

/** The filters as the query of `GET /api/runs`. */
export function requestQuery({ state, agent, origin, words }: RunFilters): Record<string, string> {
  const query = { agent, origin, q: words.trim(), ...(state === '' ? {} : STATE_QUERY[state]) };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}
