import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';

/** Ninety words: a held answer cannot arrive in full by chance. */
const LONG = Array.from({ length: 90 }, (_, index) => `word${String(index)}`).join(' ');
const BEGINNING = 'word3 ';
/** The last word of a held answer. */
export const END = 'word89';

type HeldAnswer = { script: () => ModelReply; release: () => void; beginning: RegExp; end: RegExp; whole: string };

/** An answer that pauses after its beginning until it is released. */
export function holdAnswer(title = ''): HeldAnswer {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  return {
    script: () => reply.text(`${title} ${LONG}`, { pieces: 7, hold: { behind: 12, until } }),
    release,
    beginning: new RegExp(`${title}.*${BEGINNING}`),
    end: new RegExp(`${title}.*${END}`),
    whole: `${title} ${LONG}`,
  };
}

/** The body of a request in OpenAI's format. */
export type Messages = { messages: { role: string; content: unknown }[] };

/** The text of the last message of the user, as JSON. */
export function asked(body: unknown): string {
  return JSON.stringify((body as Messages).messages.findLast(({ role }) => role === 'user')?.content);
}
