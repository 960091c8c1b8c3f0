import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { SdkHttpError } from '@modelcontextprotocol/client';
import type { ErrorInfo, JsonObject, ToolReference, ToolResult } from '@toolyard/protocol';
import { explainFailedCall, notSent } from './call-failure.ts';
import { anyResult, rawOf } from './raw-result-transport.ts';
import { readToolResult } from './read-result.ts';
import type { ListedTool } from './read-tool.ts';
import type { CallToolOptions } from './types.ts';

/** The SDK sends the reason of an abort to the server: it gets this and never a person's or a model's words. */
const ABORT_REASON = 'The client no longer waits for this call.';

/** Progress renews the time-out, but not for ever: so much in all, or ten times the time-out if that is more. */
const LONGEST_CALL_MS = 60 * 60 * 1_000;

const noProgress = (): void => undefined;

export type Call = {
  client: Client;
  tool: ListedTool;
  reference: ToolReference;
  args: JsonObject;
  options: CallToolOptions;
  timeoutMs: number;
  /** True where the transport carries arguments as headers for the tools that ask for it. */
  mirrorsHeaders: boolean;
  /** What stops the calls under way, for whoever closes the connection. */
  calls: Set<() => void>;
  whyLost(): ErrorInfo | undefined;
  /** The server answered HTTP 404. */
  onNotFound(): void;
};

/** Makes one call of a tool. Never throws: see {@link ToolHost.callTool}. */
export async function callTool(call: Call): Promise<ToolResult> {
  const { signal, onProgress } = call.options;
  if (signal?.aborted === true) {
    return notSent({
      code: 'cancelled',
      message: `The call of ${call.reference.name} was cancelled before it was made.`,
    });
  }
  const relay = new AbortController();
  let stopped: 'by_caller' | 'by_closing' | null = null;
  const stop = (by: 'by_caller' | 'by_closing'): void => {
    stopped ??= by;
    relay.abort(ABORT_REASON);
  };
  const onCallerAbort = (): void => stop('by_caller');
  const onClosing = (): void => stop('by_closing');
  signal?.addEventListener('abort', onCallerAbort, { once: true });
  call.calls.add(onClosing);
  try {
    const result = await send(call, {
      signal: relay.signal,
      timeout: call.timeoutMs,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: Math.max(LONGEST_CALL_MS, 10 * call.timeoutMs),
      // Without a listener the SDK asks for no progress, and then nothing renews the time-out.
      onprogress:
        onProgress === undefined
          ? noProgress
          : ({ progress, total, message }) =>
              onProgress({
                progress,
                ...(total === undefined ? {} : { total }),
                ...(message === undefined ? {} : { text: message }),
              }),
    });
    return readToolResult(rawOf(result));
  } catch (thrown) {
    if (thrown instanceof SdkHttpError && thrown.data.status === 404) call.onNotFound();
    return explainFailedCall({
      tool: call.reference,
      thrown,
      stopped,
      timeoutMs: call.timeoutMs,
      lost: call.whyLost(),
    });
  } finally {
    signal?.removeEventListener('abort', onCallerAbort);
    call.calls.delete(onClosing);
  }
}

function send(call: Call, options: RequestOptions): Promise<unknown> {
  const { client, tool } = call;
  const params = { name: tool.name, arguments: call.args };
  if (!call.mirrorsHeaders || !tool.hasHeaderParameters) {
    return client.request({ method: 'tools/call', params }, anyResult, options);
  }
  // The SDK builds the headers from the definition; without an outputSchema it checks nothing.
  const toolDefinition = { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' as const } };
  return client.callTool(params, { ...options, toolDefinition });
}
