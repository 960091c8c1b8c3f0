import type { AgentConfiguration, JsonValue, Principal, Scope } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { missingScope } from './refusals.ts';

/** Settings that determine which calls run without approval, how much may be spent, and which folder tools reach. */
const APPROVAL_FIELDS: readonly (keyof AgentConfiguration | 'allowedTools')[] = [
  'intervention',
  'interventionRules',
  'budgets',
  'workspace',
  'allowedTools',
];

/** @throws ProblemAnswer 403 if the principal has none of the scopes. */
export function requireScope({ scopes }: Principal, ...needed: readonly Scope[]): void {
  if (needed.length > 0 && !needed.some((scope) => scopes.includes(scope))) throw missingScope(needed);
}

/**
 * Whether a body changes approval mode, rules or budgets: it contains them, or replaces a stored configuration that may
 * contain them.
 */
export function changesApproval(method: string, body: JsonValue): boolean {
  if (!isJsonObject(body)) return false;
  const { configuration } = body;
  if (configuration !== undefined && (method === 'PATCH' || method === 'PUT')) return true;
  const layers = [body, ...(isJsonObject(configuration ?? null) ? [configuration] : [])].filter(isJsonObject);
  return layers.some((layer) => APPROVAL_FIELDS.some((field) => field in layer));
}
