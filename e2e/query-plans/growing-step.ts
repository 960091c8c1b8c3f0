/** A step of a plan that reads more rows the longer the history is. */
export type GrowingStep = { sql: string; step: string };

/** True for statements that read or write rows. */
export function isData(sql: string): boolean {
  return /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(sql);
}
