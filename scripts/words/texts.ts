import { parseSync, Visitor } from 'oxc-parser';

/** A piece of text that people read, and where it begins in its file. */
export type Text = { readonly text: string; readonly offset: number };

const SCRIPT = /<script\b[^>]*>([\s\S]*?)<\/script>/dg;
const MARKUP_COMMENT = /<!--[\s\S]*?-->/g;
const TEST_TITLES = /^(?:it|test|describe)\b/;
const TEST_CODE = /\.test\.ts$|\/test-fixtures\/|^e2e\/|^testing\//;

/**
 * The texts of a file: comments, and strings of more than one word; of a test only comments and titles, because its
 * other strings are data. In Markdown everything but code.
 */
export function textsOf(path: string, source: string): Text[] {
  if (path.endsWith('.md')) return [{ text: withoutCode(source), offset: 0 }];
  const isTest = TEST_CODE.test(path);
  if (!path.endsWith('.svelte')) return textsOfCode(path, source, isTest);
  const scripts = [...source.matchAll(SCRIPT)].flatMap((found) => {
    const begin = found.indices?.[1]?.[0] ?? 0;
    return textsOfCode(`${path}.ts`, found[1] ?? '', isTest).map(({ text, offset }) => ({
      text,
      offset: begin + offset,
    }));
  });
  const comments = [...source.matchAll(MARKUP_COMMENT)].map(({ 0: text, index }) => ({ text, offset: index }));
  return [...scripts, ...comments];
}

function textsOfCode(path: string, code: string, isTest: boolean): Text[] {
  const { comments, program } = parseSync(path, code);
  const texts: Text[] = comments.map(({ value, start }) => ({ text: withoutCodeSpans(value), offset: start + 2 }));
  const add = (text: string, offset: number): void => {
    if (text.trim().includes(' ')) texts.push({ text: withoutCodeSpans(text), offset });
  };
  const visitor = isTest
    ? new Visitor({
        CallExpression: ({ callee, arguments: [title] }) => {
          if (!title || !TEST_TITLES.test(code.slice(callee.start, callee.end))) return;
          if (title.type === 'Literal' && typeof title.value === 'string') add(title.value, title.start + 1);
          if (title.type === 'TemplateLiteral') add(code.slice(title.start + 1, title.end - 1), title.start + 1);
        },
      })
    : new Visitor({
        Literal: ({ value, start }) => {
          if (typeof value === 'string') add(value, start + 1);
        },
        // A single word beside a value is a part of a sentence.
        TemplateElement: ({ value, start }) => {
          if (value.raw.includes(' ')) texts.push({ text: withoutCodeSpans(value.raw), offset: start });
        },
      });
  visitor.visit(program);
  return texts;
}

/** Blanks of the same length, so that offsets stay. */
function withoutCode(markdown: string): string {
  return withoutCodeSpans(markdown.replace(/^( *)(`{3,})[\s\S]*?^ *\2/gm, blank));
}

function withoutCodeSpans(text: string): string {
  return text.replace(/`[^`\n]*`|\]\([^)\n]*\)/g, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, '-');
}
