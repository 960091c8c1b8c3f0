import type { JsonObject, ToolContentPart, ToolResult } from '@toolyard/protocol';

/** A result in the form of MCP's `CallToolResult`, as apps expect it. Stored files are left out: apps have no access. */
export function toCallToolResult({ content, structured, isError }: ToolResult): JsonObject {
  return {
    content: content.flatMap((part) => block(part) ?? []),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(isError ? { isError } : {}),
  };
}

function block(part: ToolContentPart): JsonObject | null {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
    case 'audio':
      return 'data' in part.source ? { type: part.type, mimeType: part.mimeType, data: part.source.data } : null;
    case 'resource': {
      const { uri, mimeType, text, source, name } = part;
      const about = mimeType === undefined ? {} : { mimeType };
      if (text !== undefined) return { type: 'resource', resource: { uri, text, ...about } };
      if (source !== undefined && 'data' in source)
        return { type: 'resource', resource: { uri, blob: source.data, ...about } };
      return { type: 'resource_link', uri, name: name ?? uri, ...about };
    }
  }
}
