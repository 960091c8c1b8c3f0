import type { MediaType, RunJournal, TranslatableText } from '@toolyard/protocol';
import { say, withTemplates } from '@toolyard/protocol';

const TEXTS: Readonly<Record<MediaType, (model: string) => TranslatableText>> = {
  image: (model) => say`${model} does not accept images, so they were left out.`,
  audio: (model) => say`${model} does not accept audio, so it was left out.`,
};

/** Whatever a request leaves out of the user's message, a notice says so: the answer may not. */
export function noticeLeftOut(types: readonly MediaType[], model: string, journal: RunJournal): void {
  for (const type of types) {
    const text = TEXTS[type](model);
    journal.append(withTemplates({ type: 'notice', level: 'warning', code: 'attachment_left_out', text }));
  }
}
