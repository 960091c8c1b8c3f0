import type { LazyTexts } from '../catalogue.ts';

export const subAgents: LazyTexts<'subAgents'> = {
  list: '子智能体',
  running: '运行中',
  asks: '需要您回答',
  done: '已完成',
  failed: '失败',
  failedBecause: '失败：{reason}',
  cancelled: '已取消',
  of: '子智能体，属于',
};
