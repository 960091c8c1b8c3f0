import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/**
 * An exported function, class or constant. `specifier`: the module that a program imports it from; `as`: the name there,
 * that of a namespace for its members; `comment`: the documentation comment before it.
 */
export type ExportedValue = { name: string; as: string; specifier: string; file: string; comment: string };

/** What the entry points of a package export of its own, in the order of its package.json. */
export function exportedValues(root: string, folder: string): ExportedValue[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, { 'toolyard-src': string }>;
  };
  return Object.entries(exports).flatMap(([path, { 'toolyard-src': source }]) =>
    listValues(join(root, folder, source)).map((value) => ({
      ...value,
      specifier: `${name}${path.slice(1)}`,
      file: relative(root, value.file),
    })),
  );
}

type Value = Omit<ExportedValue, 'specifier'>;

/** The values of a module, also those of other modules of the package that it exports again. */
function listValues(file: string): Value[] {
  const code = readFileSync(file, 'utf8');
  const { module, program, comments } = parseSync(file, code);
  const own: Value[] = [];
  const add = (name: string, start: number): void => {
    const before = comments.findLast(({ end }) => end <= start && code.slice(end, start).trim() === '');
    own.push({ name, as: name, file, comment: before?.value ?? '' });
  };
  new Visitor({
    ExportNamedDeclaration: ({ declaration, start }) => {
      if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration')
        add(declaration.id?.name ?? '', start);
      if (declaration?.type !== 'VariableDeclaration') return;
      for (const { id } of declaration.declarations) if (id.type === 'Identifier') add(id.name, start);
    },
  }).visit(program);
  const others = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, importName, exportName, moduleRequest }) => {
      if (isType || !moduleRequest?.value.startsWith('.')) return [];
      const values = listValues(join(dirname(file), moduleRequest.value));
      const { name: imported } = importName;
      if (imported !== null) return values.filter(({ name }) => name === imported);
      return values.map((value) => ({ ...value, as: exportName.name ?? value.as }));
    }),
  );
  return [...own, ...others];
}
