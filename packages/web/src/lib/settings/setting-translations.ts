import type { SETTINGS, SettingPath } from '@toolyard/protocol';
import type { Locale } from '../i18n/locale.ts';

type Text = Readonly<Record<Locale, string>>;

/** The texts of a setting in the form. */
export type SettingTexts = {
  label: Text;
  hint: Text;
  /** Shown in an empty text field. */
  placeholder?: Text;
  /** The names of the options of an enum. */
  options?: Readonly<Record<string, Text>>;
};

type Settings = typeof SETTINGS;
/** The settings of the form. */
export type FormPath = { [Path in SettingPath]: Settings[Path] extends { form: object } ? Path : never }[SettingPath];
type TextsOf<S> = SettingTexts &
  (S extends { kind: 'text' } ? { placeholder: Text } : unknown) &
  (S extends { kind: 'enum'; options: readonly (infer Option extends string)[] }
    ? { options: Readonly<Record<Option, Text>> }
    : unknown);

/** All languages of a setting are in one place: each setting of the form has all its texts, or the page does not compile. */
export const SETTING_TEXTS: { readonly [Path in FormPath]: TextsOf<Settings[Path]> } = {
  instructions: {
    label: { en: 'Instructions', 'zh-Hant': '指示', 'zh-Hans': '指令' },
    hint: {
      en: 'Sent to the model before the conversation.',
      'zh-Hant': '會在其他內容之前傳送給模型。',
      'zh-Hans': '会在其他内容之前发送给模型。',
    },
    placeholder: {
      en: 'For example: answer briefly, and in Traditional Chinese.',
      'zh-Hant': '例如：請簡短地以繁體中文回答。',
      'zh-Hans': '例如：请简短地以简体中文回答。',
    },
  },
  'parameters.temperature': {
    label: { en: 'Temperature', 'zh-Hant': '溫度', 'zh-Hans': '温度' },
    hint: {
      en: '0 to 2. Lower values are more predictable, higher values more varied.',
      'zh-Hant': '0 到 2。越低越穩定，越高越多變。',
      'zh-Hans': '0 到 2。越低越稳定，越高越多变。',
    },
  },
  'parameters.topP': {
    label: { en: 'Top P', 'zh-Hant': 'Top P', 'zh-Hans': 'Top P' },
    hint: {
      en: '0 to 1. Share of the most likely tokens to sample from.',
      'zh-Hant': '0 到 1。從多大比例的可能字詞中選取。',
      'zh-Hans': '0 到 1。从多大比例的可能字词中选取。',
    },
  },
  'parameters.topK': {
    label: { en: 'Top K', 'zh-Hant': 'Top K', 'zh-Hans': 'Top K' },
    hint: {
      en: 'Number of the most likely tokens to sample from.',
      'zh-Hant': '從最可能的多少個詞中選取。',
      'zh-Hans': '从最可能的多少个词中选取。',
    },
  },
  'parameters.maxOutputTokens': {
    label: { en: 'Max output tokens', 'zh-Hant': '最大輸出詞元數', 'zh-Hans': '最大输出词元数' },
    hint: { en: 'Longer answers are cut off.', 'zh-Hant': '超出的回答會被截斷。', 'zh-Hans': '超出的回答会被截断。' },
  },
  'parameters.presencePenalty': {
    label: { en: 'Presence penalty', 'zh-Hant': '存在懲罰', 'zh-Hans': '存在惩罚' },
    hint: {
      en: '-2 to 2. Values above 0 favor new topics.',
      'zh-Hant': '-2 到 2。大於 0 時模型更多談新內容。',
      'zh-Hans': '-2 到 2。大于 0 时模型更多谈新内容。',
    },
  },
  'parameters.frequencyPenalty': {
    label: { en: 'Frequency penalty', 'zh-Hant': '頻率懲罰', 'zh-Hans': '频率惩罚' },
    hint: {
      en: '-2 to 2. Values above 0 reduce repetition.',
      'zh-Hant': '-2 到 2。大於 0 時更少重複。',
      'zh-Hans': '-2 到 2。大于 0 时更少重复。',
    },
  },
  'parameters.seed': {
    label: { en: 'Seed', 'zh-Hant': '隨機種子', 'zh-Hans': '随机种子' },
    hint: {
      en: 'Some models give the same answer for the same seed.',
      'zh-Hant': '同一個數字能讓部分模型重現完全相同的回答。',
      'zh-Hans': '同一个数字能让部分模型重现完全相同的回答。',
    },
  },
  'parameters.reasoningEffort': {
    label: { en: 'Reasoning effort', 'zh-Hant': '推理強度', 'zh-Hans': '推理强度' },
    hint: {
      en: 'For models that support reasoning. Each uses the nearest level it has.',
      'zh-Hant': '適用於支援推理的模型，自動採用最接近的一級。',
      'zh-Hans': '适用于支持推理的模型，自动选用最接近的一档。',
    },
    options: {
      none: { en: 'None', 'zh-Hant': '無', 'zh-Hans': '无' },
      minimal: { en: 'Minimal', 'zh-Hant': '極低', 'zh-Hans': '极低' },
      low: { en: 'Low', 'zh-Hant': '低', 'zh-Hans': '低' },
      medium: { en: 'Medium', 'zh-Hant': '中', 'zh-Hans': '中' },
      high: { en: 'High', 'zh-Hant': '高', 'zh-Hans': '高' },
      xhigh: { en: 'Very high', 'zh-Hant': '很高', 'zh-Hans': '很高' },
      max: { en: 'Maximum', 'zh-Hant': '最高', 'zh-Hans': '最高' },
    },
  },
  'parameters.stop': {
    label: { en: 'Stop sequences', 'zh-Hant': '停止序列', 'zh-Hans': '停止序列' },
    hint: {
      en: 'One per line; \\n stands for a line break.',
      'zh-Hant': '每行一個序列；\\n 代表換行。',
      'zh-Hans': '每行一个序列；\\n 代表换行。',
    },
  },
  'parameters.extra': {
    label: {
      en: 'Additional request fields (JSON)',
      'zh-Hant': '其他請求欄位（JSON）',
      'zh-Hans': '其他请求字段（JSON）',
    },
    hint: {
      en: 'For features of a single provider. Sent unchanged.',
      'zh-Hant': '某個供應商特有的欄位，原樣傳送。',
      'zh-Hans': '某个提供商特有的字段，原样发送。',
    },
  },
  'limits.maxTurns': {
    label: { en: 'Max turns', 'zh-Hant': '最大回合數', 'zh-Hans': '最大轮次' },
    hint: {
      en: 'Model requests per message, including those after tool calls.',
      'zh-Hant': '每則訊息最多的模型請求次數，包含工具呼叫後的請求。',
      'zh-Hans': '每条消息最多的模型请求次数，包含工具调用后的请求。',
    },
  },
  toolMode: {
    label: { en: 'Tool calls', 'zh-Hant': '工具呼叫', 'zh-Hans': '工具调用' },
    hint: {
      en: '“As text” is for models without native tool calls.',
      'zh-Hant': '「以文字」適用於本身無法呼叫工具的模型。',
      'zh-Hans': '“以文本”适用于本身无法调用工具的模型。',
    },
    options: {
      native: { en: 'Native', 'zh-Hant': '原生', 'zh-Hans': '原生' },
      text: { en: 'As text', 'zh-Hant': '以文字', 'zh-Hans': '以文本' },
    },
  },
  toolSearchPercent: {
    label: { en: 'Search tools above', 'zh-Hant': '改用工具搜尋的門檻', 'zh-Hans': '改用工具搜索的阈值' },
    hint: {
      en: 'Percent of the context window. If tool definitions take more, the model searches for the tools it needs. 10 by default.',
      'zh-Hant': '佔上下文視窗的百分比。工具定義超過此比例時，模型會改為搜尋所需的工具。預設為 10。',
      'zh-Hans': '占上下文窗口的百分比。工具定义超过此比例时，模型会改为搜索所需的工具。默认为 10。',
    },
  },
  skillCatalogueTokens: {
    label: { en: 'List of skills', 'zh-Hant': '技能清單', 'zh-Hans': '技能列表' },
    hint: {
      en: 'Tokens that the names and descriptions of skills may take in a request; skills beyond that are left out. 2,000 by default.',
      'zh-Hant': '技能名稱與說明在每次請求中最多佔用的詞元數；超出的技能不列出。預設為 2,000。',
      'zh-Hans': '技能名称与说明在每次请求中最多占用的词元数；超出的技能不列出。默认为 2,000。',
    },
  },
  intervention: {
    label: { en: 'Approval of tool calls', 'zh-Hant': '工具呼叫審核', 'zh-Hans': '工具调用审批' },
    hint: {
      en: 'Dangerous actions (mass deletion, reading keys) always ask.',
      'zh-Hant': '危險操作（大量刪除、讀取金鑰）一律詢問。',
      'zh-Hans': '危险操作（批量删除、读取密钥）始终询问。',
    },
    options: {
      manual: { en: 'Ask for every call', 'zh-Hant': '每次呼叫都詢問', 'zh-Hans': '每次调用都询问' },
      'allow-list': {
        en: 'Ask unless a rule allows it',
        'zh-Hant': '詢問，除非規則允許',
        'zh-Hans': '询问，除非规则允许',
      },
      auto: { en: 'Run without asking', 'zh-Hant': '直接執行，不詢問', 'zh-Hans': '直接运行，不询问' },
      headless: { en: 'Never ask: deny', 'zh-Hant': '從不詢問：拒絕', 'zh-Hans': '从不询问：拒绝' },
    },
  },
};
