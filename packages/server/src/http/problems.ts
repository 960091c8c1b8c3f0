import { STATUS_CODES } from 'node:http';
import type { ErrorCode, ErrorInfo, IdSource, Problem, AnyText, ErrorInit } from '@toolyard/protocol';
import { createErrorInfo, defined, toErrorInfo, ToolyardError, say, withTemplate } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import type { z } from 'zod';
import { validationText } from './transport/plain-zod-error.ts';

/**
 * HTTP status of each error code. What only the user can change, such as the key or URL of a provider, is 4xx, because
 * clients repeat requests after 5xx; never 401, which the page takes for its own. A provider or MCP server that fails is
 * 502. 500 is a defect of Toolyard or its storage: its reason is in the log.
 */
const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  outdated_page: 400,
  storage_full: 507,
  storage_failed: 500,
  bad_config: 422,
  internal: 500,
  model_not_found: 404,
  tool_not_found: 404,
  invalid_arguments: 400,
  address_refused: 403,
  rate_limited: 429,
  overloaded: 503,
  timed_out: 504,
  cancelled: 409,
  repeated_call: 409,
  outcome_unknown: 409,
  tool_refused: 403,
  invalid_key: 422,
  quota_exceeded: 402,
  context_exceeded: 502,
  network: 502,
  stream_broken: 502,
  refused: 502,
  bad_response: 502,
  not_a_model_server: 422,
  no_response: 502,
  empty_response: 502,
  max_turns_exceeded: 502,
  time_limit_exceeded: 502,
  budget_exceeded: 402,
  malformed_tool_call: 502,
  tool_failed: 502,
  command_not_found: 422,
  server_exited: 502,
  server_unreachable: 502,
  server_refused: 502,
  server_closed: 502,
  needs_sign_in: 502,
  input_required: 502,
  needs_tab: 409,
  tab_gone: 409,
  process_gone: 409,
};

/** Messages of storage errors name folders and files, which only the log may contain. */
function publicMessage(thrown: unknown, { code, message }: ErrorInfo): AnyText {
  if (!StorageError.isInstance(thrown)) return message;
  return code === 'storage_full'
    ? say`The disk that holds the data of Toolyard is full.`
    : say`Toolyard could not read or write its data.`;
}

/** Neither the request nor the server is wrong; the outage is logged once where runs are recovered. */
const DATABASE_AWAY: ErrorInfo = createErrorInfo({
  code: 'storage_failed',
  message: say`The database cannot be reached. Stored data is safe.`,
  hint: say`Try again in a moment. If the error persists, check that PostgreSQL is running.`,
  retryable: true,
});

function isAway(thrown: unknown): boolean {
  return StorageError.isInstance(thrown) && thrown.problem === 'unreachable';
}

/** The error of one of several requested items, safe for clients. */
export function publicError(thrown: ToolyardError): ErrorInfo {
  if (isAway(thrown)) return DATABASE_AWAY;
  const info = thrown.toJSON();
  return createErrorInfo({ ...info, message: publicMessage(thrown, info) });
}

type Issue = NonNullable<Problem['issues']>[number];

/** An error response: problem details and headers. */
export class ProblemAnswer extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

/** Creates an error response; by default the code determines the status. */
export function refusal(
  error: Pick<ErrorInit, 'code' | 'message' | 'hint' | 'templates'>,
  more: { status?: number; issues?: Issue[]; headers?: Record<string, string> } = {},
): ProblemAnswer {
  const { code, message, hint, templates } = createErrorInfo(error);
  const status = more.status ?? STATUS[code];
  return new ProblemAnswer(
    {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      code,
      ...defined({ hint, issues: more.issues }),
      ...(templates && { templates: defined({ detail: templates['message'], hint: templates['hint'] }) }),
    },
    more.headers,
  );
}

export function notFound(what: string, id: string): ProblemAnswer {
  const message = NOT_FOUND[what]?.(quoted(id)) ?? `There is no ${what} ${quoted(id)}.`;
  return refusal({ code: 'not_found', message });
}

/** What the page shows in its language. */
const NOT_FOUND: Readonly<Record<string, (id: string) => AnyText>> = {
  agent: (id) => say`There is no agent ${id}.`,
  conversation: (id) => say`There is no conversation ${id}.`,
  file: (id) => say`There is no file ${id}.`,
  interrupt: (id) => say`There is no interrupt ${id}.`,
  message: (id) => say`There is no message ${id}.`,
  run: (id) => say`There is no run ${id}.`,
};

/** Quotes text of a client for use in an error message. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return JSON.stringify(short);
}

const MAX_ISSUES = 20;

/** An invalid body or query: the first issue as text, all of them as a list. */
export function validationError(error: z.ZodError, where: 'body' | 'query'): ProblemAnswer {
  const issues = error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return refusal({ code: 'bad_request', message: validationText(error, where) }, { issues });
}

/**
 * The response to any thrown value. Internal errors are logged in full under a short number, which the response
 * contains too.
 */
export function errorAnswer(
  thrown: unknown,
  request: { method: string; path: string },
  { ids, log }: { ids: IdSource; log: (line: string) => void },
): ProblemAnswer {
  if (thrown instanceof ProblemAnswer) return thrown;
  if (isAway(thrown)) return refusal(DATABASE_AWAY, { status: 503, headers: { 'retry-after': '2' } });
  const info = toErrorInfo(thrown);
  // Stored data that cannot be used is no configuration of the user, whatever its code.
  const isOfStorage = StorageError.isInstance(thrown) && info.code !== 'storage_full';
  const status = STATUS[isOfStorage ? 'storage_failed' : info.code];
  const answer = refusal({ ...info, message: publicMessage(thrown, info) }, { status });
  if (status !== 500 && status !== 507) return answer;
  const number = ids.next().slice(-8);
  log(`error ${number} at ${request.method} ${request.path}: ${formatTrace(thrown)}`);
  const message = say`${withTemplate(answer.problem.detail, answer.problem.templates?.['detail'])} (Error ${number}; see the log of the server.)`;
  return refusal({ ...info, message }, { status });
}

function formatTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'a value that is not an Error was thrown';
  // Not a defect: the path is all the operator needs.
  if (StorageError.isInstance(thrown) && thrown.problem === 'disk_full') return `${thrown.code}: ${thrown.message}`;
  const cause = thrown.cause instanceof Error ? `\n  caused by ${formatTrace(thrown.cause)}` : '';
  const known = ToolyardError.isInstance(thrown) ? `${thrown.code}: ${thrown.message}` : thrown.stack;
  return `${known ?? thrown.message}${cause}`;
}
