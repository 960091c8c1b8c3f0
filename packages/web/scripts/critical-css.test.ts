import { expect, it } from 'vitest';
import { criticalCss } from './critical-css.ts';

const HTML = '<p class="flex md:w-\\[1px\\] p-1"></p>';

it.each([
  ['rules without a class', 'a,p{margin:0}', 'a,p{margin:0}'],
  ['rules of classes in the page', '.flex{display:flex}.grid{display:grid}', '.flex{display:flex}'],
  ['one of several selectors', '.grid,.flex:hover{top:0}', '.grid,.flex:hover{top:0}'],
  ['no rule of other elements in them', '.flex .grid{top:0}', ''],
  ['groups', '@media (width>1px){.flex{top:0}.grid{top:0}}', '@media (width>1px){.flex{top:0}}'],
  ['no empty groups, but the order of layers', '@layer a{.grid{top:0}}@media x{.grid{top:0}}', '@layer a;'],
  ['strings and comments', '/*{*/p{content:"}"}.grid{content:"{"}', 'p{content:"}"}'],
  ['properties in use', 'p{top:var(--a)}@property --a{x:y}@property --b{x:y}', 'p{top:var(--a)}@property --a{x:y}'],
  ['no animations', '@keyframes a{to{top:0}}', ''],
])('keeps %s', (_what, css, kept) => {
  expect(criticalCss(css, HTML)).toBe(kept);
});
