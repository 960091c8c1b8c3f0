import type { LateTexts } from '../catalogue.ts';

export const models: LateTexts<'models'> = {
  search: '搜尋模型',
  notFound: '找不到名稱含「{query}」的模型。',
  none: '目前還沒有模型。',
  window: '一次可讀 {size} 個 token ',
  refresh: '重新詢問提供者',
  favourites: '收藏',
  favourite: '收藏 {model}',
  unfavourite: '取消收藏 {model}',
  price: '每百萬 token 的美元價格：讀入 / 寫出',
  manage: '新增或變更提供者',
  loading: '正在詢問提供者…',
  demoNote: '不是語言模型：以固定規則供您試用 Toolyard',
  count: { other: '找到 {count} 個模型' },
  reads: '可讀取{kinds}',
  image: '圖片',
  audio: '聲音',
  video: '影片',
};
