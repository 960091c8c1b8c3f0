import type { LazyTexts } from '../texts.ts';

export const inbox: LazyTexts<'inbox'> = {
  intro: '所有对话中待您批准和回答的事项，不会过期。',
  none: '收件箱是空的。',
  noneText: '调用需要您批准，或工具、模型有问题要问您时，都会在这里等待，不论来自哪个对话，也不会过期。',
  toPermissions: '哪些调用需要批准',
  count: { other: '{count} 个待答复事项' },
  interrupt: '关于 {tool} 的问题',
  budget: '预算已用完',
  live: '调用会一直等到您回答为止。',
  batchTitle: { other: '“{server}”的“{tool}”：{count} 次调用' },
  batchText: '可一并回答，或在下方逐一处理。标记为危险的调用和已更改的工具不包含在内。',
  batchCalls: '各次调用的参数',
  allowAll: { other: '全部允许一次（{count} 次）' },
  refuseAll: { other: '全部拒绝（{count} 次）' },
  notifyOn: '开启通知',
  notifyOff: '关闭通知',
  notifyRefused: '通知已被阻止，请在浏览器的网站设置中允许。',
  noticeTitle: 'Toolyard 需要您的回答',
  noticeText: '与 {tool} 有关。',
  noticeBudget: '预算已用完，一次运行正在等待。',
  subAgentOf: '子智能体，属于',
};
