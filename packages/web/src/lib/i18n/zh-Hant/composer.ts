import type { Translation } from '../message.ts';
import type { composer as en } from '../en/composer.ts';

export const composer: Translation<typeof en> = {};
