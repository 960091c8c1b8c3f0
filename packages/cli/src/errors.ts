import type { AnyText } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';

/** The error for flags, variables or files that do not fit. `hint`: what to do. */
export function createConfigError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}

/** The error for a command that cannot be executed as it was given. */
export function createRequestError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message, ...defined({ hint }) });
}
