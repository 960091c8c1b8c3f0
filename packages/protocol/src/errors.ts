/**
 * One list of everything that can go wrong and reach a person, a model or a client.
 *
 * - model: from `invalid_key` to `empty_response`
 * - run: from `max_turns_exceeded` to `cancelled`
 * - tool: from `tool_not_found` to `outcome_unknown`
 * - MCP server: from `command_not_found` to `input_required`; one of a tab: `needs_tab`, `tab_gone`
 * - the guard: `address_refused`, for an address somebody else chose
 * - requests: from `not_found` to `too_large`; of a page that was opened before its server was made new: `outdated_page`
 * - the data folder: `storage_full`, `storage_failed`
 * - everything else: `bad_config`, `internal`
 */
export type ErrorCode =
  | 'invalid_key'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'context_exceeded'
  | 'model_not_found'
  | 'overloaded'
  | 'network'
  | 'stream_broken'
  | 'refused'
  | 'timed_out'
  | 'bad_request'
  | 'bad_response'
  | 'not_a_model_server'
  | 'no_response'
  | 'empty_response'
  | 'max_turns_exceeded'
  | 'time_limit_exceeded'
  | 'budget_exceeded'
  | 'repeated_call'
  | 'cancelled'
  | 'tool_not_found'
  | 'invalid_arguments'
  | 'malformed_tool_call'
  | 'tool_refused'
  | 'tool_failed'
  | 'outcome_unknown'
  | 'command_not_found'
  | 'server_exited'
  | 'server_unreachable'
  | 'server_refused'
  | 'server_closed'
  | 'needs_sign_in'
  | 'input_required'
  | 'needs_tab'
  | 'tab_gone'
  | 'address_refused'
  | 'not_found'
  | 'conflict'
  | 'unauthorized'
  | 'forbidden'
  | 'too_large'
  | 'outdated_page'
  | 'storage_full'
  | 'storage_failed'
  | 'bad_config'
  | 'internal';

/** The part of an error that may be shown, stored and sent: no stack, no cause, no secret. */
export type ErrorInfo = {
  code: ErrorCode;
  /** What went wrong and where, in plain words. */
  message: string;
  /** What the person can do about it. */
  hint?: string;
  /** True where the same request, sent again, may succeed. */
  retryable?: boolean;
  /** How long the other side asked us to wait, in milliseconds. */
  retryAfterMs?: number;
};

const marker = Symbol.for('toolyard.error');

/**
 * The only error class that crosses rooms. Its message was written for a reader; anything else that is thrown is
 * shown as `internal` without its text.
 */
export class ToolyardError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(info: ErrorInfo, options?: { cause?: unknown }) {
    super(info.message, options);
    this.name = 'ToolyardError';
    this.code = info.code;
    this.hint = info.hint;
    this.retryable = info.retryable ?? false;
    this.retryAfterMs = info.retryAfterMs;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Works across bundles and copies of this package, where `instanceof` does not. */
  static isInstance(value: unknown): value is ToolyardError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  toJSON(): ErrorInfo {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.retryable ? { retryable: true } : {}),
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
    };
  }
}

/**
 * What may be told of anything that was thrown. A foreign error keeps its text to itself: it may hold a path, a
 * header or a key.
 */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  if (ToolyardError.isInstance(thrown)) return thrown.toJSON();
  return {
    code: 'internal',
    message: 'Something went wrong inside Toolyard.',
    hint: 'This is a defect: please report it.',
  };
}

/** What the store could not do now it may do later: whatever was to be stored is none the worse for it. */
export function isStorageFault(thrown: unknown): thrown is ToolyardError {
  return ToolyardError.isInstance(thrown) && (thrown.code === 'storage_full' || thrown.code === 'storage_failed');
}

/** The text of anything that was thrown, for logs and for the operator; {@link toErrorInfo} is for everyone else. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** True for the error an aborted operation throws, in every runtime. */
export function isAbortError(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}
