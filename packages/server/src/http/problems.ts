import { STATUS_CODES } from 'node:http';
import type { ErrorCode, ErrorInfo, IdSource, Problem } from '@toolyard/protocol';
import { defined, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import type { z } from 'zod';

/** How each error is told over HTTP. A provider or an MCP server that fails is a bad gateway, never our own 401. */
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
  bad_config: 500,
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
  invalid_key: 502,
  quota_exceeded: 502,
  context_exceeded: 502,
  network: 502,
  stream_broken: 502,
  refused: 502,
  bad_response: 502,
  not_a_model_server: 502,
  no_response: 502,
  empty_response: 502,
  max_turns_exceeded: 502,
  time_limit_exceeded: 502,
  budget_exceeded: 402,
  malformed_tool_call: 502,
  tool_failed: 502,
  command_not_found: 502,
  server_exited: 502,
  server_unreachable: 502,
  server_refused: 502,
  server_closed: 502,
  needs_sign_in: 502,
  input_required: 502,
  needs_tab: 409,
  tab_gone: 409,
};

/** The messages of storage name folders and files, which are for the log: what happened is told, not where. */
function publicMessage(thrown: unknown, { code, message }: ErrorInfo): string {
  if (!StorageError.isInstance(thrown)) return message;
  return code === 'storage_full'
    ? 'There is no room left where Toolyard keeps its data.'
    : 'What Toolyard keeps could not be read or written.';
}

/** No fault of this request, and none of the server: whoever looks after runs says once in the log what is wrong. */
const DATABASE_AWAY: ErrorInfo = {
  code: 'storage_failed',
  message: 'The database Toolyard keeps its data in cannot be reached. What was stored before is safe.',
  hint: 'Try again in a moment. If it stays so, see whether PostgreSQL runs.',
  retryable: true,
};

function isAway(thrown: unknown): boolean {
  return StorageError.isInstance(thrown) && thrown.problem === 'unreachable';
}

/** What one of several things that were asked for failed with, as it may be told. */
export function publicError(thrown: ToolyardError): ErrorInfo {
  if (isAway(thrown)) return DATABASE_AWAY;
  const info = thrown.toJSON();
  return { ...info, message: publicMessage(thrown, info) };
}

type Issue = NonNullable<Problem['issues']>[number];

/** An answer that is no success, with what belongs to it on the wire. */
export class ProblemAnswer extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

/** A refusal that HTTP has a status of its own for; absent, the code decides. */
export function refusal(
  info: Pick<ErrorInfo, 'code' | 'message' | 'hint'>,
  more: { status?: number; issues?: Issue[]; headers?: Record<string, string> } = {},
): ProblemAnswer {
  const status = more.status ?? STATUS[info.code];
  return new ProblemAnswer(
    {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: info.message,
      code: info.code,
      ...defined({ hint: info.hint, issues: more.issues }),
    },
    more.headers,
  );
}

export function notFound(what: string, id: string): ProblemAnswer {
  return refusal({ code: 'not_found', message: `There is no ${what} ${quoted(id)}.` });
}

/** A name somebody sent, fit to stand in a message. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return JSON.stringify(short);
}

const MAX_ISSUES = 20;

/** What does not fit in a body or a query: the first of it in words, all of it as a list. */
export function validationError(error: z.ZodError, where: 'body' | 'query'): ProblemAnswer {
  const issues = error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const [first] = issues;
  const place = first === undefined || first.path === '' ? `The ${where}` : `${first.path} in the ${where}`;
  const what = first === undefined ? 'it is of the wrong form' : first.message;
  return refusal({ code: 'bad_request', message: `${place} does not fit: ${what}.` }, { issues });
}

/**
 * What is answered for anything thrown. What is our own fault is written to the log, under a short number that the
 * answer names too.
 */
export function errorAnswer(
  thrown: unknown,
  request: { method: string; path: string },
  { ids, log }: { ids: IdSource; log: (line: string) => void },
): ProblemAnswer {
  if (thrown instanceof ProblemAnswer) return thrown;
  if (isAway(thrown)) return refusal(DATABASE_AWAY, { status: 503, headers: { 'retry-after': '2' } });
  const info = toErrorInfo(thrown);
  const answer = refusal({ ...info, message: publicMessage(thrown, info) });
  if (answer.problem.status !== 500 && answer.problem.status !== 507) return answer;
  const number = ids.next().slice(-8);
  log(`error ${number} at ${request.method} ${request.path}: ${traceOf(thrown)}`);
  return refusal({
    code: info.code,
    message: `${answer.problem.detail} (Error ${number}; the log of the server says more.)`,
    ...defined({ hint: info.hint }),
  });
}

function traceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'something that is no error was thrown';
  // No fault of ours: the place says all there is to be done.
  if (StorageError.isInstance(thrown) && thrown.problem === 'disk_full') return `${thrown.code}: ${thrown.message}`;
  const cause = thrown.cause instanceof Error ? `\n  caused by ${traceOf(thrown.cause)}` : '';
  const known = ToolyardError.isInstance(thrown) ? `${thrown.code}: ${thrown.message}` : thrown.stack;
  return `${known ?? thrown.message}${cause}`;
}
