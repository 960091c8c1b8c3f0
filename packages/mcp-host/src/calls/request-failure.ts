import { ProtocolError } from '@modelcontextprotocol/client';
import type { ErrorInfo } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { explainFailedCall } from './call-failure.ts';
import { RequestStopped } from './track-request.ts';

const INVALID_PARAMS = -32_602;
/** What a missing resource was before 2026-07-28. */
const RESOURCE_NOT_FOUND = -32_002;
const METHOD_NOT_FOUND = -32_601;

/** What was asked of a server beside a call. `subject`: the address of a resource, the name of a prompt. */
export type FailedRequest = {
  serverId: string;
  subject: string;
  thrown: unknown;
  timeoutMs: number;
  lost: ErrorInfo | undefined;
};

/** Says in plain words why a request came to nothing. */
export function toRequestError(failed: FailedRequest): ToolyardError {
  return new ToolyardError(explain(failed), { cause: failed.thrown });
}

function explain({ serverId, subject, thrown, timeoutMs, lost }: FailedRequest): ErrorInfo {
  if (thrown instanceof ProtocolError) {
    const said = thrown.message.slice(0, 1_000);
    const message = `The server "${serverId}" did not give "${subject}": ${said}`;
    switch (thrown.code) {
      case RESOURCE_NOT_FOUND:
        return { code: 'not_found', message };
      case INVALID_PARAMS:
        return { code: 'invalid_arguments', message, hint: 'Check the name and what was filled in.' };
      case METHOD_NOT_FOUND:
        return { code: 'server_refused', message: `The server "${serverId}" does not know how to: ${said}` };
    }
  }
  const stopped = thrown instanceof RequestStopped ? thrown.by : null;
  const { error } = explainFailedCall({ tool: { serverId, name: subject }, thrown, stopped, timeoutMs, lost });
  return error ?? { code: 'bad_response', message: `The answer of the server "${serverId}" could not be read.` };
}
