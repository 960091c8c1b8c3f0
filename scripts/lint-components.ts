import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte2tsx } from 'svelte2tsx';
import { PAGE } from './packages.ts';
import { runTool } from './run.ts';

/**
 * Runs the type-aware rules about promises on components: oxlint does not parse `.svelte` files, and ESLint with type
 * information is several times slower. oxlint checks the TypeScript that svelte2tsx generates from components.
 */
const RULES = {
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/await-thenable': 'error',
};
const CONFIG = {
  plugins: ['typescript'],
  categories: { correctness: 'off' },
  options: { typeAware: true },
  rules: RULES,
};

/** Inside the page's package: generated files resolve packages and relative imports as the components do. */
const GENERATED = join(PAGE, '.svelte-kit', 'lint');
const resolveFile = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier));

/** Returns the findings, with locations in the components, or null. */
export async function lintComponents(cwd: string): Promise<string | null> {
  const folder = join(cwd, GENERATED);
  rmSync(folder, { recursive: true, force: true });
  const maps = new Map<string, SourceMap>();
  for (const component of globSync('src/**/*.svelte', { cwd: join(cwd, PAGE) })) {
    const text = readFileSync(join(cwd, PAGE, component), 'utf8');
    const transpiled = transpile(component, text);
    // ESLint reports syntax errors.
    if (transpiled === null) continue;
    const { code, map } = transpiled;
    const generated = `${component}.ts`;
    const payload = { ...map, file: generated, sourcesContent: [], sourceRoot: '' };
    maps.set(join(GENERATED, generated), new SourceMap(payload));
    mkdirSync(dirname(join(folder, generated)), { recursive: true });
    writeFileSync(join(folder, generated), code);
  }
  if (maps.size === 0) return null;
  const types = [
    resolveFile('svelte2tsx/svelte-shims-v4.d.ts'),
    join(dirname(resolveFile('svelte/package.json')), 'svelte-html.d.ts'),
  ];
  const tsconfig = {
    extends: '../../tsconfig.json',
    compilerOptions: { rootDirs: ['../..', '../types', '.'] },
    files: types,
    include: ['src', '../../src'],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  writeFileSync(join(folder, 'oxlint.json'), JSON.stringify(CONFIG));
  const args = ['-c', join(GENERATED, 'oxlint.json'), '--format=unix', '--disable-nested-config', '--no-ignore'];
  const { code, output } = await runTool('oxlint/bin/oxlint', [...args, ...maps.keys()], { cwd, quiet: true });
  return code === 0
    ? null
    : output
        .split('\n')
        .map((line) => inComponent(line, maps))
        .join('\n');
}

function transpile(component: string, text: string): ReturnType<typeof svelte2tsx> | null {
  try {
    return svelte2tsx(text, { filename: component, isTsFile: true, mode: 'ts', version: '5.0.0' });
  } catch {
    return null;
  }
}

/** A line of oxlint with the place in the component. */
function inComponent(line: string, maps: ReadonlyMap<string, SourceMap>): string {
  const found = /^(?<file>.+?):(?<line>\d+):(?<column>\d+): (?<message>.*)$/.exec(line)?.groups;
  const map = maps.get(found?.['file'] ?? '');
  if (found === undefined || map === undefined) return line;
  const entry = map.findEntry(Number(found['line']) - 1, Number(found['column']) - 1);
  const place = 'originalLine' in entry ? `:${entry.originalLine + 1}:${entry.originalColumn + 1}` : '';
  const component = (found['file'] ?? '').replace(GENERATED, PAGE).replace(/\.ts$/, '');
  return `${component}${place}: ${found['message'] ?? ''}`;
}
