/** A value as it was written, or one that is kept on the server and never shown. */
export type KeptText = string | { secret: true };

export type WebWire = 'http' | 'sse' | 'websocket';

/** How a server is to be reached, as a person wrote it: `${env:NAME}` is not filled in. */
export type DraftTransport =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, KeptText>; cwd?: string }
  | { type: WebWire; url: string; headers: Record<string, KeptText> };

/** A server that is not saved yet. */
export type ServerDraft = { id: string; transport: DraftTransport };
