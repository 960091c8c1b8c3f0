import type { RunExport, RunInterrupt, RunStep } from '@toolyard/protocol';
import { conversationMarkdown } from './conversation-markdown.ts';

/** A run as Markdown: its result, a table of its steps, and the messages. */
export function runMarkdown(of: RunExport): string {
  const { run, items, messages } = of;
  const details = [
    `- status: ${run.status}${of.error ? ` (${of.error.message})` : ''}`,
    `- started: ${moment(run.createdAt)}`,
    ...(run.endedAt === null ? [] : [`- ended: ${moment(run.endedAt)}`]),
    ...(of.waitedMs > 0 ? [`- waited for the user: ${seconds(of.waitedMs)}`] : []),
    `- tokens: ${of.usage.inputTokens ?? 'unknown'} in, ${of.usage.outputTokens ?? 'unknown'} out`,
    ...(of.cost === undefined ? [] : [`- cost: $${of.cost.toFixed(4)}`]),
  ];
  const table = ['| step | action | duration |', '|---|---|---|', ...items.map(row)];
  return [`# Run ${run.id}`, details.join('\n'), table.join('\n'), conversationMarkdown('Messages', messages)].join(
    '\n\n',
  );
}

function row(item: RunStep): string {
  const number = item.attempt === 1 ? `${item.step}` : `${item.step} (attempt ${item.attempt})`;
  const took = item.endedAt === null ? '' : seconds(item.endedAt - item.startedAt);
  return `| ${number} | ${cell(describeStep(item))} | ${took} |`;
}

function describeStep({ instruction, model, calls, questions, abandoned }: RunStep): string {
  const what = [
    ...(model ? [`model ${model.model}: ${model.finishReason}`] : []),
    ...calls.map(({ name, result, editedArguments }) => {
      const outcome =
        result === null ? 'no result yet' : result.isError ? `failed (${result.outcome})` : result.outcome;
      return `${name}${editedArguments ? ' (arguments edited by the user)' : ''}: ${outcome}`;
    }),
    ...questions.map(asked),
    ...(abandoned ? ['interrupted: its process ended'] : []),
  ];
  return what.length === 0 ? instruction : what.join('; ');
}

function asked({ interrupt, status, answer }: RunInterrupt): string {
  return `${interrupt.kind}: ${answer?.decision ?? status}`;
}

/** Escapes text of models and servers so that it cannot end the table cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function moment(at: number): string {
  return new Date(at).toISOString();
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
