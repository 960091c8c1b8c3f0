import type { LazyTexts } from '../texts.ts';

export const frames: LazyTexts<'frames'> = {
  failed_unreachable:
    '顯示這個內容的框架沒有回應。如果伺服器剛重新啟動，請重新載入頁面；如果您是透過連接埠轉送或代理連到這台機器，請設定 --frame-port 或 --frame-origin。',
  failed_timeout: '內容未能在時限內載入。',
  failed_left: '內容嘗試在框架中開啟其他網址，已被阻擋，內容也因此消失。',
  failed_flood: '內容傳送了過多訊息，已被停止。',
  again: '重新載入',
};
