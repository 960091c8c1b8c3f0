import type { tools as en } from '../en/tools.ts';
import type { Translation } from '../message.ts';

export const tools: Translation<typeof en> = {
  call: '工具调用 {tool}',
  unnamed: '工具调用',
  stateWriting: '正在编写…',
  stateWaiting: '排队等待',
  stateApproval: '等待您的决定',
  stateInDoubt: '等待您的回答',
  stateRunning: '运行中',
  stateDone: '完成',
  stateFailed: '失败',
  stateRefused: '已拒绝',
  stateCancelled: '已停止',
  stateUnknown: '结果不明',
  stateMalformed: '无法读取的调用',
  progress: '{tool} 的进度',
  askedNothing: '没有参数',
  images: { other: '{count} 张图片' },
  showAll: '全部显示',
  showLess: '收起',
  tooLong: '这里只是开头，全文共有 {count} 个字符。',
  saveText: '另存为文件',
  save: '保存 {name}',
  saveFailed: '无法保存 {name}。',
  image: '{tool} 返回的图片',
};
