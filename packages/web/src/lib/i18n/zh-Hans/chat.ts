import type { Translation } from '../message.ts';
import type { chat as en } from '../en/chat.ts';

export const chat: Translation<typeof en> = {};
