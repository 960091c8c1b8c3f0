import type { MediaType, RunJournal } from '@toolyard/protocol';

const TEXTS: Readonly<Record<MediaType, (model: string) => string>> = {
  image: (model) => `${model} does not accept images, so they were left out.`,
  audio: (model) => `${model} does not accept audio, so it was left out.`,
};

/** Whatever a request leaves out of the user's message, a notice says so: the answer may not. */
export function noticeLeftOut(types: readonly MediaType[], model: string, journal: RunJournal): void {
  for (const type of types) {
    journal.append({ type: 'notice', level: 'warning', code: 'attachment_left_out', text: TEXTS[type](model) });
  }
}
