import { ToolyardError } from '@toolyard/protocol';

/** Nothing answers at the address of the server, or not yet again. */
export class ServerUnreachable extends ToolyardError {}

/** A server that was at work cannot be reached any more, and was waited for in vain. */
export class ServerLost extends ToolyardError {}
