import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { McpBehaviour, ScriptedTool } from './behaviour.ts';

/** The result of `tools/list` for a cursor, in the pages of the behaviour. Cursors are numbers as strings. */
export function listTools(
  behaviour: McpBehaviour,
  tools: readonly ScriptedTool[],
  cursor: JsonValue | undefined,
): JsonObject {
  const all: JsonValue[] = [...tools.map(toDefinition), ...(behaviour.rawTools ?? [])];
  const page = typeof cursor === 'string' ? Number(cursor) : 0;
  const { pages } = behaviour;
  if (pages === undefined) return { tools: all };
  if (pages === 'looping') return { tools: all, nextCursor: '0' };
  if (pages === 'endless') {
    const filler = { name: `page-${page}`, inputSchema: { type: 'object' } };
    return { tools: page === 0 ? all : [filler], nextCursor: String(page + 1) };
  }
  const slice = all.slice(page * pages.size, (page + 1) * pages.size);
  const isLast = (page + 1) * pages.size >= all.length;
  if (!isLast) return { tools: slice, nextCursor: String(page + 1) };
  return pages.circle === true ? { tools: slice, nextCursor: '0' } : { tools: slice };
}

function toDefinition({ does: _does, ...definition }: ScriptedTool): JsonObject {
  return { inputSchema: { type: 'object' }, ...definition };
}
