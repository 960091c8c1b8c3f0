import type { ToolDefinition } from '@toolyard/protocol';

/**
 * What the definition of a tool costs in every request it is part of, in tokens, by an estimate: four ASCII
 * characters, or one other, to a token. Providers count differently, by some tenths.
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
