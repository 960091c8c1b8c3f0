import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '@toolyard/protocol';
import ts from 'typescript';

const PACKAGES = fileURLToPath(new URL('../../../../../', import.meta.url));
/** Folders with the types of stored data, and the schemas they are inferred from. */
const FOLDERS = ['protocol/src', 'protocol/src/schemas', 'agent-runtime/src'];
const STORED_RUN = ['server/src/runs/worker/stored-run.ts', 'agent-host/src/durable/stored-run.ts'];
/** Types derived from the table of settings; `settingLines` lists those. */
const SETTINGS_FILE = 'protocol/src/settings.ts';
/** Data of a run in the database: its state, configuration and events. */
const ROOTS = ['StoredRun', 'RunConfiguration', 'RunEvent', 'LedgerEntry', 'StoredInterrupt', 'Message'];

/** The description of an event, which says nothing about what is stored. */
const EVENT_HELP = /(\bevent\('\w+'), '(?:[^'\\]|\\.)*'/g;

/** A hash of the types of all stored data of a run, in full and without comments: it changes with any of them. */
export function currentShape(): string {
  const files = FOLDERS.flatMap((folder) => readdirSync(join(PACKAGES, folder)).map((name) => `${folder}/${name}`));
  const scopes = new Scopes();
  const sources = files.filter((name) => /(?<!\.test)\.ts$/.test(name) && name !== SETTINGS_FILE);
  for (const file of [...sources, ...STORED_RUN]) {
    scopes.add(ts.createSourceFile(file, readFileSync(join(PACKAGES, file), 'utf8'), ts.ScriptTarget.Latest, true));
  }
  const printer = ts.createPrinter({ removeComments: true });
  const shown = new Map<ts.Node, string>();
  const roots = ROOTS.map((name) => scopes.find(name));
  while (roots.length > 0) {
    const node = roots.pop();
    if (!node || shown.has(node)) continue;
    shown.set(node, printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^export /, ''));
    roots.push(...scopes.referredToBy(node));
  }
  const types = [...shown.values()].sort().join('\n').replace(EVENT_HELP, '$1');
  return `${createHash('sha256').update(types).digest('hex')}\n`;
}

/** The settings, their kinds, and the options of enums: one line each. */
export function settingLines(): string[] {
  return Object.entries(SETTINGS).flatMap(([path, setting]) =>
    setting.kind === 'enum' ? setting.options.map((option) => `${path} = ${option}`) : [`${path}: ${setting.kind}`],
  );
}

/** Types and constants by file, because several files use the same names. */
class Scopes {
  readonly #files = new Map<ts.SourceFile, Map<string, ts.Node>>();

  add(source: ts.SourceFile): void {
    const declared = new Map<string, ts.Node>();
    this.#files.set(source, declared);
    source.forEachChild((node) => {
      if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) declared.set(node.name.text, node);
      if (!ts.isVariableStatement(node)) return;
      for (const { name } of node.declarationList.declarations)
        if (ts.isIdentifier(name)) declared.set(name.text, node);
    });
  }

  /** A declaration of the file itself, else an exported one of another file. */
  find(name: string, from?: ts.SourceFile): ts.Node | undefined {
    const own = from && this.#files.get(from)?.get(name);
    if (own) return own;
    for (const declared of this.#files.values()) {
      const node = declared.get(name);
      if (node && isExported(node)) return node;
    }
    return undefined;
  }

  /** The types and constants that a declaration refers to. */
  referredToBy(node: ts.Node): (ts.Node | undefined)[] {
    const found: (ts.Node | undefined)[] = [];
    const visit = (each: ts.Node): void => {
      if (ts.isIdentifier(each) && !isPropertyName(each)) found.push(this.find(each.text, each.getSourceFile()));
      each.forEachChild(visit);
    };
    visit(node);
    return found;
  }
}

function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node;
}
