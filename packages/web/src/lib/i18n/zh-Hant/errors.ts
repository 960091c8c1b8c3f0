import type { errors as en } from '../en/errors.ts';
import type { Translation } from '../message.ts';

export const errors: Translation<typeof en> = {
  network: '無法連上伺服器。',
  networkHint: 'Toolyard 是否仍在執行？頁面會自動重新連線，之後請再試一次。',
  unreadable: '伺服器的回應不符預期（HTTP {status}）。',
  pageTitle: '找不到這個頁面',
  pageText: '頁面 {path} 不存在。',
  conversationTitle: '找不到這個對話',
  conversationText: '它可能已被刪除，或網址不完整。',
  brokenTitle: '頁面發生錯誤',
  brokenText: '您的對話都保存在伺服器上。請重新載入頁面以繼續。',
  toNewChat: '開始新對話',
  reload: '重新載入',
};
