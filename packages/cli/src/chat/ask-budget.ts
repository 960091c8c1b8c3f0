import type { BudgetAnswer, BudgetInterrupt } from '@toolyard/protocol';
import { formatAmount, budgetPhrase, showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';
import { choose } from './ask-user.ts';

/** Asks whether to raise a budget, and to which limit. */
export async function askBudget(
  interrupt: BudgetInterrupt,
  prompt: TerminalPrompt,
): Promise<PromptReply<BudgetAnswer>> {
  const { budget, measure, spent } = interrupt;
  const { terminal, reader, signal } = prompt;
  const limit = formatAmount(measure, budget[measure] ?? 0);
  terminal.err.write(
    `\nBudget used up: ${showHidden(budgetPhrase(budget))}, ${formatAmount(measure, spent[measure])} of ${limit}.\n`,
  );
  if (measure === 'dollars' && spent.unpriced > 0) {
    terminal.err.write(`Not included: ${formatAmount('calls', spent.unpriced)} of models with unknown prices.\n`);
  }
  const reply = await choose(
    'Raise the budget?',
    [
      { words: ['r', 'run'], shown: 'for this [r]un', answer: 'run' },
      { words: ['c', 'conversation'], shown: 'for this [c]onversation', answer: 'conversation' },
      { words: ['a', 'always'], shown: '[a]lways', answer: 'always' },
      { words: ['s', 'stop', 'n', 'no'], shown: '[s]top', answer: 'stop' },
    ] as const,
    prompt,
  );
  if (reply.kind !== 'answered') return reply;
  if (reply.answer === 'stop') return { kind: 'answered', answer: { decision: 'stop' } };
  const unit = measure === 'dollars' ? 'US dollars' : measure;
  for (;;) {
    const line = await reader.ask(`New limit in ${unit}, above ${spent[measure]}: `, signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'closed' : 'interrupted' };
    const value = Number(line.text.trim().replace(/^\$/, ''));
    const isWhole = measure === 'dollars' || Number.isInteger(value);
    if (Number.isFinite(value) && value > spent[measure] && isWhole) {
      return { kind: 'answered', answer: { decision: 'raise', limit: value, scope: reply.answer } };
    }
    terminal.err.write(
      `The limit must be ${measure === 'dollars' ? 'a number' : 'a whole number'} above ${spent[measure]}.\n`,
    );
  }
}
