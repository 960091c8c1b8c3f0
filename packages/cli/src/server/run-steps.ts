import type { RunCall, RunQuestion, RunStep } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printLine, printJson } from '../mcp/output.ts';
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
  for (const step of steps.items) sayStep(io, step);
  const { inputTokens, outputTokens } = steps.usage;
  const facts = [
    steps.run.status,
    ...(inputTokens === undefined ? [] : [`${inputTokens} tokens in`]),
    ...(outputTokens === undefined ? [] : [`${outputTokens} out`]),
    ...(steps.cost === undefined ? [] : [`$${steps.cost.toFixed(4)}`]),
    ...(steps.waitedMs > 0 ? [`waited ${seconds(steps.waitedMs)} for a person`] : []),
  ];
  printLine(io, facts.join(', '));
  if (steps.error) printLine(io, plainLine(steps.error.message, 500));
}

function sayStep(
  io: CommandIo,
  { step, attempt, instruction, startedAt, endedAt, abandoned, model, calls, questions }: RunStep,
): void {
  const which = attempt === 1 ? `${step}` : `${step}, try ${attempt}`;
  const took = endedAt === null ? 'under way' : seconds(endedAt - startedAt);
  printLine(io, `${which}  ${instruction}  ${took}${abandoned ? '  (broke off with its process)' : ''}`);
  if (model) {
    const { usage } = model;
    const tokens = usage ? `, ${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out` : '';
    printLine(
      io,
      `    ${plainLine(model.model)}: ${model.error ? plainLine(model.error.message) : model.finishReason}${tokens}`,
    );
  }
  for (const call of calls) printLine(io, `    ${callLine(call)}`);
  for (const question of questions) printLine(io, `    ${questionLine(question)}`);
}

function callLine({ name, arguments: args, editedArguments, result }: RunCall): string {
  const given = shownLine(JSON.stringify(editedArguments ?? args));
  const by = editedArguments ? ' (as a person wrote them)' : '';
  const came = result === null ? 'no answer yet' : result.isError ? `failed, ${result.outcome}` : result.outcome;
  return `${shownLine(name)} ${given}${by}: ${came}`;
}

function questionLine({ interrupt, status, answer }: RunQuestion): string {
  return `asked: ${interrupt.kind}, ${answer?.decision ?? status}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
