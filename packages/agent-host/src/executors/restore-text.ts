import type { AssistantPart } from '@toolyard/protocol';

/** A passage that was taken out of the text of an answer: `at` characters of text are before it. */
export type RemovedPassage = { at: number; raw: string };

/** The parts with the passages where the model wrote them. */
export function restoreText(parts: readonly AssistantPart[], removed: readonly RemovedPassage[]): AssistantPart[] {
  if (removed.length === 0) return [...parts];
  const restored = parts.map((part) => ({ ...part }));
  // From the end, so that earlier positions stay valid.
  for (const { at, raw } of removed.toReversed()) {
    let before = 0;
    const part = restored.find((each): each is Extract<AssistantPart, { type: 'text' }> => {
      if (each.type !== 'text') return false;
      if (at <= before + each.text.length) return true;
      before += each.text.length;
      return false;
    });
    if (part) part.text = part.text.slice(0, at - before) + raw + part.text.slice(at - before);
    else restored.push({ type: 'text', text: raw.trimStart() });
  }
  return restored;
}
