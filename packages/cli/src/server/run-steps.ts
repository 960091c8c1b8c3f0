import type { RunCall, RunInterrupt, RunStep } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printLine, printJson } from '../output.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import type { ServerClient } from './server-client.ts';

/** `toolyard runs steps`. */
export async function showSteps(
  io: CommandIo,
  client: ServerClient,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const steps = await client.get('/api/runs/{id}/steps', { params: { id } });
  if (options.json === true) return printJson(io, steps);
  for (const step of steps.items) printStep(io, step);
  const { inputTokens, outputTokens } = steps.usage;
  const details = [
    steps.run.status,
    ...(inputTokens === undefined ? [] : [`${inputTokens} input tokens`]),
    ...(outputTokens === undefined ? [] : [`${outputTokens} output tokens`]),
    ...(steps.cost === undefined ? [] : [`$${steps.cost.toFixed(4)}`]),
    ...(steps.waitedMs > 0 ? [`waited ${seconds(steps.waitedMs)} for you`] : []),
  ];
  printLine(io, details.join(', '));
  if (steps.error) printLine(io, plainLine(steps.error.message, 500));
}

function printStep(
  io: CommandIo,
  { step, attempt, instruction, startedAt, endedAt, abandoned, model, calls, questions: interrupts }: RunStep,
): void {
  const label = attempt === 1 ? `${step}` : `${step}, attempt ${attempt}`;
  const duration = endedAt === null ? 'in progress' : seconds(endedAt - startedAt);
  printLine(io, `${label}  ${instruction}  ${duration}${abandoned ? '  (abandoned: its process exited)' : ''}`);
  if (model) {
    const { usage } = model;
    const tokens = usage
      ? `, ${usage.inputTokens ?? '?'} input tokens, ${usage.outputTokens ?? '?'} output tokens`
      : '';
    printLine(
      io,
      `    ${plainLine(model.model)}: ${model.error ? plainLine(model.error.message) : model.finishReason}${tokens}`,
    );
  }
  for (const call of calls) printLine(io, `    ${callLine(call)}`);
  for (const interrupt of interrupts) printLine(io, `    ${interruptLine(interrupt)}`);
}

function callLine({ name, arguments: args, editedArguments, result }: RunCall): string {
  const shownArguments = shownLine(JSON.stringify(editedArguments ?? args));
  const note = editedArguments ? ' (edited by a user)' : '';
  const outcome = result === null ? 'no result yet' : result.isError ? `failed, ${result.outcome}` : result.outcome;
  return `${shownLine(name)} ${shownArguments}${note}: ${outcome}`;
}

function interruptLine({ interrupt, status, answer }: RunInterrupt): string {
  return `asked: ${interrupt.kind}, ${answer?.decision ?? status}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
