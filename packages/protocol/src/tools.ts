import type { JsonObject } from './json.ts';

/** The only identity of a tool: in permissions, routing, storage and display. */
export type ToolReference = { serverId: string; name: string };

/** `server/tool`, as people write it in `--allow` and read it in messages. */
export function formatToolReference(tool: ToolReference): string {
  return `${tool.serverId}/${tool.name}`;
}

/** What a person decided about a tool; `conversationId` null: everywhere. */
export type PermissionView = {
  tool: ToolReference;
  conversationId: string | null;
  decision: 'allow' | 'never';
  at: number;
};

/** What is decided in a place of its own, not as the answer to a question. */
export type SetPermission = Omit<PermissionView, 'at'>;

/** Hints a server gives about its own tool. Untrusted, unless the owner says otherwise. */
export type ToolAnnotations = {
  readOnly?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  openWorld?: boolean;
};

/** A tool as a model is told of it. */
export type ToolDefinition = {
  tool: ToolReference;
  /** The model-facing name; only ToolIndex makes these. */
  name: string;
  title?: string;
  description?: string;
  /** JSON Schema of the arguments; its top level is always an object. */
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  /** True for what Toolyard itself ships and registers, whatever the server calls itself. */
  builtIn: boolean;
};
