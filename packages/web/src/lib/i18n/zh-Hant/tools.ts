import type { tools as en } from '../en/tools.ts';
import type { Translation } from '../message.ts';

export const tools: Translation<typeof en> = {
  call: '工具呼叫 {tool}',
  unnamed: '工具呼叫',
  stateWriting: '撰寫中…',
  stateWaiting: '排隊等候',
  stateApproval: '等候您的決定',
  stateInDoubt: '等候您的回答',
  stateRunning: '執行中',
  stateDone: '完成',
  stateFailed: '失敗',
  stateRefused: '已拒絕',
  stateCancelled: '已停止',
  stateUnknown: '結果不明',
  stateMalformed: '無法讀取的呼叫',
  progress: '{tool} 的進度',
  askedNothing: '沒有引數',
  images: { other: '{count} 張圖片' },
  showAll: '全部顯示',
  showLess: '顯示較少',
  tooLong: '這裡只是開頭，全文共有 {count} 個字元。',
  saveText: '另存為檔案',
  save: '儲存 {name}',
  saveFailed: '無法儲存 {name}。',
  image: '{tool} 傳回的圖片',
};
