import type { LazyTexts } from '../catalogue.ts';

export const context: LazyTexts<'context'> = {
  title: '模型的窗口装了什么',
  label: '上下文：已用 {percent}%',
  of: '上次请求用了 {window} 个词元中的 {tokens} 个（{percent}%）',
  part_instructions: '指示（包括服务器的说明）',
  part_tools: '工具',
  part_messages: '消息与附件',
  part_results: '工具的结果',
  tokens: { other: '{count} 个词元' },
  near: '用到 80% 时，会为模型将较早的对话整理成摘要；这里的对话不会改变。',
  full: '下次请求时，会为模型将较早的对话整理成摘要；这里的对话不会改变。',
  assumed: '模型没有说明窗口大小，这是假定值。',
  estimate: '这是估计值，会根据模型报告的数字修正。',
};
