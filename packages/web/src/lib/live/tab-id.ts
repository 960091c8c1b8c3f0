import { uuid } from '../transcript/uuid.ts';

/** Identifies this tab to the server until the page is reloaded. */
export const tabId = uuid();
