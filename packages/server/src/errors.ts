import type { AnyText } from '@toolyard/protocol';
import { defined, say, ToolyardError } from '@toolyard/protocol';

/** The error of a request with a value that cannot be used. */
export function createInvalidError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message, ...defined({ hint }) });
}

/** The error of a setting of the operator that cannot be used. */
export function createConfigError(message: AnyText, hint: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}

/** The error of a change of an outdated version; `message` says what was changed. */
export function createChangedError(message: AnyText): ToolyardError {
  return new ToolyardError({ code: 'conflict', message, hint: say`Read it again and repeat the change.` });
}
