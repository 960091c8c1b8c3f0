import type { ErrorCode, ErrorInfo } from './schemas/common.ts';
import { defined } from './defined.ts';

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
      ...defined({ hint: this.hint }),
      ...(this.retryable ? { retryable: true } : {}),
      ...defined({ retryAfterMs: this.retryAfterMs }),
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
