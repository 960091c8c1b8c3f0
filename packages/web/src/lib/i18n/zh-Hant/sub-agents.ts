import type { LazyTexts } from '../texts.ts';

export const subAgents: LazyTexts<'subAgents'> = {
  list: '子代理',
  state_working: '執行中',
  state_waiting: '需要您回答',
  state_done: '已完成',
  state_failed: '失敗',
  failedBecause: '失敗：{reason}',
  state_stopped: '已取消',
  of: '子代理，屬於',
};
