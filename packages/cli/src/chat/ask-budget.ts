import type { BudgetAnswer, BudgetInterrupt } from '@toolyard/protocol';
import { formatAmount, budgetPhrase, showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';
import { choose } from './ask-user.ts';

/** Asks whether to go on past a budget, and how far. */
export async function askBudget(interrupt: BudgetInterrupt, asked: TerminalPrompt): Promise<PromptReply<BudgetAnswer>> {
  const { budget, measure, spent } = interrupt;
  const { terminal, reader, signal } = asked;
  const limit = formatAmount(measure, budget[measure] ?? 0);
  terminal.err.write(
    `\nUsed up: ${showHidden(budgetPhrase(budget))}, ${formatAmount(measure, spent[measure])} of ${limit}.\n`,
  );
  if (measure === 'dollars' && spent.unpriced > 0) {
    terminal.err.write(`Not counted: ${formatAmount('calls', spent.unpriced)} of a model whose price is not known.\n`);
  }
  const reply = await choose(
    'Go on?',
    [
      { words: ['r', 'run'], shown: '[r]aise it for this run', answer: 'run' },
      { words: ['c', 'conversation'], shown: 'for this [c]onversation', answer: 'conversation' },
      { words: ['a', 'always'], shown: '[a]lways', answer: 'always' },
      { words: ['s', 'stop', 'n', 'no'], shown: '[s]top', answer: 'stop' },
    ] as const,
    asked,
  );
  if (reply.kind !== 'said') return reply;
  if (reply.answer === 'stop') return { kind: 'said', answer: { decision: 'stop' } };
  const unit = measure === 'dollars' ? 'US dollars' : measure;
  for (;;) {
    const line = await reader.ask(`The new limit in ${unit}, above ${spent[measure]}: `, signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'left' : 'interrupted' };
    const raised = Number(line.text.trim().replace(/^\$/, ''));
    const isWhole = measure === 'dollars' || Number.isInteger(raised);
    if (Number.isFinite(raised) && raised > spent[measure] && isWhole) {
      return { kind: 'said', answer: { decision: 'raise', limit: raised, scope: reply.answer } };
    }
    terminal.err.write('That is no limit above what is spent.\n');
  }
}
