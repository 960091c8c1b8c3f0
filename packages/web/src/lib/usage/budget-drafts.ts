import type { Budget, BudgetMeasure } from '@toolyard/protocol';
import { budgetKey } from '@toolyard/protocol';

export const BUDGET_KINDS = ['run', 'conversation', 'day', 'turn', 'agent', 'model', 'tool'] as const;
export const BUDGET_MEASURES = ['dollars', 'tokens', 'calls'] as const;

/** A budget as typed. */
export type BudgetDraft = {
  id: number;
  of: Budget['of'];
  name: string;
  /** Not edited yet: missing values are not reported. */
  fresh?: true;
} & Record<BudgetMeasure, string>;

/** A problem at the field of a measure, at the name, or of the budget as a whole. */
export type DraftProblem = {
  at: BudgetMeasure | 'name' | 'row';
  text: 'amountProblem' | 'wholeProblem' | 'budgetNameProblem' | 'noAmountProblem' | 'twiceProblem';
};

export function toBudgetDraft(budget: Budget, id: number): BudgetDraft {
  const text = (measure: BudgetMeasure): string => (budget[measure] === undefined ? '' : String(budget[measure]));
  const name = budget.of === 'model' ? budget.model : budget.of === 'tool' ? budget.tool : '';
  return { id, of: budget.of, name, dollars: text('dollars'), tokens: text('tokens'), calls: text('calls') };
}

export function emptyBudgetDraft(id: number): BudgetDraft {
  return { id, of: 'run', name: '', fresh: true, dollars: '', tokens: '', calls: '' };
}

/** The drafts as budgets; null if one is invalid; the problems are by the ids of their drafts. */
export function readDrafts(drafts: readonly BudgetDraft[]): {
  budgets: Budget[] | null;
  problems: ReadonlyMap<number, DraftProblem>;
} {
  const problems = new Map<number, DraftProblem>();
  const budgets: Budget[] = [];
  const seen = new Set<string>();
  for (const draft of drafts) {
    const read = readDraft(draft);
    if ('problem' in read) {
      problems.set(draft.id, read.problem);
      continue;
    }
    const key = budgetKey(read.budget);
    if (seen.has(key)) problems.set(draft.id, { at: 'row', text: 'twiceProblem' });
    seen.add(key);
    budgets.push(read.budget);
  }
  return { budgets: problems.size === 0 ? budgets : null, problems };
}

/** The problems to show: not those of a budget just added. */
export function shownProblems(drafts: readonly BudgetDraft[]): ReadonlyMap<number, DraftProblem> {
  const fresh = new Set(drafts.filter((draft) => draft.fresh === true).map(({ id }) => id));
  return new Map([...readDrafts(drafts).problems].filter(([id]) => !fresh.has(id)));
}

/** The draft after an edit. */
export function withoutFresh({ fresh: _fresh, ...draft }: BudgetDraft): BudgetDraft {
  return draft;
}

const NO_AMOUNT: DraftProblem = { at: 'row', text: 'noAmountProblem' };

function readDraft(draft: BudgetDraft): { budget: Budget } | { problem: DraftProblem } {
  const amounts: { [M in BudgetMeasure]?: number } = {};
  for (const measure of BUDGET_MEASURES) {
    const text = draft[measure].trim().replace(/^\$/, '').replace(',', '.');
    if (text === '') continue;
    const amount = Number(text);
    if (!Number.isFinite(amount) || amount <= 0) return { problem: { at: measure, text: 'amountProblem' } };
    if (measure !== 'dollars' && !Number.isInteger(amount)) return { problem: { at: measure, text: 'wholeProblem' } };
    amounts[measure] = amount;
  }
  if (draft.of === 'model' || draft.of === 'tool') {
    const name = draft.name.trim();
    if (!/^[^/]+\/./.test(name)) return { problem: { at: 'name', text: 'budgetNameProblem' } };
    if (Object.keys(amounts).length === 0) return { problem: NO_AMOUNT };
    const budget: Budget = draft.of === 'model' ? { of: 'model', model: name } : { of: 'tool', tool: name };
    return { budget: { ...budget, ...amounts } };
  }
  if (Object.keys(amounts).length === 0) return { problem: NO_AMOUNT };
  return { budget: { of: draft.of, ...amounts } };
}
