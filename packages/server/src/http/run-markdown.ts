import type { RunExport, RunQuestion, RunStep } from '@toolyard/protocol';
import { conversationMarkdown } from './conversation-markdown.ts';

/** A run to be read by people: what it came to, a table of its steps, and what was said. */
export function runMarkdown(of: RunExport): string {
  const { run, items, messages } = of;
  const facts = [
    `- status: ${run.status}${of.error ? ` (${of.error.message})` : ''}`,
    `- began: ${moment(run.createdAt)}`,
    ...(run.endedAt === null ? [] : [`- ended: ${moment(run.endedAt)}`]),
    ...(of.waitedMs > 0 ? [`- waited for a person: ${seconds(of.waitedMs)}`] : []),
    `- tokens: ${of.usage.inputTokens ?? 'unknown'} in, ${of.usage.outputTokens ?? 'unknown'} out`,
    ...(of.cost === undefined ? [] : [`- cost: $${of.cost.toFixed(4)}`]),
  ];
  const table = ['| step | what | took |', '|---|---|---|', ...items.map(row)];
  return [`# Run ${run.id}`, facts.join('\n'), table.join('\n'), conversationMarkdown('What was said', messages)].join(
    '\n\n',
  );
}

function row(item: RunStep): string {
  const number = item.attempt === 1 ? `${item.step}` : `${item.step} (try ${item.attempt})`;
  const took = item.endedAt === null ? '' : seconds(item.endedAt - item.startedAt);
  return `| ${number} | ${cell(whatOf(item))} | ${took} |`;
}

function whatOf({ instruction, model, calls, questions, abandoned }: RunStep): string {
  const what = [
    ...(model ? [`asked ${model.model}: ${model.finishReason}`] : []),
    ...calls.map(({ name, result, editedArguments }) => {
      const came = result === null ? 'no answer yet' : result.isError ? `failed (${result.outcome})` : result.outcome;
      return `${name}${editedArguments ? ' (arguments changed by a person)' : ''}: ${came}`;
    }),
    ...questions.map(asked),
    ...(abandoned ? ['broke off with its process'] : []),
  ];
  return what.length === 0 ? instruction : what.join('; ');
}

function asked({ interrupt, status, answer }: RunQuestion): string {
  return `${interrupt.kind}: ${answer?.decision ?? status}`;
}

/** What a model or a server named must not end the cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function moment(at: number): string {
  return new Date(at).toISOString();
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
