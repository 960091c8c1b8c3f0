import type { Translation } from '../message.ts';
import type { setup as en } from '../en/setup.ts';

export const setup: Translation<typeof en> = {
  greeting: '想做些什么？',
  suggestions: '可以试试',
  time: '东京现在几点？',
  timeTwo: '伦敦和纽约现在几点？',
  tools: '你有哪些工具？分别适合做什么？',
  help: '演示提供者懂得什么？',
  slow: '看一条长回答逐字出现',
  explain: '用三句话解释天空为什么是蓝色的',
  plan: '规划一个悠闲的台北周末',
  write: '写一首关于敞开的窗的短诗',
  title: 'Toolyard 需要一个模型',
  lead: '除非您另作选择，一切都留在这台电脑上。有三种方式可以开始：',
  localTitle: '在这里运行模型',
  localText: '在这台电脑上启动 Ollama、llama.cpp 或 LM Studio，Toolyard 会自动找到。',
  localLook: '再找一次',
  localLooking: '查找中…',
  localNone: '还没有找到。程序是否正在运行，且已开启其服务器？',
  keyTitle: '使用提供者',
  keyText: '任何具有 OpenAI 兼容地址的服务都可以：填入地址和您的密钥。',
  keyAdd: '添加提供者',
  demoTitle: '先四处看看',
  demoText: '演示提供者不是语言模型，但真的会调用工具，不需要密钥也不需要网络。',
  demoTry: '向演示提供者询问时间',
};
