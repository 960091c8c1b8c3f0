import type { Clock, JsonObject, JsonValue, McpTestedCall, ToolReference } from '@toolyard/protocol';
import { checkStructured } from '../calls/check-arguments.ts';
import type { CallToolOptions, ToolHost } from '../types.ts';

/** A call that a user makes by hand. */
export type CallToTest = { tool: ToolReference; args: JsonObject; options?: CallToolOptions };

/**
 * A call that a user makes by hand, with what a developer of the server wants to see of it: the response as it was
 * received, its duration, and whether the structured content matches the output schema. Never throws.
 *
 * @example
 * const tested = await testCall(host, systemClock, { tool: { serverId: 'date', name: 'get-date' }, args: {} });
 * console.log(tested.durationMs);
 */
export async function testCall(
  host: Pick<ToolHost, 'callTool' | 'tools'>,
  clock: Pick<Clock, 'monotonic'>,
  { tool, args, options = {} }: CallToTest,
): Promise<McpTestedCall> {
  const listed = host.tools().find((each) => each.tool.serverId === tool.serverId && each.tool.name === tool.name);
  const schema = listed?.outputSchema;
  let raw: JsonValue | undefined;
  const start = clock.monotonic();
  const result = await host.callTool(tool, args, { ...options, onResponse: (response) => (raw = response) });
  const durationMs = clock.monotonic() - start;
  return {
    result,
    durationMs,
    ...(raw === undefined ? {} : { raw }),
    ...(schema === undefined || result.isError ? {} : { structured: checkOutput(schema, result.structured) }),
  };
}

function checkOutput(schema: JsonObject, structured: JsonValue | undefined): McpTestedCall['structured'] & object {
  if (structured === undefined) return { kind: 'missing' };
  const fault = checkStructured(schema, structured);
  return fault === null ? { kind: 'valid' } : { kind: 'invalid', fault };
}
