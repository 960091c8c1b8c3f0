import type { PromptAnswer, PromptInterrupt, SelectionAnswer, SelectionInterrupt } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';

/** Prompts for a text answer to the model. */
export async function askPrompt(
  { question }: PromptInterrupt,
  { terminal, reader, signal }: TerminalPrompt,
): Promise<PromptReply<PromptAnswer>> {
  terminal.err.write(`\nThe model asks:\n${showHidden(question)}\n`);
  const line = await reader.ask('Your answer (empty to decline): ', signal);
  if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'closed' : 'interrupted' };
  const text = line.text.trim();
  return { kind: 'answered', answer: text === '' ? { decision: 'decline' } : { decision: 'say', text } };
}

/** Prompts for one or more of the choices, by number. */
export async function askSelection(
  { question, choices, multiple }: SelectionInterrupt,
  { terminal, reader, signal }: TerminalPrompt,
): Promise<PromptReply<SelectionAnswer>> {
  terminal.err.write(`\nThe model asks:\n${showHidden(question)}\n`);
  choices.forEach((choice, index) => terminal.err.write(`  ${index + 1}  ${showHidden(choice)}\n`));
  const label = multiple ? 'Numbers, separated by spaces' : 'Number';
  for (;;) {
    const line = await reader.ask(`${label} (empty to decline): `, signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'closed' : 'interrupted' };
    const words = line.text.split(/[\s,]+/).filter((word) => word !== '');
    if (words.length === 0) return { kind: 'answered', answer: { decision: 'decline' } };
    const chosen = [...new Set(words.map((word) => (/^\d+$/.test(word) ? choices[Number(word) - 1] : undefined)))];
    const known = chosen.filter((choice) => choice !== undefined);
    if (known.length === chosen.length && (multiple || known.length === 1)) {
      return { kind: 'answered', answer: { decision: 'choose', chosen: known } };
    }
  }
}
