import type { LazyTexts } from '../catalogue.ts';

export const inbox: LazyTexts<'inbox'> = {
  intro: '所有對話中，工具與伺服器向您提出的問題。這裡的問題不會過期。',
  none: '沒有等您處理的事。',
  count: { other: '有 {count} 個問題等您處理。' },
  question: '關於 {tool} 的問題',
  budget: '預算已用完',
  live: '呼叫會一直等到您回答為止。',
  batchTitle: { other: '{tool} 的 {count} 個呼叫' },
  batchText: '下方也可逐一處理。有疑慮或已變更的呼叫不在其中。',
  batchCalls: '各呼叫的引數',
  allowAll: { other: '全部允許一次（{count} 個）' },
  refuseAll: { other: '全部拒絕（{count} 個）' },
  notifyOn: '有新問題時通知我',
  notifyOff: '停止通知',
  notifyRefused: '這個瀏覽器已設為不顯示 Toolyard 的通知，可在瀏覽器設定中變更。',
  noticeTitle: 'Toolyard 等您處理',
  noticeText: '與 {tool} 有關。',
  noticeBudget: '一次執行因預算用完而等候。',
};
