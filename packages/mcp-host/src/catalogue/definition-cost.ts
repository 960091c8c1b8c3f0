import type { ToolDefinition } from '@toolyard/protocol';

/**
 * Estimates how many input tokens the definition of a tool adds to every request: four ASCII characters, or one other
 * character, per token. Providers differ by some tenths.
 *
 * @example
 * const tokens = host.tools().reduce((sum, tool) => sum + definitionTokens(tool), 0);
 */
export function definitionTokens({
  name,
  description,
  inputSchema,
}: Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'>): number {
  return textTokens(JSON.stringify({ name, description, parameters: inputSchema }));
}

function textTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < 128 ? 1 : 4;
  return Math.ceil(quarters / 4);
}
