import type { DemoCity } from './cities.ts';
import type { Language, TimeQuestion } from './time-question.ts';

/** The demo's sentences about time, in its three languages. */
type Wording = {
  note: string;
  introduction: string;
  noTool: string;
  callsDisabled: string;
  failed: (tool: string, text: string) => string;
  time: (place: string | null, text: string) => string;
  date: (place: string | null, text: string) => string;
  unix: (text: string) => string;
};

export const WORDING: Record<Language, Wording> = {
  en: {
    note: '(Answered by the demo provider, which is not a language model.)',
    introduction:
      'I am the demo provider: not a language model, only a few fixed rules that show how Toolyard works without a key or a network. Ask me what time it is, for instance in Tokyo and London, or type /help.',
    noTool: 'You asked for the time, but no tool named get-date is available, and I have no clock of my own.',
    callsDisabled: 'You asked for the time, but tool calls are disabled for this turn, and I have no clock of my own.',
    failed: (tool, text) => `The tool ${tool} reported an error: ${text}`,
    time: (place, text) => (place === null ? `It is now ${text}.` : `In ${place} it is now ${text}.`),
    date: (place, text) => (place === null ? `Today's date is ${text}.` : `In ${place} today's date is ${text}.`),
    unix: (text) => `The Unix time is ${text}.`,
  },
  hant: {
    note: '（由示範提供者回答，它不是語言模型。）',
    introduction:
      '我是示範提供者：不是語言模型，只有幾條固定規則，讓您不需金鑰、不需網路就能試用 Toolyard。您可以問我現在幾點，例如東京和倫敦的時間，或輸入 /help。',
    noTool: '您問的是時間，但目前沒有名為 get-date 的工具，而我自己沒有時鐘。',
    callsDisabled: '您問的是時間，但這一輪不能呼叫工具，而我自己沒有時鐘。',
    failed: (tool, text) => `工具 ${tool} 回報錯誤：${text}`,
    time: (place, text) => `${place === null ? '' : place}現在是 ${text}。`,
    date: (place, text) => `${place === null ? '' : place}今天的日期是 ${text}。`,
    unix: (text) => `目前的 Unix 時間是 ${text}。`,
  },
  hans: {
    note: '（由演示提供者回答，它不是语言模型。）',
    introduction:
      '我是演示提供者：不是语言模型，只有几条固定规则，让您不需密钥、不需网络就能试用 Toolyard。您可以问我现在几点，例如东京和伦敦的时间，或输入 /help。',
    noTool: '您问的是时间，但目前没有名为 get-date 的工具，而我自己没有时钟。',
    callsDisabled: '您问的是时间，但这一轮不能调用工具，而我自己没有时钟。',
    failed: (tool, text) => `工具 ${tool} 报告错误：${text}`,
    time: (place, text) => `${place === null ? '' : place}现在是 ${text}。`,
    date: (place, text) => `${place === null ? '' : place}今天的日期是 ${text}。`,
    unix: (text) => `当前的 Unix 时间是 ${text}。`,
  },
};

/** The sentence for one result of the clock tool. */
export function timeSentence(question: TimeQuestion, place: DemoCity | null, text: string, language: Language): string {
  const wording = WORDING[language];
  const name = place === null ? null : place[language];
  switch (question.kind) {
    case 'time':
      return wording.time(name, text);
    case 'date':
      return wording.date(name, text);
    case 'unix':
      return wording.unix(text);
  }
}
