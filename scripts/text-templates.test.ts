import { expect, it } from 'vitest';
import { serverTexts as simplified } from '../packages/web/src/lib/i18n/zh-Hans/server-texts.ts';
import { serverTexts as traditional } from '../packages/web/src/lib/i18n/zh-Hant/server-texts.ts';
import { GET_DATE } from '../servers/date/src/tool.ts';
import { readTemplates, templatesIn } from './text-templates.ts';

/** The server for dates imports none of our packages. */
const OF_DATE_SERVER = ['Date and time', GET_DATE.title, GET_DATE.description];

it.each([
  ['zh-Hant', traditional],
  ['zh-Hans', simplified],
])('every text for users has one translation in %s, and there are no others', (_locale, translations) => {
  const sources = readTemplates();
  const templates = new Set([...sources.keys(), ...OF_DATE_SERVER]);
  expect([...sources].filter(([template]) => !(template in translations))).toEqual([]);
  expect(Object.keys(translations).filter((template) => !templates.has(template))).toEqual([]);
});

it('reads the template of a text with its values numbered', () => {
  const source = 'say`${a} is not \\`b\\`: ${`c${d}`}.`; other`e`; const f = `g`;';
  expect(templatesIn('a.ts', source)).toEqual(['{0} is not `b`: {1}.']);
});
