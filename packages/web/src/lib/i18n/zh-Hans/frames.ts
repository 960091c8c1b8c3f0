import type { LazyTexts } from '../texts.ts';

export const frames: LazyTexts<'frames'> = {
  failed_unreachable:
    '显示此内容的框架没有响应。如果服务器刚刚重启，请刷新页面；如果您通过端口转发或代理访问这台机器，请设置 --frame-port 或 --frame-origin。',
  failed_timeout: '内容未能在限定时间内加载。',
  failed_left: '内容试图在框架中打开其他网址，已被阻止，内容也因此消失。',
  failed_flood: '内容发送了过多消息，已被停止。',
  again: '重新加载',
};
