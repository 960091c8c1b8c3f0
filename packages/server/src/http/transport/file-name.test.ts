import { expect, test } from 'vitest';
import { createAttachmentHeader } from './file-name.ts';

test.each([
  ['', 'conversation.md'],
  ['../../etc/passwd', 'etc passwd.md'],
  ['..', 'conversation.md'],
  ['con', 'conversation.md'],
  ['.hidden', 'hidden.md'],
  ['a"; filename="b.exe', 'a ; filename= b.exe.md'],
  ['line\r\nSet-Cookie: a=b', 'line Set-Cookie a=b.md'],
  ['invoice\u202Excod.exe', 'invoice xcod.exe.md'],
  ['x'.repeat(300), `${'x'.repeat(80)}.md`],
])('saves %j as %j', (title, name) => {
  expect(createAttachmentHeader(title, 'md')).toMatch(/^attachment; filename="[^"\r\n]*"; filename\*=UTF-8''[^\s"]*$/);
  expect(/filename="([^"]*)"/.exec(createAttachmentHeader(title, 'md'))?.[1]).toBe(name);
});

test('keeps letters of every script, but no half of a surrogate pair', () => {
  expect(decodeURIComponent(createAttachmentHeader('東京 😀', 'md').split("UTF-8''")[1] ?? '')).toBe('東京 😀.md');
  expect(createAttachmentHeader('a\ud83d', 'md')).toContain("UTF-8''a%EF%BF%BD.md");
});
