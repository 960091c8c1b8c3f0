import type { Translation } from '../message.ts';
import type { servers as en } from '../en/servers.ts';

export const servers: Translation<typeof en> = {};
