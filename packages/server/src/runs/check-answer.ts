import { checkScope } from '@toolyard/agent-runtime';
import { checkArguments } from '@toolyard/mcp-host';
import type {
  Interrupt,
  InterruptAnswer,
  SelectionInterrupt,
  ShownCall,
  AnyText,
  ToolyardError,
} from '@toolyard/protocol';
import {
  canonicalJson,
  checkForm,
  decisionsFor,
  checkRaisedLimit,
  formFaultText,
  readForm,
  say,
} from '@toolyard/protocol';
import { createConflictError, createInvalidError } from '../errors.ts';

/** @throws ToolyardError `bad_request` with the place, if the answer does not fit its interrupt */
export function checkAnswer(interrupt: Interrupt, answer: InterruptAnswer, shown: ShownCall = {}): void {
  checkShown(interrupt, shown);
  const fitting = decisionsFor(interrupt.kind);
  if (!fitting.includes(answer.decision)) {
    const takes = fitting.map((each) => `"${each}"`).join(', ');
    throw createInvalidAnswerError(
      `The decision "${answer.decision}" is not valid for this interrupt; expected ${takes}.`,
    );
  }
  if (interrupt.kind === 'approval' && answer.decision === 'approve' && answer.arguments !== undefined) {
    const fault = checkArguments(interrupt.inputSchema ?? {}, answer.arguments);
    if (fault !== null)
      throw createInvalidAnswerError(say`The edited arguments do not match the tool's schema: ${fault}`);
  }
  if (interrupt.kind === 'approval' && answer.decision === 'approve') {
    const fault = checkScope(interrupt, answer);
    if (fault !== null) throw createInvalidAnswerError(fault, 'Answer with the scope "once", or deny the call.');
  }
  if (interrupt.kind === 'budget' && answer.decision === 'raise') {
    const fault = checkRaisedLimit(interrupt, answer.limit);
    if (fault !== null) throw createInvalidAnswerError(fault);
  }
  if (interrupt.kind === 'elicitation' && answer.decision === 'accept') {
    if (interrupt.mode === 'url') {
      if (answer.content !== undefined) throw createInvalidAnswerError('A URL request accepts no form content.');
      return;
    }
    const form = readForm(interrupt.requestedSchema);
    const faults = 'fields' in form ? checkForm(form.fields, answer.content ?? {}) : [];
    if (faults.length > 0)
      throw createInvalidAnswerError(`The form has errors. ${faults.map(formFaultText).join(' ')}`);
  }
  if (interrupt.kind === 'prompt' && answer.decision === 'say' && answer.text.trim() === '') {
    throw createInvalidAnswerError('The answer is empty. Decline the question instead.');
  }
  if (interrupt.kind === 'selection' && answer.decision === 'choose') checkChoice(interrupt, answer.chosen);
  if (interrupt.kind === 'sampling' && answer.decision === 'allow' && answer.texts !== undefined) {
    const texts = interrupt.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'text').length;
    if (answer.texts.length !== texts)
      throw createInvalidAnswerError(`The messages have ${texts} texts (got ${answer.texts.length}).`);
  }
}

/** Rejects an answer to another state of the interrupt than the current one. */
function checkShown(interrupt: Interrupt, { arguments: args, definition }: ShownCall): void {
  const asked = 'arguments' in interrupt ? interrupt.arguments : undefined;
  if (args !== undefined && (asked === undefined || canonicalJson(args) !== canonicalJson(asked))) {
    throw createChangedInterruptError(
      say`This answer is for other arguments than those of the call: nothing was answered.`,
    );
  }
  const approved = interrupt.kind === 'approval' ? interrupt.definition : undefined;
  if (definition !== undefined && definition !== approved)
    throw createChangedInterruptError(say`This answer is for another definition of the tool: nothing was answered.`);
}

function createChangedInterruptError(message: AnyText): ToolyardError {
  return createConflictError(message, say`Read the interrupt again and answer its current state.`);
}

function checkChoice({ choices, multiple }: SelectionInterrupt, chosen: readonly string[]): void {
  const unknown = chosen.find((choice) => !choices.includes(choice));
  if (unknown !== undefined) throw createInvalidAnswerError(`"${unknown.slice(0, 100)}" is not one of the choices.`);
  if (new Set(chosen).size !== chosen.length) throw createInvalidAnswerError('A choice is listed twice.');
  if (!multiple && chosen.length !== 1)
    throw createInvalidAnswerError(`Exactly one choice is required (got ${chosen.length}).`);
}

function createInvalidAnswerError(message: AnyText, hint?: AnyText): ToolyardError {
  return createInvalidError(message, hint);
}
