import type { BudgetMeasure, UsageBy, UsageSum } from '@toolyard/protocol';
import { formatAmount, budgetPhrase, pathOf } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printJson, printTable } from '../output.ts';
import type { ServerClient } from './server-client.ts';

export type UsageFlags = { by: UsageBy; from?: string; to?: string; json?: boolean; csv?: boolean };

/** `toolyard usage`. */
export async function usageCommand(
  io: CommandIo,
  client: ServerClient,
  { by, from, to, json, csv }: UsageFlags,
): Promise<void> {
  const query = { by, ...(from ? { from } : {}), ...(to ? { to } : {}) };
  if (csv) {
    const answer = await client.open(pathOf('/api/usage', { query: { ...query, format: 'csv' } }));
    return void io.stdout.write(await answer.text());
  }
  const report = await client.get('/api/usage', { query });
  if (json) return printJson(io, report);
  const headings = [by, 'model calls', 'tool calls', 'failed', 'input tokens', 'output tokens', 'cost'];
  const rows = report.rows.map((row) => [getName(by, row), ...cells(row)]);
  printTable(io, [headings, ...rows, ['total', ...cells(report.total)]]);
  if (report.rows.length === 0) io.stderr.write(`No usage from ${report.from} to ${report.to}.\n`);
}

function getName(by: UsageBy, { key, label }: { key: string; label: string }): string {
  if (key === '') return by === 'agent' ? '(no agent)' : '(no conversation)';
  return label === '' ? `${key} (deleted)` : label;
}

function cells(sum: UsageSum): string[] {
  const { modelCalls, toolCalls, failures, usage } = sum;
  return [
    String(modelCalls),
    String(toolCalls),
    String(failures),
    tokens(usage.inputTokens, sum),
    tokens(usage.outputTokens, sum),
    costText(sum),
  ];
}

/** Tokens, with `?` for requests whose provider reported no usage. */
function tokens(known: number | undefined, { modelCalls, uncounted }: UsageSum): string {
  if (modelCalls === 0) return '-';
  if (known === undefined) return '?';
  return uncounted > 0 ? `${known} + ?` : String(known);
}

function costText({ modelCalls, cost, unpriced }: UsageSum): string {
  if (modelCalls === 0) return '-';
  if (cost === null) return 'unknown';
  const amount = formatAmount('dollars', cost);
  return unpriced > 0 ? `${amount} + unknown of ${formatAmount('calls', unpriced)}` : amount;
}

const MEASURES: readonly BudgetMeasure[] = ['dollars', 'tokens', 'calls'];

/** `toolyard usage budgets`. */
export async function budgetsCommand(
  io: CommandIo,
  client: ServerClient,
  { conversation, json }: { conversation?: string; json?: boolean },
): Promise<void> {
  const { items } = await client.get('/api/usage/budgets', { query: { conversation } });
  if (json) return printJson(io, items);
  const rows = items.flatMap(({ budget, spent }) =>
    MEASURES.flatMap((measure) => {
      const limit = budget[measure];
      if (limit === undefined) return [];
      const isCounted = budget.of !== 'turn' && budget.of !== 'run';
      const used = isCounted ? `${formatAmount(measure, spent[measure])} of ` : '';
      return [[budgetPhrase(budget), `${used}${formatAmount(measure, limit)}`]];
    }),
  );
  printTable(io, rows);
  if (rows.length === 0) io.stderr.write('No budgets.\n');
}
