import { SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import type { ErrorInfo, JsonObject, ToolReference, ToolResult } from '@toolyard/protocol';
import { explainFailedCall, notSent } from './call-failure.ts';
import { checkStructured } from './check-arguments.ts';
import { authFailureIn } from './oauth/auth-failure.ts';
import { readToolResult } from './read-result.ts';
import type { ListedTool } from './read-tool.ts';
import type { RequestContext } from './request.ts';
import { RequestStopped, RoundHandedOut, sendRequest } from './request.ts';
import type { CallToolOptions } from './types.ts';

export type Call = {
  context: RequestContext;
  tool: ListedTool;
  reference: ToolReference;
  args: JsonObject;
  options: CallToolOptions;
  timeoutMs: number;
  /** Goes with every request of this connection. */
  meta: JsonObject;
  /** True where the transport carries arguments as headers for the tools that ask for it. */
  mirrorsHeaders: boolean;
  whyLost(): ErrorInfo | undefined;
  /** The server answered with an HTTP status that may mean the end of the connection. */
  onStatus(status: number): void;
  warn: (text: string) => void;
};

/** Makes one call of a tool. Never throws: see {@link ToolHost.callTool}. */
export async function callTool(call: Call): Promise<ToolResult> {
  const { context, tool, reference, args, options, timeoutMs } = call;
  if (options.signal?.aborted === true) {
    return notSent({ code: 'cancelled', message: `The call of ${reference.name} was cancelled before it was made.` });
  }
  try {
    const raw = await sendRequest(context, {
      method: 'tools/call',
      params: { name: tool.name, arguments: args, ...call.meta },
      options,
      timeoutMs,
      tool: reference,
      mirrored: call.mirrorsHeaders && tool.hasHeaderParameters ? tool : undefined,
    });
    return checked(readToolResult(raw), call);
  } catch (thrown) {
    if (thrown instanceof RoundHandedOut) {
      options.onRound?.(thrown.round);
      return notSent({ code: 'input_required', message: `${reference.name} asks for more before it goes on.` });
    }
    const status = statusOfRefusal(thrown);
    if (status !== undefined) call.onStatus(status);
    const stopped = thrown instanceof RequestStopped ? thrown.by : null;
    return explainFailedCall({ tool: reference, thrown, stopped, timeoutMs, lost: call.whyLost() });
  }
}

export function statusOfRefusal(thrown: unknown): number | undefined {
  const unauthorized = authFailureIn(thrown);
  if (unauthorized?.code === 'needs_sign_in') return unauthorized.concernsOne ? undefined : 401;
  if (thrown instanceof UnauthorizedError) return 401;
  return thrown instanceof SdkHttpError ? thrown.data.status : undefined;
}

/**
 * The call has been made: a result that breaks the tool's own promise is kept, and said to be what it is, to the model
 * and to whoever looks after the server.
 */
function checked(result: ToolResult, { tool, warn }: Call): ToolResult {
  const { outputSchema } = tool;
  if (outputSchema === undefined || result.isError) return result;
  if (result.structured === undefined) {
    warn(`The tool "${tool.name}" promises structured content and gave none.`);
    return result;
  }
  const fault = checkStructured(outputSchema, result.structured);
  if (fault === null) return result;
  warn(`The structured content of the tool "${tool.name}" does not fit its own outputSchema: ${fault}`);
  const note = `[The structured content of this result does not fit the schema the tool promised: ${fault}]`;
  return { ...result, content: [...result.content, { type: 'text', text: note }] };
}
