import { ProtocolError } from '@modelcontextprotocol/client';
import type { ErrorInfo } from '@toolyard/protocol';
import { createErrorInfo, ToolyardError, say } from '@toolyard/protocol';
import { explainFailedCall } from './call-failure.ts';
import { RequestStopped } from './track-request.ts';

const INVALID_PARAMS = -32_602;
/** Code of a missing resource before 2026-07-28. */
const RESOURCE_NOT_FOUND = -32_002;
const METHOD_NOT_FOUND = -32_601;

/** A failed request other than a tool call. `subject`: the URI of a resource or the name of a prompt. */
export type FailedRequest = {
  serverId: string;
  subject: string;
  thrown: unknown;
  timeoutMs: number;
  lost: ErrorInfo | undefined;
};

/** Turns a failed request into an error with a readable message. */
export function toRequestError(failed: FailedRequest): ToolyardError {
  return new ToolyardError(explain(failed), { cause: failed.thrown });
}

function explain({ serverId, subject, thrown, timeoutMs, lost }: FailedRequest): ErrorInfo {
  if (thrown instanceof ProtocolError) {
    const serverMessage = thrown.message.slice(0, 1_000);
    const message = say`The server "${serverId}" rejected the request for "${subject}": ${serverMessage}`;
    switch (thrown.code) {
      case RESOURCE_NOT_FOUND:
        return createErrorInfo({ code: 'not_found', message });
      case INVALID_PARAMS:
        return createErrorInfo({ code: 'invalid_arguments', message, hint: say`Check the name and the arguments.` });
      case METHOD_NOT_FOUND:
        return createErrorInfo({
          code: 'server_refused',
          message: say`The server "${serverId}" does not support this request: ${serverMessage}`,
        });
    }
  }
  const stopped = thrown instanceof RequestStopped ? thrown.by : null;
  const { error } = explainFailedCall({ tool: { serverId, name: subject }, thrown, stopped, timeoutMs, lost });
  return (
    error ??
    createErrorInfo({ code: 'bad_response', message: say`The response of the server "${serverId}" could not be read.` })
  );
}
