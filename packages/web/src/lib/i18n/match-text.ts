/** A sentence that was recognized: its key, and the values of its placeholders. */
export type MatchedText = { key: string; values: Readonly<Record<string, string>> };

type Template = { key: string; pattern: RegExp; literals: readonly string[]; length: number };

/**
 * Recognizes sentences by their English text, as gettext does. If several templates match, the one with the most
 * literal characters wins: it says more about the sentence.
 *
 * @param texts English sentences by key, with placeholders `{name}`
 */
export function createTextMatcher(texts: Readonly<Record<string, string>>): (text: string) => MatchedText | undefined {
  const fixed = new Map<string, string>();
  const templates: Template[] = [];
  for (const [key, text] of Object.entries(texts)) {
    const literals = text.split(/\{\w+\}/);
    if (literals.length === 1) fixed.set(text, key);
    else templates.push({ key, pattern: patternOf(text), literals, length: literals.join('').length });
  }
  templates.sort((a, b) => b.length - a.length);

  return (text) => {
    const key = fixed.get(text);
    if (key !== undefined) return { key, values: {} };
    for (const { key: candidate, pattern, literals } of templates) {
      if (!literals.every((literal) => text.includes(literal))) continue;
      const match = pattern.exec(text);
      if (match !== null) return { key: candidate, values: { ...match.groups } };
    }
    return undefined;
  };
}

function patternOf(text: string): RegExp {
  const source = text.replaceAll(/[.*+?^$()|[\]\\/]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, '(?<$1>.+?)');
  return new RegExp(`^${source}$`, 's');
}
