import type { LazyTexts } from '../catalogue.ts';

export const inbox: LazyTexts<'inbox'> = {
  intro: '所有对话中，工具与服务器向您提出的问题。这里的问题不会过期。',
  none: '没有等您处理的事。',
  count: { other: '有 {count} 个问题等您处理。' },
  question: '关于 {tool} 的问题',
  budget: '预算已用完',
  live: '调用会一直等到您回答为止。',
  batchTitle: { other: '{tool} 的 {count} 次调用' },
  batchText: '下方也可逐一处理。有疑虑或已变更的调用不在其中。',
  batchCalls: '各次调用的参数',
  allowAll: { other: '全部允许一次（{count} 次）' },
  refuseAll: { other: '全部拒绝（{count} 次）' },
  notifyOn: '有新问题时通知我',
  notifyOff: '停止通知',
  notifyRefused: '这个浏览器已设为不显示 Toolyard 的通知，可在浏览器设置中更改。',
  noticeTitle: 'Toolyard 等您处理',
  noticeText: '与 {tool} 有关。',
  noticeBudget: '一次运行因预算用完而等待。',
};
