import type { DeleteResult, UpdateResult } from 'kysely';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Listed<Names extends string> = Names extends `${infer First}, ${infer Others}` ? First | Listed<Others> : Names;
type Aliased<Name extends string> = Name extends `${string}_${string}` ? `${Name} as ${CamelCase<Name>}` : Name;

/**
 * Columns for `select` and `returning`, read under their names in TypeScript.
 *
 * @example
 * db.selectFrom('sessions').select(aliased('id, created_at')) // rows are { id, createdAt }
 */
export function aliased<Names extends string>(names: Names): Aliased<Listed<Names>>[] {
  const all = names.split(', ').map((name) => (name.includes('_') ? `${name} as ${camelCase(name)}` : name));
  return all as Aliased<Listed<Names>>[];
}

/** The same for a statement that is written as text: `id, created_at` becomes `id, created_at AS "createdAt"`. */
export function selectList(names: string): string {
  return names.replaceAll(/\w+/g, (name) => (name.includes('_') ? `${name} AS "${camelCase(name)}"` : name));
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Executes a deletion or a change. Returns true if it found a row. */
export async function affectsRows(query: {
  executeTakeFirst(): Promise<DeleteResult | UpdateResult>;
}): Promise<boolean> {
  const result = await query.executeTakeFirst();
  return ('numDeletedRows' in result ? result.numDeletedRows : result.numUpdatedRows) > 0n;
}
