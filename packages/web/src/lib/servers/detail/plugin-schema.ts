import type { JsonObject, McpPlugin } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** The schema of the form: stored secrets are not returned, so their fields are empty and need no value. */
export function formSchema({ schema, secrets }: McpPlugin, keptHint: string): JsonObject {
  const properties = isJsonObject(schema?.['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  const shown = Object.entries(properties).map(([name, property]) => {
    if (!isJsonObject(property) || !secrets.includes(name)) return [name, property];
    const { description } = property;
    return [
      name,
      { ...property, description: typeof description === 'string' ? `${description} ${keptHint}` : keptHint },
    ];
  });
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(shown) as JsonObject,
    required: required.filter((name) => typeof name === 'string' && !secrets.includes(name)),
  };
}
