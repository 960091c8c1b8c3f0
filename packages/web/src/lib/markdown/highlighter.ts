import { defined } from '@toolyard/protocol';
import type { GrammarState, HighlighterCore, ThemedToken } from 'shiki/core';
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { LanguageId } from './languages.ts';
import { loaderOf } from './languages.ts';

/** Loaded when the first code is shown; nothing else of the page imports it but by `import()`. */

/** Colours whole lines, from where the lines before them left off. */
export type ColourLines = (lines: string, state: GrammarState | undefined) => { html: string; state: GrammarState };

const THEME = 'toolyard';
const VARIABLE = /^var\(--hl-([a-z-]+)\)$/;
/** A line longer than this is data, and would hold up the page. */
const LONGEST_LINE = 2000;

let highlighter: Promise<HighlighterCore> | undefined;

/** Both themes are one: a token gets a class, and the page's style says which colour that is now. */
export async function colourLinesOf(language: LanguageId): Promise<ColourLines> {
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--hl-', fontStyle: false })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const shiki = await highlighter;
  const { default: grammars } = await loaderOf(language)();
  await shiki.loadLanguage(grammars);
  const name = grammarName(shiki, language);
  return (lines, grammarState) => {
    const tokens = shiki.codeToTokensBase(lines, {
      lang: name,
      theme: THEME,
      tokenizeMaxLineLength: LONGEST_LINE,
      // A clock would leave lines half read, and all behind them wrong, wherever the page is held up.
      tokenizeTimeLimit: 0,
      ...defined({ grammarState }),
    });
    const state = shiki.getLastGrammarState(tokens);
    if (state === undefined) throw new Error('The highlighter lost its place.');
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
