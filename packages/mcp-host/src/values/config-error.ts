import type { AnyText } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';

/** What the owner of a server configured is invalid. */
export function createConfigError(message: AnyText, hint?: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}
