import type { Translation } from '../message.ts';
import type { settings as en } from '../en/settings.ts';

export const settings: Translation<typeof en> = {};
