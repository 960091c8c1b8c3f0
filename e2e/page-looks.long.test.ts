import { describeLooks } from './support/looks.ts';

describeLooks({ everywhere: true, locales: ['zh-TW', 'zh-CN'] });
