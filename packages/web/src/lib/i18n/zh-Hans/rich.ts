import type { LazyTexts } from '../catalogue.ts';

export const rich: LazyTexts<'rich'> = {
  note: '备注',
  tip: '提示',
  important: '重要',
  warning: '警告',
  caution: '注意',
  formula: '公式',
  badFormula: '公式有误：{reason}',
  diagram: '图表',
  diagramOf: '图表：{title}',
  badDiagram: '无法绘制此图表：{reason}',
  showDiagram: '显示图表',
  showSource: '显示源代码',
  footnotes: '脚注',
  footnote: '脚注 {number}',
  backToText: '返回脚注 {number} 的正文',
  source: '来源 {number}：{title}',
  copyCsv: '复制为 CSV',
  numbers: '行号',
  wrap: '自动换行',
  download: '下载代码',
};
