import { describeForms } from './support/elicitation-forms.ts';

describeForms({ eras: ['legacy', 'modern'], locales: ['zh-TW', 'zh-CN'] });
