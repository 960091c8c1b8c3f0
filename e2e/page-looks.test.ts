import { describePageVariants } from './support/page-variants.ts';

// Dark colors in every view, an emulated phone and the other Chinese: `page-looks.long.test.ts`.
describePageVariants({ everywhere: false, locales: ['zh-TW'] });
