import { describeLooks } from './support/looks.ts';

describeLooks({ phone: true, locales: ['zh-TW', 'zh-CN'] });
