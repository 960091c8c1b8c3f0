import type { Translation } from '../message.ts';
import type { setup as en } from '../en/setup.ts';

export const setup: Translation<typeof en> = {
  greeting: '想做些什么？',
  suggestions: '可以试试',
  time: '东京现在几点？',
  timeTwo: '伦敦和纽约现在几点？',
  tools: '您有哪些工具？分别适合做什么？',
  server: '您可以用“{server}”帮我做什么？',
  useTool: '使用 {server} 的 {tool}…',
  useToolText: '使用“{tool}”工具来',
  messagesWait: '现在发送的消息会等待加载完成。',
  noServers: '目前只有内置工具。',
  addServer: '添加服务器',
  help: '演示懂得什么？',
  slow: '显示一条长回答',
  explain: '用三句话解释天空为什么是蓝色的',
  plan: '规划一个悠闲的台北周末',
  write: '写一首关于敞开的窗的短诗',
};
