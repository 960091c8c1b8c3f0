import type { Kysely } from 'kysely';
import type { JsonObject } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import type { TitledRepository, TitledRow } from './titled-rows.ts';
import { createTitledRepository } from './titled-rows.ts';

type Values = {
  /** Model, instructions, tools, parameters, limits. */
  configuration: JsonObject;
  /** How it is presented. */
  profile: JsonObject;
};

export type StoredAgent = TitledRow<Values>;
export type AgentRepository = TitledRepository<Values>;

export const createAgentRepository = (db: Kysely<Schema>): AgentRepository =>
  createTitledRepository(db, 'agents', ['configuration', 'profile']);
