import type { AnyText } from '@toolyard/protocol';
import { defined, say, ToolyardError } from '@toolyard/protocol';

/** The error of a request with a value that cannot be used. */
export function createInvalidError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message, ...defined({ hint }) });
}

/** The error of a request that the current state does not allow. */
export function createConflictError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'conflict', message, ...defined({ hint }) });
}

/** The error of a request for what does not exist, or belongs to another owner. */
export function createNotFoundError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'not_found', message, ...defined({ hint }) });
}

/** The error of a setting of the operator that cannot be used. */
export function createConfigError(message: AnyText, hint: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}

/** The error of a change of an outdated version; `message` says what was changed. */
export function createChangedError(message: AnyText): ToolyardError {
  return createConflictError(message, say`Read it again and repeat the change.`);
}
