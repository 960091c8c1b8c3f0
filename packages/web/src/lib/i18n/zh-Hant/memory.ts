import type { Translation } from '../message.ts';
import type { memory as en } from '../en/memory.ts';

export const memory: Translation<typeof en> = {
  intro: '模型透過工具「remember」儲存的記憶。其他對話只有呼叫工具「recall」才能找到它們，絕不會自動加入對話。',
  off: '記憶功能已停用：除非對話自行啟用，模型無法儲存或尋找記憶。',
  openTool: '開啟其設定',
  none: '沒有任何記憶',
  noneText: '啟用記憶功能後，可以請模型記住某件事。',
  search: '搜尋記憶',
  count: '{count} 則，上限 {max} 則',
  noMatch: '沒有包含「{query}」的記憶。',
  text: '文字',
  edit: '編輯記憶',
  delete: '刪除記憶',
  deleteAll: '全部刪除',
  deleteAllTitle: '要刪除所有記憶嗎？',
  deleteAllText: { other: '這會永久刪除 {count} 則記憶。' },
  source: '來自「{title}」',
  untitled: '新對話',
  sourceDeleted: '來自已刪除的對話',
  noSource: '不是來自對話',
  edited: '您於 {date} 編輯',
};
