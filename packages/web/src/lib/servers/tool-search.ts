import type { McpToolView } from '@toolyard/protocol';

/** Whether name or description of a tool contain every word of a search. */
export function toolMatches(
  { tool, title = '', description = '' }: Pick<McpToolView, 'tool' | 'title' | 'description'>,
  query: string,
): boolean {
  const text = `${tool.name} ${title} ${description}`.toLowerCase();
  return splitWords(query).every((word) => text.includes(word));
}

export function splitWords(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
