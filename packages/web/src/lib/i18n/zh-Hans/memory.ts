import type { Translation } from '../message.ts';
import type { memory as en } from '../en/memory.ts';

export const memory: Translation<typeof en> = {
  intro: '模型通过工具“remember”保存的记忆。其他对话只有调用工具“recall”才能找到它们，绝不会自动加入对话。',
  off: '记忆功能已停用：除非对话自行启用，模型无法保存或查找记忆。',
  openTool: '打开其设置',
  none: '没有任何记忆',
  noneText: '启用记忆功能后，可以让模型记住某件事。',
  search: '搜索记忆',
  count: '{count} 条，上限 {max} 条',
  noMatch: '没有包含“{query}”的记忆。',
  text: '文本',
  edit: '编辑记忆',
  delete: '删除记忆',
  deleteAll: '全部删除',
  deleteAllTitle: '要删除所有记忆吗？',
  deleteAllText: { other: '这会永久删除 {count} 条记忆。' },
  source: '来自“{title}”',
  untitled: '新对话',
  sourceDeleted: '来自已删除的对话',
  noSource: '不是来自对话',
  edited: '您于 {date} 编辑',
};
