import { describeForms } from './support/asked-forms.ts';

describeForms({ eras: ['legacy', 'modern'], locales: ['zh-TW', 'zh-CN'] });
