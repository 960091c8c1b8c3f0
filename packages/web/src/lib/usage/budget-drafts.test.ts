import type { Budget } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import type { BudgetDraft } from './budget-drafts.ts';
import { toBudgetDraft, emptyBudgetDraft, readDrafts, shownProblems, withoutFresh } from './budget-drafts.ts';

const typed = (more: Partial<BudgetDraft>): BudgetDraft => ({ ...emptyBudgetDraft(1), ...more });

test('budgets are converted to drafts and back without change', () => {
  const budgets: Budget[] = [
    { of: 'day', dollars: 2.5, tokens: 1000 },
    { of: 'model', model: 'p/org/m', calls: 3 },
    { of: 'tool', tool: 'files/read', calls: 1 },
  ];
  expect(readDrafts(budgets.map(toBudgetDraft))).toEqual({ budgets, problems: new Map() });
  expect(readDrafts([typed({ dollars: ' $1,5 ' })]).budgets).toEqual([{ of: 'run', dollars: 1.5 }]);
  expect(readDrafts([]).budgets).toEqual([]);
});

test.each<[Partial<BudgetDraft>, unknown]>([
  [{ dollars: '0' }, { at: 'dollars', text: 'amountProblem' }],
  [{ tokens: '-4' }, { at: 'tokens', text: 'amountProblem' }],
  [{ calls: 'many' }, { at: 'calls', text: 'amountProblem' }],
  [{ calls: '1.5' }, { at: 'calls', text: 'wholeProblem' }],
  [{}, { at: 'row', text: 'noAmountProblem' }],
  [
    { of: 'model', name: 'gpt', dollars: '1' },
    { at: 'name', text: 'budgetNameProblem' },
  ],
  [
    { of: 'tool', name: 'a/b' },
    { at: 'row', text: 'noAmountProblem' },
  ],
])('rejects all drafts if %j is invalid', (more, problem) => {
  const { budgets, problems } = readDrafts([typed({ id: 7, dollars: '1', of: 'day' }), typed(more)]);
  expect(budgets).toBeNull();
  expect([...problems]).toEqual([[1, problem]]);
});

test('a budget just added shows no errors yet', () => {
  expect(shownProblems([emptyBudgetDraft(1)])).toEqual(new Map());
  expect(readDrafts([emptyBudgetDraft(1)]).budgets).toBeNull();
  expect(shownProblems([withoutFresh(emptyBudgetDraft(1))])).toEqual(
    new Map([[1, { at: 'row', text: 'noAmountProblem' }]]),
  );
});

test('rejects two budgets of the same measure', () => {
  const { problems } = readDrafts([typed({ id: 1, dollars: '1' }), typed({ id: 2, tokens: '9' })]);
  expect([...problems]).toEqual([[2, { at: 'row', text: 'twiceProblem' }]]);
});
