import { reply } from '@toolyard/testing';

/** An answer streamed in chunks; `held` delays its second half. */
export function slowly(words: number, held?: Promise<unknown>): ReturnType<typeof reply.text> {
  const text = Array.from({ length: words }, (_none, at) => `word${at}`).join(' ');
  return reply.text(`${text} end.`, {
    pieces: 8,
    delayMs: 10,
    ...(held === undefined ? {} : { hold: { until: held } }),
  });
}

export const NEVER = new Promise<never>(() => {});
