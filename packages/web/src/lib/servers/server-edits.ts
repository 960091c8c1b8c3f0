import type { ShownServer } from './shown-server.ts';

/** What opens a dialog about a server; the list and the page of one share them. */
export type ServerEdits = { edit: (server: ShownServer) => void; remove: (server: ShownServer) => void };
