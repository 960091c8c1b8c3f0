import { defined } from '@toolyard/protocol';
import type { GrammarState, HighlighterCore, ThemedToken } from 'shiki/core';
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { LanguageId } from './languages.ts';
import { getLoader } from './languages.ts';

/** Loaded with the first code block; only ever imported by `import()`. */

/** Highlights complete lines, starting from the state after the lines before. */
export type ColourLines = (lines: string, state: GrammarState | undefined) => { html: string; state: GrammarState };

const THEME = 'toolyard';
const VARIABLE = /^var\(--hl-([a-z-]+)\)$/;
/** A longer line is data and would block the page. */
const MAX_LINE_LENGTH = 2000;

let highlighter: Promise<HighlighterCore> | undefined;

/** One theme for both: a token gets a class, and the stylesheet decides on its colour. */
export async function loadColourLines(language: LanguageId): Promise<ColourLines> {
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--hl-', fontStyle: false })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const shiki = await highlighter;
  const { default: grammars } = await getLoader(language)();
  await shiki.loadLanguage(grammars);
  const name = grammarName(shiki, language);
  return (lines, grammarState) => {
    const tokens = shiki.codeToTokensBase(lines, {
      lang: name,
      theme: THEME,
      tokenizeMaxLineLength: MAX_LINE_LENGTH,
      // No time limit: it would leave lines partly tokenized, and all following ones wrong, whenever the page is
      // blocked.
      tokenizeTimeLimit: 0,
      ...defined({ grammarState }),
    });
    const state = shiki.getLastGrammarState(tokens);
    if (state === undefined) throw new Error('The highlighter has no state after a line.');
    return { html: tokens.map((line) => line.map(toHtml).join('')).join('\n'), state };
  };
}

function grammarName(shiki: HighlighterCore, language: LanguageId): string {
  return shiki.getLoadedLanguages().includes(language) ? language : 'text';
}

function toHtml({ content, color }: ThemedToken): string {
  const text = content.replace(/[&<>]/g, (character) => ESCAPED[character] ?? character);
  const name = VARIABLE.exec(color ?? '')?.[1];
  return name === undefined || name === 'foreground' ? text : `<span class="hl-${name}">${text}</span>`;
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
