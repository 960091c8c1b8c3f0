import type { LazyTexts } from '../texts.ts';

export const find: LazyTexts<'find'> = {
  label: '在此对话中查找',
  previous: '上一个匹配项',
  next: '下一个匹配项',
  close: '关闭',
  searching: '搜索中…',
  none: '没有匹配的内容',
  place: '第 {place} 个，共 {count} 个',
  browser: '再按一次 {keys} 可使用浏览器的查找功能。',
};
