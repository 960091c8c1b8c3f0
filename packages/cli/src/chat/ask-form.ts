import type { ElicitationAnswer, FormField, FormInterrupt, JsonObject, JsonValue } from '@toolyard/protocol';
import { asksForSecret, checkForm, formFaultText, readForm, showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';
import { choose } from './ask-user.ts';
import { printRequester } from './ask-server-interrupt.ts';

/** Accepted instead of a value. */
const FORM_COMMANDS: Readonly<Record<string, ElicitationAnswer>> = {
  '/decline': { decision: 'decline' },
  '/cancel': { decision: 'cancel' },
};

type FieldResult =
  | { kind: 'value'; value: JsonValue | undefined }
  | { kind: 'reply'; reply: PromptReply<ElicitationAnswer> };

/** Prompts for a form of a server, field by field; repeats a field until its value is valid. */
export async function askForm(
  interrupt: FormInterrupt,
  prompt: TerminalPrompt,
): Promise<PromptReply<ElicitationAnswer>> {
  const { err } = prompt.terminal;
  const form = readForm(interrupt.requestedSchema);
  printRequester(interrupt, 'requests information from you', prompt.terminal);
  err.write(`${showHidden(interrupt.message)}\n`);
  if ('problem' in form) {
    err.write(`Unsupported form: ${form.problem}.\n`);
    return { kind: 'answered', answer: { decision: 'cancel' } };
  }
  err.write('Your answers are sent to this server.\n');
  if (asksForSecret(interrupt.message, form.fields))
    err.write(
      'This looks like a password or key, which MCP does not allow. The server above will receive it: do not enter one.\n',
    );
  err.write('Press Enter for the default in brackets, or to skip the field. /decline and /cancel end the form.\n');
  for (;;) {
    const content: JsonObject = {};
    for (const field of form.fields) {
      const result = await askField(field, prompt);
      if (result.kind === 'reply') return result.reply;
      if (result.value !== undefined) content[field.name] = result.value;
    }
    err.write(`${showHidden(JSON.stringify(content, null, 2))}\n`);
    const reply = await choose(
      'Send it?',
      [
        { words: ['y', 'yes'], shown: '[y]es', answer: 'send' },
        { words: ['a', 'again'], shown: 'edit [a]gain', answer: 'again' },
        { words: ['d', 'decline', '/decline'], shown: '[d]ecline', answer: 'decline' },
        { words: ['c', 'cancel', '/cancel'], shown: '[c]ancel', answer: 'cancel' },
      ] as const,
      prompt,
    );
    if (reply.kind !== 'answered') return reply;
    if (reply.answer === 'send') return { kind: 'answered', answer: { decision: 'accept', content } };
    if (reply.answer !== 'again') return { kind: 'answered', answer: { decision: reply.answer } };
  }
}

async function askField(field: FormField, { reader, signal, terminal }: TerminalPrompt): Promise<FieldResult> {
  const { err } = terminal;
  if (field.description !== undefined) err.write(`${showHidden(field.description)}\n`);
  if ('options' in field) {
    for (const [at, { value, label }] of field.options.entries()) {
      const shown = label === value ? showHidden(label) : `${showHidden(label)} (${showHidden(value)})`;
      err.write(`  ${at + 1}. ${shown}\n`);
    }
  }
  for (;;) {
    const line = await reader.ask(formatPrompt(field), signal);
    if (line.kind !== 'line') return { kind: 'reply', reply: { kind: line.kind === 'end' ? 'closed' : 'interrupted' } };
    const text = line.text.trim();
    const answer = FORM_COMMANDS[text];
    if (answer) return { kind: 'reply', reply: { kind: 'answered', answer } };
    const value = text === '' ? field.default : readValue(field, text);
    const [fault] = checkForm([field], value === undefined ? {} : { [field.name]: value });
    if (!fault) return { kind: 'value', value };
    err.write(`${showHidden(formFaultText(fault))}\n`);
  }
}

function formatPrompt(field: FormField): string {
  const kind = {
    text: 'format' in field && field.format !== undefined ? field.format : 'text',
    number: 'integer' in field && field.integer ? 'whole number' : 'number',
    boolean: 'yes or no',
    choice: 'number or value from the list',
    choices: 'comma-separated numbers or values from the list',
  }[field.type];
  const required = field.required ? ', required' : '';
  const initial = field.default === undefined ? '' : ` [${showHidden(String(field.default))}]`;
  return `${showHidden(field.label)} (${kind}${required})${initial}: `;
}

/** Converts text to the type of the field. Invalid text stays a string, which `checkForm` rejects. */
function readValue(field: FormField, text: string): JsonValue {
  switch (field.type) {
    case 'text':
      return text;
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return true;
      return /^(n|no|false)$/i.test(text) ? false : text;
    case 'choice':
      return readOption(field, text);
    case 'choices':
      return text.split(',').map((one) => readOption(field, one.trim()));
  }
}

/** Values and labels take precedence over list numbers: an option may be named "2". */
function readOption({ options }: Extract<FormField, { options: unknown }>, text: string): string {
  const named = options.find(({ value, label }) => value === text || label === text);
  return (named ?? options[/^\d+$/.test(text) ? Number(text) - 1 : -1])?.value ?? text;
}
