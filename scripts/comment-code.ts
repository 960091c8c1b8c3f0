import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedValue } from './exported-values.ts';
import { exportedValues } from './exported-values.ts';
import { ROOT } from './run.ts';

/** The packages of the library. */
const LIBRARY = ['packages/agent-host', 'packages/mcp-host', 'packages/model-runtime'];
const EXAMPLE = /@example\s([\s\S]*?)(?=\n@|$)/;
/** The names that a declaration of an example binds. */
const BOUND = /\b(?:const|let) (\{[^}]*\}|\[[^\]]*\]|\w+)/g;
const DECLARED = /^declare const (\w+)/;
/** A constant without behaviour, such as a limit, needs no example. */
const CONSTANT = /^[A-Z][A-Z\d_]+$/;

/** The functions and classes of the library whose comment has no example. */
export function exportsWithoutExample(): string[] {
  return LIBRARY.flatMap((folder) => exportedValues(ROOT, folder))
    .filter(({ name, comment }) => !CONSTANT.test(name) && !EXAMPLE.test(comment))
    .map(({ name, file }) => `${file}: ${name}`);
}

/** The examples in the comments of the library as programs, by the name of a file for each. */
export function commentCode(): Map<string, string> {
  const values = [
    ...LIBRARY.flatMap((folder) => exportedValues(ROOT, folder)),
    ...exportedValues(ROOT, 'packages/protocol'),
  ];
  // Of two with the same name the later entry point counts: `createAgent` of Node needs no platform.
  const specifiers = new Map(values.map(({ as, specifier }) => [as, specifier]));
  const declarations = readFileSync(join(ROOT, 'scripts', 'comment-code-names.txt'), 'utf8').split('\n');
  const program = ({ comment }: ExportedValue): string | null => {
    const text = comment.replaceAll(/^ *\* ?/gm, '').trimEnd();
    const code = EXAMPLE.exec(text)?.[1];
    if (code === undefined) return null;
    const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);
    const own = new Set([...code.matchAll(BOUND)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []));
    const imports = [...specifiers].filter(([name]) => isUsed(name));
    const names = declarations.filter((line) => {
      const [, name] = DECLARED.exec(line) ?? [];
      return name === undefined || (isUsed(name) && !own.has(name));
    });
    const lines = [...imports.map(([name, from]) => `import { ${name} } from '${from}';`), ...names];
    return `${lines.join('\n')}\nexport async function example() {\n${code}\n}\n`;
  };
  const library = values.filter(({ file }) => LIBRARY.some((folder) => file.startsWith(folder)));
  return new Map(
    library.flatMap((value) => {
      const code = program(value);
      return code === null ? [] : [[`${value.file.replaceAll(/[^a-z0-9]+/gi, '-')}-${value.name}.ts`, code]];
    }),
  );
}
