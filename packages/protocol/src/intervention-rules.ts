/** Where a list of rules is faulty: the number of the rule, from 0, and its field where it is one. */
export type RuleFault = { rule: number; field?: string; problem: string };

const DECISIONS = ['allow', 'ask', 'never'];
const TEXTS = ['tool', 'argument', 'command', 'outside', 'inside'];
const HINTS = ['readOnly', 'destructive'];

/** Lists the faults of rules as they are configured; empty if they are valid. */
export function faultsOfRules(rules: readonly unknown[]): RuleFault[] {
  return rules.flatMap((rule, index) => faultsOf(rule).map((fault) => ({ rule: index, ...fault })));
}

function faultsOf(rule: unknown): { field?: string; problem: string }[] {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return [{ problem: 'it is no object' }];
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
    } else if (!TEXTS.includes(field)) faults.push({ field, problem: 'nothing of this name is known' });
    else if (typeof value !== 'string' || value.trim() === '') faults.push({ field, problem: 'it must be a text' });
  }
  if (fields.size < 2) faults.push({ problem: 'it says nothing of the calls it is for' });
  if (decision === 'allow' && fields.has('outside')) {
    faults.push({ field: 'outside', problem: 'a rule that allows says "inside"' });
  }
  if (decision !== 'allow' && fields.has('inside')) {
    faults.push({ field: 'inside', problem: 'a rule that does not allow says "outside"' });
  }
  for (const field of ['outside', 'inside']) {
    const folder = fields.get(field);
    if (typeof folder === 'string' && !/^\/|^[A-Za-z]:[\\/]/.test(folder)) {
      faults.push({ field, problem: 'it must be a whole path' });
    }
  }
  return faults;
}
