import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Expression } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT } from './run.ts';

// Sentences that the server sends to the page in English, read from the sources. A test compares them with the texts that
// the page recognizes and translates (packages/web/src/lib/i18n/server-text.ts).

export type Sentence = { readonly file: string; readonly text: string };

/** In place of a value of unknown content. */
const VALUE = 'x';
/** Functions whose arguments are shown to users. */
const SHOWING_CALLS =
  /^(?:dangerFinding|unclearFinding|network|missingKeyError|unknown|failed|refused|unauthorized|warning|remark)$/;
const SHOWN_PROPERTIES = /^(?:message|hint|why|reason)$/;

/** The sentences in the sources that match a pattern, with `x` for each value. */
export function readSentences(pattern: string): Sentence[] {
  const files = globSync(pattern, { cwd: ROOT, exclude: ['**/*.test.ts', '**/test-fixtures/**'] }).toSorted();
  return files.flatMap((file) =>
    sentencesIn(file, readFileSync(join(ROOT, file), 'utf8')).map((text) => ({ file, text })),
  );
}

export function sentencesIn(file: string, source: string): string[] {
  const { program } = parseSync(file, source);
  const constants = new Map<string, Expression>();
  const shown: Expression[] = [];
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init);
      // The sentence of an error may be a variable beside its code.
      if (id.type === 'Identifier' && init !== null && SHOWN_PROPERTIES.test(id.name)) shown.push(init);
    },
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && SHOWN_PROPERTIES.test(key.name)) shown.push(value as Expression);
    },
    // A row of a table of dangers: programs, pattern, reason.
    ArrayExpression: ({ elements }) => {
      const [of, pattern, why] = elements;
      if (
        elements.length !== 3 ||
        of?.type !== 'Literal' ||
        (pattern?.type === 'Literal' && typeof pattern.value === 'string')
      )
        return;
      if (why && why.type !== 'SpreadElement') shown.push(why);
    },
    CallExpression: ({ callee, arguments: args }) => {
      if (callee.type !== 'Identifier' || !SHOWING_CALLS.test(callee.name)) return;
      for (const arg of args) if (arg.type !== 'SpreadElement') shown.push(arg);
    },
  });
  visitor.visit(program);
  const texts = shown.flatMap((expression) => textsOf(expression, constants) ?? []);
  return [...new Set(texts.map((text) => text.replaceAll(/\{\w+\}/g, VALUE)))].filter(isSentence);
}

/** The texts an expression may be; null if they are not known. */
function textsOf(expression: Expression, constants: ReadonlyMap<string, Expression>): string[] | null {
  switch (expression.type) {
    case 'Literal':
      return typeof expression.value === 'string' ? [expression.value] : null;
    case 'ConditionalExpression': {
      const consequent = textsOf(expression.consequent, constants);
      const alternate = textsOf(expression.alternate, constants);
      return consequent === null && alternate === null ? null : [...(consequent ?? [VALUE]), ...(alternate ?? [VALUE])];
    }
    case 'Identifier': {
      const constant = constants.get(expression.name);
      return constant === undefined || constant.type === 'Identifier' ? null : textsOf(constant, constants);
    }
    case 'TemplateLiteral':
      return expression.quasis.reduce<string[]>(
        (texts, { value }, at) => {
          const inner = expression.expressions[at];
          const values = inner === undefined ? [''] : (textsOf(inner, constants) ?? [VALUE]);
          return texts.flatMap((text) => values.map((each) => `${text}${value.cooked ?? ''}${each}`));
        },
        [''],
      );
    default:
      return null;
  }
}

/** Fragments of sentences and names are not translated alone. */
function isSentence(text: string): boolean {
  return /[a-z]{2,} \S/.test(text) && /[.!?]$/.test(text);
}
