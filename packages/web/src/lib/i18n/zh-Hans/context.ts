import type { LazyTexts } from '../texts.ts';

export const context: LazyTexts<'context'> = {
  title: '上下文用量',
  label: '上下文：已用 {percent}%',
  of: '上次请求用了 {window} 个词元中的 {tokens} 个（{percent}%）',
  part_instructions: '指令',
  part_tools: '工具',
  part_messages: '消息与附件',
  part_results: '工具的结果',
  tokens: { other: '{count} 个词元' },
  near: '用到 80% 时，会为模型压缩较早的消息；对话本身不会改变。',
  full: '下次请求时，会为模型压缩较早的消息；对话本身不会改变。',
  assumed: '模型没有报告上下文窗口大小，这是假定值。',
  estimate: '估计值，会根据模型报告的用量修正。',
  list: '下次请求的内容',
  ownInstructions: '指令',
  serverInstructions: '{server} 的说明',
  draft: '下一条消息',
  earlier: '此对话中',
  remove: '移除 {name}',
};
