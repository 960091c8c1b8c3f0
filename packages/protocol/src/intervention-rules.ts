/** An error in a list of rules: the index of the rule from 0, its field if it is in one, and what is wrong. */
export type RuleFault = { rule: number; field?: string; problem: string };

const DECISIONS = ['allow', 'ask', 'never'];
const TEXTS = ['tool', 'argument', 'command', 'host', 'outside', 'inside'];
const HINTS = ['readOnly', 'destructive'];

/** Lists the errors of configured rules; empty if they are valid. */
export function faultsOfRules(rules: readonly unknown[]): RuleFault[] {
  return rules.flatMap((rule, index) => listFaults(rule).map((fault) => ({ rule: index, ...fault })));
}

function listFaults(rule: unknown): { field?: string; problem: string }[] {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return [{ problem: 'it must be an object' }];
  const fields = new Map<string, unknown>(Object.entries(rule));
  const faults: { field?: string; problem: string }[] = [];
  const decision = fields.get('decision');
  if (typeof decision !== 'string' || !DECISIONS.includes(decision)) {
    faults.push({ field: 'decision', problem: 'it must be "allow", "ask" or "never"' });
  }
  for (const [field, value] of fields) {
    if (field === 'decision') continue;
    if (HINTS.includes(field)) {
      if (typeof value !== 'boolean') faults.push({ field, problem: 'it must be true or false' });
    } else if (!TEXTS.includes(field)) faults.push({ field, problem: 'it is not a known field' });
    else if (typeof value !== 'string' || value.trim() === '')
      faults.push({ field, problem: 'it must be text that is not empty' });
  }
  if (fields.size < 2) faults.push({ problem: 'it needs at least one field that says which calls it matches' });
  if (decision === 'allow' && fields.has('outside')) {
    faults.push({ field: 'outside', problem: 'a rule that allows uses "inside" instead' });
  }
  if (decision !== 'allow' && fields.has('inside')) {
    faults.push({ field: 'inside', problem: 'only a rule that allows has "inside"; use "outside"' });
  }
  for (const field of ['outside', 'inside']) {
    const folder = fields.get(field);
    if (typeof folder === 'string' && !/^\/|^[A-Za-z]:[\\/]/.test(folder)) {
      faults.push({ field, problem: 'it must be an absolute path' });
    }
  }
  return faults;
}
