import { describeLooks } from './support/looks.ts';

// An emulated phone and the other Chinese: `page-looks.long.test.ts`.
describeLooks({ phone: false, locales: ['zh-TW'] });
