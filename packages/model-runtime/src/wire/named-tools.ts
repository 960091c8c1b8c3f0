import type { ToolDefinition } from '@toolyard/protocol';
import type { ProviderFault } from './provider-error.ts';

/** The list of tools in the path of a rejected field. Gemini has a list within a list. */
const LISTS = [/\bfunction_?declarations\W{1,2}(\d+)/gi, /\btools\W{1,2}(\d+)/gi];

/**
 * The tools that an error names: by their position in the request, by their quoted name, or by a name that cannot be
 * an ordinary word.
 */
export function namedTools(
  tools: readonly ToolDefinition[],
  { message, param }: Pick<ProviderFault, 'message' | 'param'>,
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

/** The list of tools as a field: `tools`, `functions`, `tool_choice`, `toolConfig.tools.0`. */
const TOOL_FIELD = /^(tools?|functions)(?![a-z])|^tool(Choice|Config)\b/;

/** Tools in general: `tool calling`, `tool_use`, `function declarations`, `functions`. */
const ANY_TOOLS =
  /(?<![a-z])(tools?|functions)(?![a-z])|(?<![a-z])function[\W_]{0,2}(call|declaration|definition|schema|parameter)/i;

/** True if an error points at tools of the request: by name, by position, or by the field that contains them. */
export function pointsAtTools(tools: readonly ToolDefinition[], error: ProviderFault): boolean {
  return tools.length > 0 && (TOOL_FIELD.test(error.param) || namedTools(tools, error).length > 0);
}

/** True if an error of a request with tools mentions tools. */
export function isAboutTools(tools: readonly ToolDefinition[], error: ProviderFault): boolean {
  const { message, param, type, code } = error;
  const text = `${param} ${type} ${code} ${message}`.slice(0, 4000);
  return tools.length > 0 && (ANY_TOOLS.test(text) || pointsAtTools(tools, error));
}
