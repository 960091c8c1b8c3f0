import type { LazyTexts } from '../texts.ts';

export const inbox: LazyTexts<'inbox'> = {
  intro: '所有對話中待您核准與回答的事項，不會過期。',
  none: '收件匣是空的。',
  noneText: '呼叫需要您核准，或工具、模型有問題要問您時，都會在這裡等候，不論來自哪個對話，也不會過期。',
  toPermissions: '哪些呼叫需要核准',
  count: { other: '{count} 個待回覆事項' },
  interrupt: '關於 {tool} 的問題',
  budget: '預算已用完',
  live: '呼叫會一直等到您回答為止。',
  batchTitle: { other: '「{server}」的「{tool}」：{count} 個呼叫' },
  batchText: '可一併回答，或在下方逐一處理。標示為危險的呼叫和已變更的工具不包含在內。',
  batchCalls: '各呼叫的引數',
  allowAll: { other: '全部允許一次（{count} 個）' },
  refuseAll: { other: '全部拒絕（{count} 個）' },
  notifyOn: '開啟通知',
  notifyOff: '關閉通知',
  notifyRefused: '通知已被封鎖，請在瀏覽器的網站設定中允許。',
  noticeTitle: 'Toolyard 需要您的回答',
  noticeText: '與 {tool} 有關。',
  noticeBudget: '預算已用完，一次執行正在等候。',
  subAgentOf: '子代理，屬於',
};
