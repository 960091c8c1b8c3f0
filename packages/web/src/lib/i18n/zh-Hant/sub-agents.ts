import type { LazyTexts } from '../catalogue.ts';

export const subAgents: LazyTexts<'subAgents'> = {
  list: '子代理',
  running: '執行中',
  asks: '需要您回答',
  done: '已完成',
  failed: '失敗',
  failedBecause: '失敗：{reason}',
  cancelled: '已取消',
  of: '子代理，屬於',
};
