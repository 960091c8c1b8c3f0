import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '@toolyard/protocol';
import ts from 'typescript';

const PACKAGES = fileURLToPath(new URL('../../../../../', import.meta.url));
/** Where the types of what is stored stand. */
const ROOMS = ['protocol/src', 'agent-runtime/src'];
const STORED_RUN = ['server/src/runs/stored-run.ts', 'agent-host/src/durable/stored-run.ts'];
/** The types that follow from the table of settings; `settingLines` shows what they come to. */
const SETTINGS_FILE = 'protocol/src/settings.ts';
/** What a run has in the database: its state, its configuration, and its events. */
const ROOTS = ['StoredRun', 'RunConfiguration', 'RunEvent', 'LedgerEntry', 'StoredInterrupt', 'Message'];

/** The types of all that is stored of a run, in full and without comments: one text that changes when one of them does. */
export function currentShape(): string {
  const files = ROOMS.flatMap((room) => readdirSync(join(PACKAGES, room)).map((name) => `${room}/${name}`));
  const declared = new Map<string, ts.Node>();
  const types = files.filter((name) => /(?<!\.test)\.ts$/.test(name) && name !== SETTINGS_FILE);
  for (const file of [...types, ...STORED_RUN]) {
    const source = ts.createSourceFile(file, readFileSync(join(PACKAGES, file), 'utf8'), ts.ScriptTarget.Latest, true);
    source.forEachChild((node) => declare(node, declared));
  }
  const printer = ts.createPrinter({ removeComments: true });
  const shown = new Map<string, string>();
  const wanted = [...ROOTS];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const node = declared.get(name);
    if (!node || shown.has(name)) continue;
    shown.set(name, printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^export /, ''));
    wanted.push(...namesIn(node));
  }
  return [...shown.values()].sort().join('\n') + '\n';
}

/** The settings and their kinds, and every option of an enum: one line each. */
export function settingLines(): string[] {
  return Object.entries(SETTINGS).flatMap(([path, setting]) =>
    setting.kind === 'enum' ? setting.options.map((option) => `${path} = ${option}`) : [`${path}: ${setting.kind}`],
  );
}

/** Types, and the constants some of them are the type of. */
function declare(node: ts.Node, declared: Map<string, ts.Node>): void {
  if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) declared.set(node.name.text, node);
  if (!ts.isVariableStatement(node)) return;
  for (const { name } of node.declarationList.declarations) if (ts.isIdentifier(name)) declared.set(name.text, node);
}

function namesIn(node: ts.Node): string[] {
  const names: string[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isTypeReferenceNode(each) && ts.isIdentifier(each.typeName)) names.push(each.typeName.text);
    if (ts.isTypeQueryNode(each) && ts.isIdentifier(each.exprName)) names.push(each.exprName.text);
    each.forEachChild(visit);
  };
  visit(node);
  return names;
}
