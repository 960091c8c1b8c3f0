import type { Translation } from '../message.ts';
import type { setup as en } from '../en/setup.ts';

export const setup: Translation<typeof en> = {
  greeting: '想做些什麼？',
  suggestions: '可以試試',
  time: '東京現在幾點？',
  timeTwo: '倫敦和紐約現在幾點？',
  tools: '您有哪些工具？分別適合做什麼？',
  server: '您可以用「{server}」幫我做什麼？',
  useTool: '使用 {server} 的 {tool}…',
  useToolText: '使用「{tool}」工具來',
  messagesWait: '現在傳送的訊息會等待載入完成。',
  noServers: '目前只有內建工具。',
  addServer: '新增伺服器',
  help: '示範懂得什麼？',
  slow: '顯示一則長回答',
  explain: '用三句話解釋天空為什麼是藍色的',
  plan: '規劃一個悠閒的台北週末',
  write: '寫一首關於敞開的窗的短詩',
};
