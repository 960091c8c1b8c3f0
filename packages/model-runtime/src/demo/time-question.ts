import type { JsonObject } from '@toolyard/protocol';
import { findCities, type DemoCity } from './cities.ts';

/** The languages the demo answers in: English, traditional and simplified Chinese. */
export type Language = 'en' | 'hant' | 'hans';

export type TimeQuestion = { kind: 'time' | 'date' | 'unix'; cities: DemoCity[] };

/** The language of a text: Chinese if it contains a Chinese character; the first distinctive one selects the script. */
export function detectLanguage(text: string): Language {
  if (!/\p{Script=Han}/u.test(text)) return 'en';
  return /[现点时间号么吗东伦纽约几这说请谁历]/.test(text) ? 'hans' : 'hant';
}

/** Parses a question about time or date; null if the text asks something else. */
export function readTimeQuestion(text: string): TimeQuestion | null {
  const kind = questionKind(text.toLowerCase().replaceAll('’', "'"), findCities(text).length > 0);
  return kind === null ? null : { kind, cities: findCities(text) };
}

function questionKind(text: string, namesPlace: boolean): TimeQuestion['kind'] | null {
  if (/\bunix\b|\bepoch\b|\btimestamp\b|時間戳|时间戳/.test(text)) return 'unix';
  if (/幾點|几点|幾時|几时|幾分|几分/.test(text)) return 'time';
  if (/日期|幾號|几号|幾月|几月|(星期|禮拜|礼拜|週|周)(幾|几)/.test(text)) return 'date';
  if (/時間|时间/.test(text) && (namesPlace || /現在|现在|目前|當前|当前|什麼|什么|多少|當地|当地/.test(text)))
    return 'time';
  if (/\btime is it\b|\bwhat time\b|\b(current|local|exact) time\b|\btime (right )?now\b/.test(text)) return 'time';
  if (/\b(what's|what is|whats|tell me|show me) the time\b/.test(text)) return 'time';
  if (namesPlace && /\btime\b/.test(text)) return 'time';
  if (/\btoday's date\b|\bcurrent date\b|\bdate (is it )?(today|now)\b|\bwhat (day|date)\b/.test(text)) return 'date';
  if (/\b(what's|what is|whats|tell me|show me) the date\b/.test(text)) return 'date';
  return null;
}

const locales: Record<Language, string> = { en: 'en-US', hant: 'zh-TW', hans: 'zh-CN' };

/** The arguments of get-date for each place in the question; one call without a zone if it names none. */
export function dateCalls(question: TimeQuestion, language: Language): JsonObject[] {
  const format = question.kind === 'time' ? 'locale' : question.kind;
  const locale = question.kind === 'time' ? { locale: locales[language] } : {};
  // A Unix time is the same everywhere.
  if (question.cities.length === 0 || question.kind === 'unix') return [{ format, ...locale }];
  return question.cities.map((place) => ({ format, timezone: place.zone, ...locale }));
}
