import { isJsonObject, type JsonObject, type ToolDefinition } from '@toolyard/protocol';
import { scrubJson } from '../scrub.ts';
import { toFunction } from '../tool-call-text/describe.ts';
import { withoutTopChoice } from './schema.ts';

/** A tool in a request: name, description, and parameters that every provider accepts. */
export function toolFunction(tool: ToolDefinition): JsonObject {
  const { parameters, ...rest } = toFunction(tool);
  return scrubJson({ ...rest, parameters: isJsonObject(parameters) ? withoutTopChoice(parameters) : {} });
}
