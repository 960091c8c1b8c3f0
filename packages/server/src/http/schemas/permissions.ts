import type { PermissionView, SetPermission } from '@toolyard/protocol';
import { z } from 'zod';
import { named, pageOf, time, toolReference } from './common.ts';
import { exactly } from './exactly.ts';

const decided = {
  tool: toolReference,
  conversationId: z.string().nullable(),
  decision: z.enum(['allow', 'never']),
};

export const permissionView = named(
  'PermissionView',
  exactly<PermissionView>()(z.strictObject({ ...decided, at: time })),
);
export const permissionPage = pageOf('PermissionPage', permissionView);

export const setPermission = named('SetPermission', exactly<SetPermission>()(z.strictObject(decided)));
