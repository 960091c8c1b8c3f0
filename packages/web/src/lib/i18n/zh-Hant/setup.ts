import type { Translation } from '../message.ts';
import type { setup as en } from '../en/setup.ts';

export const setup: Translation<typeof en> = {
  greeting: '想做些什麼？',
  suggestions: '可以試試',
  time: '東京現在幾點？',
  timeTwo: '倫敦和紐約現在幾點？',
  tools: '你有哪些工具？分別適合做什麼？',
  help: '示範提供者懂得什麼？',
  slow: '看一則長回答逐字出現',
  explain: '用三句話解釋天空為什麼是藍色的',
  plan: '規劃一個悠閒的台北週末',
  write: '寫一首關於敞開的窗的短詩',
  title: 'Toolyard 需要一個模型',
  lead: '除非您另作選擇，一切都留在這台電腦上。有三種方式可以開始：',
  localTitle: '在這裡執行模型',
  localText: '在這台電腦上啟動 Ollama、llama.cpp 或 LM Studio，Toolyard 會自動找到。',
  localLook: '再找一次',
  localLooking: '尋找中…',
  localNone: '還沒有找到。程式是否正在執行，且已開啟其伺服器？',
  keyTitle: '使用提供者',
  keyText: '任何具有 OpenAI 相容位址的服務都可以：填入位址和您的金鑰。',
  keyAdd: '新增提供者',
  demoTitle: '先四處看看',
  demoText: '示範提供者不是語言模型，但真的會呼叫工具，不需要金鑰也不需要網路。',
  demoTry: '向示範提供者詢問時間',
};
