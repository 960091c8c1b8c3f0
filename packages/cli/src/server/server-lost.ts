import { ToolyardError } from '@toolyard/protocol';

/** The server does not answer, or its connection broke. */
export class ServerUnreachable extends ToolyardError {}

/** The server became unreachable during a run, and reconnecting timed out. */
export class ServerLost extends ToolyardError {}
