import type { PageTexts } from '../texts.ts';
import { chat } from './chat.ts';
import { common } from './common.ts';
import { composer } from './composer.ts';
import { errors } from './errors.ts';
import { setup } from './setup.ts';
import { sidebar } from './sidebar.ts';
import { tools } from './tools.ts';

export const messages: PageTexts = { chat, common, composer, errors, setup, sidebar, tools };
