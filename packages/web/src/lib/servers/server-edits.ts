import type { ShownServer } from './shown-server.ts';

/** Opens the dialogs about a server; shared by the list and the page of one server. */
export type ServerEdits = { edit: (server: ShownServer) => void; remove: (server: ShownServer) => void };
