import type { PromptAnswer, PromptInterrupt, SelectionAnswer, SelectionInterrupt } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';

/** Asks what the model wants to know, in the person's own words. */
export async function askPrompt(
  { question }: PromptInterrupt,
  { terminal, reader, signal }: TerminalPrompt,
): Promise<PromptReply<PromptAnswer>> {
  terminal.err.write(`\nThe model asks:\n${showHidden(question)}\n`);
  const line = await reader.ask('Your answer (empty: rather not say): ', signal);
  if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'left' : 'interrupted' };
  const text = line.text.trim();
  return { kind: 'said', answer: text === '' ? { decision: 'decline' } : { decision: 'say', text } };
}

/** Asks for one of the choices, or several, by their numbers. */
export async function askSelection(
  { question, choices, multiple }: SelectionInterrupt,
  { terminal, reader, signal }: TerminalPrompt,
): Promise<PromptReply<SelectionAnswer>> {
  terminal.err.write(`\nThe model asks:\n${showHidden(question)}\n`);
  choices.forEach((choice, index) => terminal.err.write(`  ${index + 1}  ${showHidden(choice)}\n`));
  const wanted = multiple ? 'Numbers, with spaces between them' : 'Number';
  for (;;) {
    const line = await reader.ask(`${wanted} (empty: rather not say): `, signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'left' : 'interrupted' };
    const words = line.text.split(/[\s,]+/).filter((word) => word !== '');
    if (words.length === 0) return { kind: 'said', answer: { decision: 'decline' } };
    const chosen = [...new Set(words.map((word) => (/^\d+$/.test(word) ? choices[Number(word) - 1] : undefined)))];
    const known = chosen.filter((choice) => choice !== undefined);
    if (known.length === chosen.length && (multiple || known.length === 1)) {
      return { kind: 'said', answer: { decision: 'choose', chosen: known } };
    }
  }
}
