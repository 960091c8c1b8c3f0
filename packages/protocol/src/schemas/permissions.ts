import { z } from 'zod';
import { named, pageOf, timestamp, toolReference } from './common.ts';

const decided = {
  tool: toolReference,
  conversationId: z.string().nullable(),
  decision: z.enum(['allow', 'never']),
};

export const permissionView = named('PermissionView', z.strictObject({ ...decided, at: timestamp }));
/** What a person decided about a tool; `conversationId` null: everywhere. */
export type PermissionView = z.output<typeof permissionView>;
export const permissionPage = pageOf('PermissionPage', permissionView);

export const setPermissionBody = named('SetPermission', z.strictObject(decided));
/** What is decided in a place of its own, not as the answer to a question. */
export type SetPermission = z.output<typeof setPermissionBody>;
