import { readFileSync } from 'node:fs';
import type { Node, Program } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';

const SCRIPT = /<script\b[^>]*>([\s\S]*?)<\/script>/g;
/** The parser lists only top-level imports; nested ones require the syntax tree. */
const MAY_IMPORT_ELSEWHERE = /\b(?:import|require)\s*\(|\bimport\s+(?:type\s+)?\w+\s*=/;
const IMPORT_IN_MARKUP = /\bimport\(\s*(['"`])(.+?)\1/g;

/**
 * The specifiers that a TypeScript, JavaScript or Svelte file imports: values and types, static and dynamic. Ignores
 * syntax errors, which the type check and the formatter report.
 */
export function readImports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.svelte')) return importsOf(path, text);
  const scripts = [...text.matchAll(SCRIPT)].flatMap(([, code = '']) => importsOf(`${path}.ts`, code));
  const markup = text.replace(SCRIPT, '');
  return unique([...scripts, ...[...markup.matchAll(IMPORT_IN_MARKUP)].map(([, , specifier = '']) => specifier)]);
}

function importsOf(path: string, code: string): string[] {
  const parsed = parseSync(path, code);
  const { staticImports, staticExports } = parsed.module;
  const found = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
  ];
  if (MAY_IMPORT_ELSEWHERE.test(code)) found.push(...nestedImports(parsed.program));
  return unique(found);
}

/** `import()` as an expression and as a type, `require()` and `import a = require()`. */
function nestedImports(program: Program): string[] {
  const found: string[] = [];
  const add = (source: Node | undefined): void => {
    if (source?.type === 'Literal' && typeof source.value === 'string') found.push(source.value);
    if (source?.type === 'TemplateLiteral' && source.expressions.length === 0)
      found.push(source.quasis[0]?.value.cooked ?? '');
  };
  new Visitor({
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === 'Identifier' && callee.name === 'require') add(first);
    },
  }).visit(program);
  return found;
}

function unique(specifiers: readonly string[]): string[] {
  return [...new Set(specifiers)];
}
