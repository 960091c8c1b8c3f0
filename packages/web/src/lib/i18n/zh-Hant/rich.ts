import type { LazyTexts } from '../catalogue.ts';

export const rich: LazyTexts<'rich'> = {
  note: '附註',
  tip: '提示',
  important: '重要',
  warning: '警告',
  caution: '注意',
  formula: '公式',
  badFormula: '公式有誤：{reason}',
  diagram: '圖表',
  diagramOf: '圖表：{title}',
  badDiagram: '無法繪製這個圖表：{reason}',
  showDiagram: '顯示圖表',
  showSource: '顯示原始碼',
  footnotes: '註腳',
  footnote: '註腳 {number}',
  backToText: '回到註腳 {number} 的內文',
  source: '來源 {number}：{title}',
  copyCsv: '複製為 CSV',
  numbers: '行號',
  wrap: '自動換行',
  download: '下載程式碼',
};
