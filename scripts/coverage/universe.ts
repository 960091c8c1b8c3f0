import { globSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/** A statement of a source; offsets in UTF-16 units. */
type Statement = { file: string; start: number; end: number; line: number };

/** All statements of the sources, independent of what was executed, so that two runs can be compared. */
export type Universe = {
  readonly statements: readonly Statement[];
  /** Index of the innermost statement at an offset of a file (path from the root); -1 without one. */
  at(file: string, offset: number): number;
  /** The same by zero-based line and column, like source maps. */
  atPosition(file: string, line: number, column: number): number;
  has(file: string): boolean;
};

/** From each of `starts` to the next, `owners` names the innermost statement. */
type SourceIndex = { lineStarts: readonly number[]; starts: number[]; owners: number[] };

const SOURCES = ['packages/*/src/**/*.{ts,svelte}', 'servers/*/src/**/*.ts'];
const NO_SOURCES = /\.test\.ts$|\.d\.ts$|\/test-fixtures\/|\/node_modules\//;

/** Every statement of the published packages; `testing` and `e2e` are tests themselves. */
export function readUniverse(root: string): Universe {
  const files = globSync(SOURCES, { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !NO_SOURCES.test(`/${path}`))
    .sort();
  return universeOf(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
}

/** The statements of these sources, by path. */
export function universeOf(sources: ReadonlyMap<string, string>): Universe {
  const statements: Statement[] = [];
  const indexes = new Map<string, SourceIndex>();
  for (const [file, text] of sources) indexes.set(file, indexSource(file, text, statements));

  function at(file: string, offset: number): number {
    const index = indexes.get(file);
    if (index === undefined) return -1;
    return index.owners[lastNotAfter(index.starts, offset)] ?? -1;
  }

  return {
    statements,
    at,
    atPosition(file, line, column) {
      const start = indexes.get(file)?.lineStarts[line];
      return start === undefined ? -1 : at(file, start + column);
    },
    has: (file) => indexes.has(file),
  };
}

/** The path of a file relative to the root, with `/`. */
export function pathFrom(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

function indexSource(file: string, text: string, statements: Statement[]): SourceIndex {
  const code = file.endsWith('.svelte') ? scriptsOf(text) : text;
  const tree = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const index: SourceIndex = { lineStarts: tree.getLineStarts(), starts: [0], owners: [-1] };

  function visit(node: ts.Node, owner: number): void {
    if (isTypeOnly(node)) return;
    if (!counts(node)) {
      ts.forEachChild(node, (child) => visit(child, owner));
      return;
    }
    const [start, end] = [node.getStart(tree), node.getEnd()];
    const own = statements.length;
    statements.push({ file, start, end, line: tree.getLineAndCharacterOfPosition(start).line + 1 });
    index.starts.push(start);
    index.owners.push(own);
    ts.forEachChild(node, (child) => visit(child, own));
    index.starts.push(end);
    index.owners.push(owner);
  }

  visit(tree, -1);
  return index;
}

/** Replaces everything but the scripts of a component with spaces, which keeps offsets and lines. */
function scriptsOf(text: string): string {
  const found = /<!--[^]*?-->|(<script(?:\s+[^\s=>]+(?:=(?:"[^"]*"|'[^']*'|[^\s>]+))?)*\s*>)([^]*?)<\/script>/g;
  let code = '';
  let end = 0;
  for (const { 0: whole, 1: tag, 2: script, index } of text.matchAll(found)) {
    if (tag === undefined || script === undefined) continue;
    const start = index + tag.length;
    code += blank(text.slice(end, start)) + script;
    end = start + script.length;
    code += blank(whole.slice(tag.length + script.length));
    end = index + whole.length;
  }
  return code + blank(text.slice(end));
}

function blank(text: string): string {
  return text.replaceAll(/[^\n\r]/g, ' ');
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) ?? false)
  );
}

/** True for executable statements: not function and class declarations, but their content, and fields with a value. */
function counts(node: ts.Node): boolean {
  if (ts.isPropertyDeclaration(node)) return node.initializer !== undefined;
  // `export default <expression>` is executable, although the compiler does not classify it as a statement.
  if (ts.isExportAssignment(node) || isArrowExpression(node)) return true;
  if (ts.isBlock(node) || ts.isEmptyStatement(node) || ts.isLabeledStatement(node)) return false;
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return false;
  return ts.isStatement(node);
}

/** The body of an arrow function that is not a block. */
function isArrowExpression(node: ts.Node): boolean {
  // The root has no parent, although its type says so.
  const parent = node.parent as ts.Node | undefined;
  return parent !== undefined && ts.isArrowFunction(parent) && parent.body === node && !ts.isBlock(node);
}

/** The index of the last entry that is not greater; entries are sorted, and of equal ones it is the last. */
function lastNotAfter(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
