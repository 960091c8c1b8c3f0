import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, parseJson } from '../packages/protocol/src/index.ts';
import { readConfigFile } from '../packages/server/src/config/config-file.ts';
import type { FigureRow } from './bench-figures.ts';
import { DATA, DOCUMENT, figuresDocument, fillRows } from './bench-figures.ts';
import { exportsWithoutExample } from './comment-code.ts';
import { documentedCommands, wrongCommands } from './docs-commands.ts';
import { hiddenExamples, staleDocuments, writeExamples } from './docs-examples.ts';
import { brokenLinks } from './docs-links.ts';
import { staleFiles } from './docs-reference.ts';
import { undocumentedVariables } from './docs-reference/environment.ts';
import { ROOT } from './run.ts';

const RUN = 'run `npm run docs`';

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'toolyard-docs-'));
}

describe('docs/reference', () => {
  it('is up to date', async () => {
    expect(await staleFiles(), RUN).toEqual([]);
  });

  it('is stale if a file is missing or differs', async () => {
    const copy = folder();
    cpSync(join(ROOT, 'docs/reference'), copy, { recursive: true });
    rmSync(join(copy, 'events.md'));
    writeFileSync(join(copy, 'serve.md'), 'edited');
    expect(await staleFiles(copy)).toEqual(expect.arrayContaining(['events.md', 'serve.md']));
  });

  it('names every environment variable that a package reads', () => {
    expect(undocumentedVariables(), 'add them to scripts/docs-reference/environment.ts').toEqual([]);
  });
});

describe('examples in the documents', () => {
  it('are the files of examples/, all of them', () => {
    expect(staleDocuments(ROOT), RUN).toEqual([]);
    expect(hiddenExamples(ROOT), 'show them in a document').toEqual([]);
  });

  it('are copied into the documents that name them', () => {
    const root = folder();
    for (const name of ['docs', 'examples']) mkdirSync(join(root, name));
    for (const name of ['shown', 'hidden']) writeFileSync(join(root, `examples/${name}.ts`), `print('${name}');\n`);
    const block = (code: string): string => `<!-- examples/shown.ts -->\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
    const other = '```ts\nother();\n```\n';
    writeFileSync(join(root, 'docs/a.md'), `# A\n\n${block('old();\n\nolder();')}\n${other}`);
    expect(staleDocuments(root)).toEqual(['docs/a.md']);
    expect(hiddenExamples(root)).toEqual(['examples/hidden.ts']);
    writeExamples(root);
    expect(readFileSync(join(root, 'docs/a.md'), 'utf8')).toBe(`# A\n\n${block("print('shown');")}\n${other}`);
    expect(staleDocuments(root)).toEqual([]);
  });
});

describe('examples in comments', () => {
  it('are at every function and class that the library exports', () => {
    expect(exportsWithoutExample()).toEqual([]);
  });
});

describe('links of the documents', () => {
  it('lead to files and headings that exist', () => {
    expect(brokenLinks(ROOT)).toEqual([]);
  });

  it('are reported with line and reason if they are broken', () => {
    const root = folder();
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/a.md'), '# First part\n\n[b](b.md), [part](#first-part), `[code](none.md)`\n');
    writeFileSync(join(root, 'README.md'), '[a](docs/a.md#second)\n<img src="none.png"> https://example.com\n');
    expect(brokenLinks(root)).toEqual([
      'README.md:1: docs/a.md#second: there is no heading "second"',
      'README.md:2: none.png: there is no none.png',
      'docs/a.md:3: b.md: there is no docs/b.md',
    ]);
  });
});

describe('commands in the documents', () => {
  it('are accepted by the CLI', async () => {
    expect(documentedCommands().length).toBeGreaterThan(40);
    expect(await wrongCommands()).toEqual([]);
  });

  it('are reported with their line if the CLI rejects them, or their flag was renamed', async () => {
    const root = folder();
    const commands = ['toolyard runs list --sort', 'A=1 toolyard chat --wire x "two words"  # why', 'toolyard models'];
    writeFileSync(join(root, 'README.md'), `# Use\n\n\`\`\`\n${commands.join('\n')}\n\`\`\`\n`);
    expect(await wrongCommands(root)).toEqual([
      "README.md:4: toolyard runs list --sort: error: unknown option '--sort'",
      expect.stringMatching(/^README\.md:5: toolyard chat --wire x two words: .*/),
    ]);
  });
});

describe('examples of config.json', () => {
  const env = {
    ANTHROPIC_API_KEY: 'key',
    HOOK_SECRET: 'sixteen characters',
    OTLP_KEY: 'key',
    SMTP_URL: 'smtps://user:key@mail.example',
  };
  const examples = globSync('docs/*.md', { cwd: ROOT }).flatMap((document) => {
    const blocks = readFileSync(join(ROOT, document), 'utf8').matchAll(/```json\n([\s\S]*?)```/g);
    return [...blocks].map(([, text = '']) => ({ document, text }));
  });
  const isConfig = ({ text }: { text: string }): boolean => {
    const parsed = parseJson(text);
    return parsed.ok && isJsonObject(parsed.value) && parsed.value['mcpServers'] === undefined;
  };

  it.each(examples.filter(isConfig))('are accepted: $document', ({ text }) => {
    const file = join(folder(), 'config.json');
    writeFileSync(file, text);
    expect(() => readConfigFile(file, env)).not.toThrow();
  });

  it('are found, and all are JSON', () => {
    expect(examples.filter(isConfig).length).toBeGreaterThan(5);
    expect(examples.filter(({ text }) => !parseJson(text).ok)).toEqual([]);
  });
});

describe('bench/figures.md', () => {
  const row: FigureRow = {
    ...{ bench: 'policy', what: 'a check', baseline: '', peers: '', toolyard: '40 µs', target: '300 µs' },
    ...{ date: '2026-11-23', machine: 'old', fill: { toolyard: { part: 'rules', measure: 'a command' } } },
  };
  const taken = { date: '2026-12-01', machine: 'new' };

  it('is up to date with bench/figures.json', () => {
    const rows = JSON.parse(readFileSync(DATA, 'utf8')) as FigureRow[];
    expect(readFileSync(DOCUMENT, 'utf8'), 'run `npm run bench -- figures`').toBe(figuresDocument(rows));
  });

  it('takes values, date and machine from the output of a bench', () => {
    const line = { bench: 'policy', part: 'rules', measure: 'a command', value: 38.25, unit: 'µs' };
    expect(fillRows([row], [line], taken)).toEqual([{ ...row, toolyard: '38.3 µs', ...taken }]);
  });

  it('keeps rows that a bench did not measure', () => {
    const line = { bench: 'policy', part: 'other', measure: 'a command', value: 38.25, unit: 'µs' };
    expect(fillRows([row], [line], taken)).toEqual([row]);
  });

  it('fills a column with the values of several contenders, whatever their version', () => {
    const measured = (measure: string, value: number) => ({ bench: 'b', part: 'p', measure, value, unit: 'ms' });
    const peers = ['a 1.0.0: time', 'b 1.0.0: time'].map((measure) => ({ part: 'p', measure }));
    const several = { ...row, bench: 'b', fill: { peers } };
    const lines = [measured('a 1.2.0: time', 44), measured('b 2.0.0: time', 107)];
    const peersText = '44 ms (a 1.2.0), 107 ms (b 2.0.0)';
    expect(fillRows([several], lines, taken)).toEqual([{ ...several, peers: peersText, ...taken }]);
    expect(fillRows([several], lines.slice(1), taken)).toEqual([several]);
  });
});
