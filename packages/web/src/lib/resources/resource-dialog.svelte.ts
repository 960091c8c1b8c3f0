import type { ResourcePart } from '@toolyard/protocol';
import type { ServerRef } from './server-requests.ts';

/** A resource that a result or a message names or contains, and the server it came from. */
export type NamedResource = { source: ServerRef; resource: ResourcePart };

/** The resource that the page shows in a dialog; everything else about it is loaded on demand. */
class ResourceDialogState {
  shown: NamedResource | null = $state.raw(null);
}

export const resourceDialog = new ResourceDialogState();
