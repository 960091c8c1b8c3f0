import type { ToolDefinition } from '@toolyard/protocol';
import type { ProviderError } from './provider-error.ts';

/** The list of tools in the path of a rejected field. Gemini has a list within a list. */
const LISTS = [/\bfunction_?declarations\W{1,2}(\d+)/gi, /\btools\W{1,2}(\d+)/gi];

/**
 * The tools that an error names: by their position in the request, by their quoted name, or by a name that cannot be
 * an ordinary word.
 */
export function namedTools(
  tools: readonly ToolDefinition[],
  { message, param }: Pick<ProviderError, 'message' | 'param'>,
): ToolDefinition[] {
  const text = `${param} ${message}`.slice(0, 4000);
  for (const list of LISTS) {
    const positions = new Set([...text.matchAll(list)].map(([, position]) => Number(position)));
    const found = tools.filter((_, at) => positions.has(at));
    if (found.length > 0) return found;
  }
  return tools.filter(({ name }) => {
    const escaped = name.replace(/[^\w]/g, '\\$&');
    const isWord = /^[a-z]+$/i.test(name);
    return new RegExp(isWord ? `["'\`“‘]${escaped}["'\`”’]` : `(?<![\\w-])${escaped}(?![\\w-])`).test(text);
  });
}
