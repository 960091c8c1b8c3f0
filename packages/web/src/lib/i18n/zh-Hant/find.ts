import type { LazyTexts } from '../texts.ts';

export const find: LazyTexts<'find'> = {
  label: '在這個對話中尋找',
  previous: '上一個相符處',
  next: '下一個相符處',
  close: '關閉',
  searching: '搜尋中…',
  none: '找不到相符的內容',
  place: '第 {place} 個，共 {count} 個',
  browser: '再按一次 {keys} 可使用瀏覽器的尋找功能。',
};
