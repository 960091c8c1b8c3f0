import type { LazyTexts } from '../texts.ts';

export const subAgents: LazyTexts<'subAgents'> = {
  list: '子智能体',
  state_working: '运行中',
  state_waiting: '需要您回答',
  state_done: '已完成',
  state_failed: '失败',
  failedBecause: '失败：{reason}',
  state_stopped: '已取消',
  of: '子智能体，属于',
};
