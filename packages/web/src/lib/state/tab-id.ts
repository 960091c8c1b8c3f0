import { uuid } from '../transcript/uuid.ts';

/** Names this tab to the server for as long as the page is not loaded anew. */
export const tabId = uuid();
