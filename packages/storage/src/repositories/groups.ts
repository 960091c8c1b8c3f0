import type { Kysely } from 'kysely';
import type { JsonObject } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import type { TitledRepository, TitledRow } from './titled-rows.ts';
import { createTitledRepository } from './titled-rows.ts';

/** `definition`: members, mode, limits. */
type Values = { definition: JsonObject };

export type StoredGroup = TitledRow<Values>;
export type GroupRepository = TitledRepository<Values>;

export const createGroupRepository = (db: Kysely<Schema>): GroupRepository =>
  createTitledRepository(db, 'groups', ['definition']);
