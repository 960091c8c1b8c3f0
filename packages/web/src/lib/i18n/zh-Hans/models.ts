import type { LateTexts } from '../catalogue.ts';

export const models: LateTexts<'models'> = {
  search: '搜索模型',
  notFound: '找不到名称含“{query}”的模型。',
  none: '目前还没有模型。',
  window: '一次可读 {size} 个 token ',
  refresh: '重新询问提供者',
  favourites: '收藏',
  favourite: '收藏 {model}',
  unfavourite: '取消收藏 {model}',
  price: '每百万 token 的美元价格：读入 / 写出',
  manage: '添加或更改提供者',
  loading: '正在询问提供者…',
  demoNote: '不是语言模型：以固定规则供您试用 Toolyard',
  count: { other: '找到 {count} 个模型' },
  reads: '可读取{kinds}',
  image: '图片',
  audio: '声音',
  video: '视频',
};
