import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { JsonValue, LeasedRun, Owner } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import { decodeJson } from '../text.ts';

/** What a run has stored to be resumed, for readers without its lease. */
export type RunStateRepository = {
  /** The configuration and the last committed state; null if the owner has no such run. */
  get(principal: Owner, runId: string): Promise<Pick<LeasedRun, 'configuration' | 'state'> | null>;
};

export function createRunStateRepository(db: Kysely<Schema>): RunStateRepository {
  return {
    async get({ ownerId }, runId) {
      // Under another name: the columns of this name are decoded by the engine, except in SQL like this.
      const query = sql<{ of_run: string | null; state: string | null }>`
        SELECT configuration AS of_run, state FROM run_states WHERE run_id = ${runId} AND owner_id = ${ownerId}`;
      const [row] = (await query.execute(db)).rows;
      return row ? { configuration: decoded(row.of_run), state: decoded(row.state) } : null;
    },
  };
}

function decoded(text: string | null): JsonValue {
  return text === null ? null : decodeJson(text);
}
