import { expect, test } from 'vitest';
import { summarize } from '../interrupts/list-interrupts.ts';
import { askedByNote, textCallNote } from './interrupt-notes.ts';

const CALL = { id: 'a', callId: 'c', tool: { serverId: 'mail', name: 'send' }, name: 'send', arguments: {} };

test('the list of interrupts says which program asks and how the model wrote the call', () => {
  const program = { kind: 'key', name: 'nightly\u200b' } as const;
  const textCall = { copiedFrom: { from: 'result', name: 'page' } } as const;
  expect(summarize({ ...CALL, kind: 'approval', askedBy: program, textCall })).toBe(
    'Asked by a program (key "nightly⟨U+200B⟩"). mail/send: {} (Written as text, copied from a tool result (page).)',
  );
  expect(summarize({ ...CALL, kind: 'sign_in' })).toBe('mail/send: requires a sign-in');
});

test.each([
  [{}, 'Written as text.'],
  [{ position: 'quote' }, 'Written as text, in a quote.'],
  [{ position: 'code' }, 'Written as text, in a code block.'],
  [{ byUser: true }, 'Written as text; you made it a call.'],
  [{ copiedFrom: { from: 'user' } }, 'Written as text, copied from a message.'],
] as const)('a call %j is described', (textCall, note) => {
  expect(textCallNote(textCall)).toBe(note);
});

test('an incoming webhook is named', () => {
  expect(askedByNote({ kind: 'trigger', name: 'GitHub' })).toBe('Asked by a program (incoming webhook "GitHub").');
});
