import { describe, expect, it } from 'vitest';
import { interrupts as english } from './en/interrupts.ts';
import type { MessageText } from './message.ts';
import { interrupts as simplified } from './zh-Hans/interrupts.ts';
import { interrupts as traditional } from './zh-Hant/interrupts.ts';

/** The types check that every text exists. */
describe.each<[string, Readonly<Record<string, MessageText>>]>([
  ['zh-Hant', traditional],
  ['zh-Hans', simplified],
])('texts of interrupts in %s', (_locale, texts) => {
  it.each(Object.entries<MessageText>(english))('%s is translated with the same placeholders', (key, text) => {
    const valuesIn = (one: MessageText | undefined): string[] =>
      whole(one)
        .match(/\{\w+\}/g)
        ?.sort() ?? [];
    expect(valuesIn(texts[key])).toEqual(valuesIn(text));
    if (/[a-z]{3,} [a-z]{2,}/i.test(whole(text))) expect(texts[key]).not.toEqual(text);
  });
});

function whole(text: MessageText | undefined): string {
  return typeof text === 'string' ? text : (text?.other ?? '');
}
