import type { ElicitationAnswer, FormField, FormInterrupt, JsonObject, JsonValue } from '@toolyard/protocol';
import { asksForSecret, checkForm, formFaultText, readForm, showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';
import { choose } from './ask-user.ts';
import { printRequester } from './ask-server-question.ts';

/** Typed in the place of a value. */
const WAYS_OUT: Readonly<Record<string, ElicitationAnswer>> = {
  '/decline': { decision: 'decline' },
  '/cancel': { decision: 'cancel' },
};

type Filled = { kind: 'value'; value: JsonValue | undefined } | { kind: 'out'; reply: PromptReply<ElicitationAnswer> };

/** Has a form of a server filled in, field by field; each is asked again until it fits. */
export async function askForm(
  interrupt: FormInterrupt,
  asked: TerminalPrompt,
): Promise<PromptReply<ElicitationAnswer>> {
  const { err } = asked.terminal;
  const form = readForm(interrupt.requestedSchema);
  printRequester(interrupt, 'asks you', asked.terminal);
  err.write(`${showHidden(interrupt.message)}\n`);
  if ('problem' in form) {
    err.write(`The form cannot be shown: ${form.problem}.\n`);
    return { kind: 'said', answer: { decision: 'cancel' } };
  }
  err.write('What you fill in goes to this server.\n');
  if (asksForSecret(interrupt.message, form.fields))
    err.write('It seems to ask for a password or a key: no server may do that in a form. Do not give it.\n');
  err.write(
    'An empty line takes what stands in brackets, else it leaves the field out. /decline and /cancel end it.\n',
  );
  for (;;) {
    const content: JsonObject = {};
    for (const field of form.fields) {
      const filled = await askField(field, asked);
      if (filled.kind === 'out') return filled.reply;
      if (filled.value !== undefined) content[field.name] = filled.value;
    }
    err.write(`${showHidden(JSON.stringify(content, null, 2))}\n`);
    const reply = await choose(
      'Send it?',
      [
        { words: ['y', 'yes'], shown: '[y]es', answer: 'send' },
        { words: ['a', 'again'], shown: 'fill it in [a]gain', answer: 'again' },
        { words: ['d', 'decline', '/decline'], shown: '[d]ecline', answer: 'decline' },
        { words: ['c', 'cancel', '/cancel'], shown: '[c]ancel', answer: 'cancel' },
      ] as const,
      asked,
    );
    if (reply.kind !== 'said') return reply;
    if (reply.answer === 'send') return { kind: 'said', answer: { decision: 'accept', content } };
    if (reply.answer !== 'again') return { kind: 'said', answer: { decision: reply.answer } };
  }
}

async function askField(field: FormField, { reader, signal, terminal }: TerminalPrompt): Promise<Filled> {
  const { err } = terminal;
  if (field.description !== undefined) err.write(`${showHidden(field.description)}\n`);
  if ('options' in field) {
    for (const [at, { value, label }] of field.options.entries()) {
      const told = label === value ? showHidden(label) : `${showHidden(label)} (${showHidden(value)})`;
      err.write(`  ${at + 1}. ${told}\n`);
    }
  }
  for (;;) {
    const line = await reader.ask(promptOf(field), signal);
    if (line.kind !== 'line') return { kind: 'out', reply: { kind: line.kind === 'end' ? 'left' : 'interrupted' } };
    const text = line.text.trim();
    const out = WAYS_OUT[text];
    if (out) return { kind: 'out', reply: { kind: 'said', answer: out } };
    const value = text === '' ? field.default : valueOf(field, text);
    const [fault] = checkForm([field], value === undefined ? {} : { [field.name]: value });
    if (!fault) return { kind: 'value', value };
    err.write(`${showHidden(formFaultText(fault))}\n`);
  }
}

function promptOf(field: FormField): string {
  const kind = {
    text: 'format' in field && field.format !== undefined ? field.format : 'text',
    number: 'integer' in field && field.integer ? 'whole number' : 'number',
    boolean: 'yes or no',
    choice: 'a number or a value of the list',
    choices: 'numbers or values of the list, with commas',
  }[field.type];
  const needed = field.required ? ', needed' : '';
  const given = field.default === undefined ? '' : ` [${showHidden(String(field.default))}]`;
  return `${showHidden(field.label)} (${kind}${needed})${given}: `;
}

/** What was typed, as the field has it; what is none of it is left for the check to tell. */
function valueOf(field: FormField, text: string): JsonValue {
  switch (field.type) {
    case 'text':
      return text;
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return true;
      return /^(n|no|false)$/i.test(text) ? false : text;
    case 'choice':
      return optionOf(field, text);
    case 'choices':
      return text.split(',').map((one) => optionOf(field, one.trim()));
  }
}

/** A value or label before a number: an option may be called "2". */
function optionOf({ options }: Extract<FormField, { options: unknown }>, text: string): string {
  const named = options.find(({ value, label }) => value === text || label === text);
  return (named ?? options[/^\d+$/.test(text) ? Number(text) - 1 : -1])?.value ?? text;
}
