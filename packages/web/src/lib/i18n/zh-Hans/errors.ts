import type { errors as en } from '../en/errors.ts';
import type { Translation } from '../message.ts';

export const errors: Translation<typeof en> = {
  network: '无法连接服务器。',
  networkHint: 'Toolyard 是否仍在运行？页面会自动重新连接，之后请再试一次。',
  unreadable: '服务器的响应不符合预期（HTTP {status}）。',
  pageTitle: '找不到这个页面',
  pageText: '页面 {path} 不存在。',
  conversationTitle: '找不到这个对话',
  conversationText: '它可能已被删除，或者网址不完整。',
  brokenTitle: '页面出错了',
  brokenText: '您的对话都保存在服务器上。请重新加载页面以继续。',
  toNewChat: '开始新对话',
  reload: '重新加载',
};
