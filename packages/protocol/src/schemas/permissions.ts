import { z } from 'zod';
import { namedObject, createPageSchema, timestamp, toolReference } from './common.ts';

const decided = {
  tool: toolReference,
  conversationId: z.string().nullable(),
  decision: z.enum(['allow', 'never']),
};

export const permissionView = namedObject('PermissionView', { ...decided, at: timestamp });
/** A stored decision about a tool; `conversationId` null: for all conversations. */
export type PermissionView = z.output<typeof permissionView>;
export const permissionPage = createPageSchema('PermissionPage', permissionView);

export const setPermissionBody = namedObject('SetPermission', decided);
/** Sets a permission directly, not as the answer to an approval. */
export type SetPermission = z.output<typeof setPermissionBody>;
