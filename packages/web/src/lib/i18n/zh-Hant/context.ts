import type { LazyTexts } from '../texts.ts';

export const context: LazyTexts<'context'> = {
  title: '上下文用量',
  label: '上下文：已用 {percent}%',
  of: '上次請求用了 {window} 個詞元中的 {tokens} 個（{percent}%）',
  part_instructions: '指示',
  part_tools: '工具',
  part_messages: '訊息與附件',
  part_results: '工具的結果',
  tokens: { other: '{count} 個詞元' },
  near: '用到 80% 時，會為模型壓縮較早的訊息；對話本身不會改變。',
  full: '下次請求時，會為模型壓縮較早的訊息；對話本身不會改變。',
  assumed: '模型沒有回報上下文視窗大小，這是假定值。',
  estimate: '估計值，會依模型回報的用量修正。',
  list: '下次請求的內容',
  ownInstructions: '指示',
  serverInstructions: '{server} 的指示',
  draft: '下一則訊息',
  earlier: '這個對話中',
  remove: '移除 {name}',
};
