import { checkScope } from '@toolyard/agent-runtime';
import { checkArguments } from '@toolyard/mcp-host';
import type { Interrupt, InterruptAnswer, SelectionInterrupt, ShownCall } from '@toolyard/protocol';
import {
  canonicalJson,
  checkForm,
  decisionsFor,
  defined,
  checkRaisedLimit,
  formFaultText,
  readForm,
  ToolyardError,
} from '@toolyard/protocol';

/** @throws ToolyardError `bad_request` for an answer that does not fit its question, saying where */
export function checkAnswer(interrupt: Interrupt, answer: InterruptAnswer, shown: ShownCall = {}): void {
  checkShown(interrupt, shown);
  const fitting = decisionsFor(interrupt.kind);
  if (!fitting.includes(answer.decision)) {
    const takes = fitting.map((each) => `"${each}"`).join(', ');
    throw misfit(`"${answer.decision}" is no answer to this question: it takes ${takes}.`);
  }
  if (interrupt.kind === 'approval' && answer.decision === 'approve' && answer.arguments !== undefined) {
    const fault = checkArguments(interrupt.inputSchema ?? {}, answer.arguments);
    if (fault !== null) throw misfit(`The changed arguments do not fit the tool: ${fault}`);
  }
  if (interrupt.kind === 'approval' && answer.decision === 'approve') {
    const fault = checkScope(interrupt, answer);
    if (fault !== null) throw misfit(fault, 'Answer with the scope "once", or refuse the call.');
  }
  if (interrupt.kind === 'budget' && answer.decision === 'raise') {
    const fault = checkRaisedLimit(interrupt, answer.limit);
    if (fault !== null) throw misfit(fault);
  }
  if (interrupt.kind === 'elicitation' && answer.decision === 'accept') {
    if (interrupt.mode === 'url') {
      if (answer.content !== undefined) throw misfit('An address is opened or not: nothing is filled in.');
      return;
    }
    const form = readForm(interrupt.requestedSchema);
    const faults = 'fields' in form ? checkForm(form.fields, answer.content ?? {}) : [];
    if (faults.length > 0) throw misfit(`The form is not filled in rightly. ${faults.map(formFaultText).join(' ')}`);
  }
  if (interrupt.kind === 'prompt' && answer.decision === 'say' && answer.text.trim() === '') {
    throw misfit('There is nothing in the answer. Whoever does not want to say declines.');
  }
  if (interrupt.kind === 'selection' && answer.decision === 'choose') checkChoice(interrupt, answer.chosen);
  if (interrupt.kind === 'sampling' && answer.decision === 'allow' && answer.texts !== undefined) {
    const texts = interrupt.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'text').length;
    if (answer.texts.length !== texts) throw misfit(`The messages have ${texts} texts, not ${answer.texts.length}.`);
  }
}

/** Whoever saw something else than what is asked has not answered this question. */
function checkShown(interrupt: Interrupt, { arguments: args, definition }: ShownCall): void {
  const asked = 'arguments' in interrupt ? interrupt.arguments : undefined;
  if (args !== undefined && (asked === undefined || canonicalJson(args) !== canonicalJson(asked))) {
    throw otherThanAsked('for other arguments than those of the call');
  }
  const approved = interrupt.kind === 'approval' ? interrupt.definition : undefined;
  if (definition !== undefined && definition !== approved) throw otherThanAsked('for another form of the tool');
}

function otherThanAsked(what: string): ToolyardError {
  return new ToolyardError({
    code: 'conflict',
    message: `This answer is ${what}: nothing was answered.`,
    hint: 'Look at the question again, and answer what stands there now.',
  });
}

function checkChoice({ choices, multiple }: SelectionInterrupt, chosen: readonly string[]): void {
  const unknown = chosen.find((choice) => !choices.includes(choice));
  if (unknown !== undefined) throw misfit(`"${unknown.slice(0, 100)}" is none of the choices.`);
  if (new Set(chosen).size !== chosen.length) throw misfit('A choice can be made once.');
  if (!multiple && chosen.length !== 1) throw misfit(`One choice is wanted, not ${chosen.length}.`);
}

function misfit(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message, ...defined({ hint }) });
}
