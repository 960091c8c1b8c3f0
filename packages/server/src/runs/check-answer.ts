import type { Interrupt, InterruptAnswer } from '@toolyard/protocol';
import { amountOf, checkForm, decisionsFor, formFaultText, readForm, ToolyardError } from '@toolyard/protocol';

/** @throws ToolyardError `bad_request` for an answer that does not fit its question, saying where */
export function checkAnswer(interrupt: Interrupt, answer: InterruptAnswer): void {
  const fitting = decisionsFor(interrupt.kind);
  if (!fitting.includes(answer.decision)) {
    const takes = fitting.map((each) => `"${each}"`).join(', ');
    throw misfit(`"${answer.decision}" is no answer to this question: it takes ${takes}.`);
  }
  if (interrupt.kind === 'budget' && answer.decision === 'raise') {
    const { measure, spent } = interrupt;
    if (answer.limit <= spent[measure]) {
      throw misfit(`The new limit must be above what is spent already, ${amountOf(measure, spent[measure])}.`);
    }
    if (measure !== 'dollars' && !Number.isInteger(answer.limit))
      throw misfit(`A limit of ${measure} is a whole number.`);
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
  if (interrupt.kind === 'sampling' && answer.decision === 'allow' && answer.texts !== undefined) {
    const texts = interrupt.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'text').length;
    if (answer.texts.length !== texts) throw misfit(`The messages have ${texts} texts, not ${answer.texts.length}.`);
  }
}

function misfit(message: string): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message });
}
