import type { InterventionRule } from '@toolyard/protocol';
import { faultsOfRules, ToolyardError } from '@toolyard/protocol';

/**
 * Validates configured rules.
 *
 * @throws ToolyardError `bad_request`, with the first invalid rule and its error
 */
export function readInterventionRules(value: unknown): InterventionRule[] {
  if (!Array.isArray(value)) throw new ToolyardError({ code: 'bad_request', message: 'The rules must be a list.' });
  const [fault] = faultsOfRules(value);
  if (!fault) return value as InterventionRule[];
  const where = fault.field === undefined ? '' : `, "${fault.field}"`;
  throw new ToolyardError({
    code: 'bad_request',
    message: `Rule ${fault.rule + 1}${where}: ${fault.problem}.`,
    hint: 'A rule has the form { "decision": "allow" | "ask" | "never", ... } with at least one of "tool", "argument", "command", "outside", "inside", "readOnly", "destructive".',
  });
}
