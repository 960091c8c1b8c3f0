import { describePageVariants } from './support/page-variants.ts';

describePageVariants({ everywhere: true, locales: ['zh-TW', 'zh-CN'] });
