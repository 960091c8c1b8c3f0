import { describeLooks } from './support/looks.ts';

// Dark colors in every view, an emulated phone and the other Chinese: `page-looks.long.test.ts`.
describeLooks({ everywhere: false, locales: ['zh-TW'] });
