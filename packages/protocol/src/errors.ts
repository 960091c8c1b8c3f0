import type { ErrorCode, ErrorInfo, TextTemplates } from './schemas/common.ts';
import { defined } from './defined.ts';
import type { AnyText } from './say.ts';
import { say, withTemplate, withTemplates } from './say.ts';

const marker = Symbol.for('toolyard.error');

/** An error whose texts may have translations. */
export type ErrorInit = Omit<ErrorInfo, 'message' | 'hint'> & { message: AnyText; hint?: AnyText };

/** Creates the stored form of an error. */
export function createErrorInfo(error: ErrorInit): ErrorInfo {
  return withTemplates(error);
}

/**
 * The only error class that crosses package boundaries. Its message is written for users; any other thrown value is
 * shown as `internal`, without its text.
 */
export class ToolyardError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly templates: TextTemplates | undefined;

  constructor(error: ErrorInit, options?: { cause?: unknown }) {
    const info = createErrorInfo(error);
    super(info.message, options);
    this.name = 'ToolyardError';
    this.code = info.code;
    this.hint = info.hint;
    this.retryable = info.retryable ?? false;
    this.retryAfterMs = info.retryAfterMs;
    this.templates = info.templates;
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
      ...defined({ retryAfterMs: this.retryAfterMs, templates: this.templates }),
    };
  }
}

/**
 * The part of a thrown value that may be shown. The text of foreign errors is withheld: it may contain a path, a header
 * or a key.
 */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  if (ToolyardError.isInstance(thrown)) return thrown.toJSON();
  return createErrorInfo({
    code: 'internal',
    message: say`Internal error in Toolyard.`,
    hint: say`This is a bug. Please report it.`,
  });
}

/** True if the store failed temporarily: the same operation may succeed later. */
export function isStorageFault(thrown: unknown): thrown is ToolyardError {
  return ToolyardError.isInstance(thrown) && (thrown.code === 'storage_full' || thrown.code === 'storage_failed');
}

/** The text of any thrown value, for logs and for the operator; everyone else gets {@link toErrorInfo}. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same, with the template of a {@link ToolyardError}. */
export function messageText(thrown: unknown): AnyText {
  const text = messageOf(thrown);
  return ToolyardError.isInstance(thrown) ? withTemplate(text, thrown.templates?.['message']) : text;
}

/** True for the error an aborted operation throws, in every runtime. */
export function isAbortError(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}
