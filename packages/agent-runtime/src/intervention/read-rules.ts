import type { InterventionRule } from '@toolyard/protocol';
import { faultsOfRules, ToolyardError } from '@toolyard/protocol';

/**
 * Checks rules as they are configured.
 *
 * @throws ToolyardError `bad_request`, naming the first rule that cannot be read and what is wrong with it
 */
export function readInterventionRules(value: unknown): InterventionRule[] {
  if (!Array.isArray(value)) throw new ToolyardError({ code: 'bad_request', message: 'The rules are no list.' });
  const [fault] = faultsOfRules(value);
  if (!fault) return value as InterventionRule[];
  const where = fault.field === undefined ? '' : `, "${fault.field}"`;
  throw new ToolyardError({
    code: 'bad_request',
    message: `Rule ${fault.rule + 1}${where}: ${fault.problem}.`,
    hint: 'A rule is { "decision": "allow" | "ask" | "never", ... } with at least one of "tool", "argument", "command", "outside", "inside", "readOnly", "destructive".',
  });
}
