import { isJsonObject, type JsonObject, type ToolDefinition } from '@toolyard/protocol';
import { scrubJson } from '../scrub.ts';
import { toFunction } from '../tool-call-text/describe.ts';
import { withoutTopChoice } from './schema.ts';

/** What a request says of a tool: name, description, and arguments as every provider takes them. */
export function toolFunction(tool: ToolDefinition): JsonObject {
  const { parameters, ...rest } = toFunction(tool);
  return scrubJson({ ...rest, parameters: isJsonObject(parameters) ? withoutTopChoice(parameters) : {} });
}
