import type { Translation } from '../message.ts';
import type { setup as en } from '../en/setup.ts';

export const setup: Translation<typeof en> = {
  greeting: '想做些什麼？',
  suggestions: '可以試試',
  time: '東京現在幾點？',
  timeTwo: '倫敦和紐約現在幾點？',
  tools: '你有哪些工具？分別適合做什麼？',
  help: '示範懂得什麼？',
  slow: '顯示一則長回答',
  explain: '用三句話解釋天空為什麼是藍色的',
  plan: '規劃一個悠閒的台北週末',
  write: '寫一首關於敞開的窗的短詩',
};
