import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, runTool, TSC } from './run.ts';

/** The content of a new file, or text that is inserted before a text of an existing one. */
type Edit = string | { before: string; insert: string };
/** The edits of one list of CONTRIBUTING.md by file. */
type Change = Readonly<Record<string, Edit>>;

const PROTOCOL = 'packages/protocol/src';
const SERVER = 'packages/server/src';
const WEB = 'packages/web/src/lib';

const CHANGES: Readonly<Record<string, Change>> = {
  'A provider': {
    'packages/model-runtime/src/providers/data/hosts.ts': {
      before: "  {\n    id: '",
      insert: `  {
    id: 'probe',
    label: 'Probe',
    place: 'hosted',
    wire: 'openai-chat',
    baseUrl: 'https://probe.example/v1',
    keyVariables: ['PROBE_API_KEY'],
    keyPage: 'https://probe.example',
    models: { named: [] },
    source: 'https://probe.example',
    proof: 'documented',
  },
`,
    },
  },
  'A flag of `toolyard serve`': {
    [`${SERVER}/config/serve-flags.ts`]: {
      before: '  host: {\n',
      insert: "  probe: { flag: 'probe', kind: 'boolean', help: 'probe', default: false },\n",
    },
  },
  'A setting of a configuration': {
    [`${PROTOCOL}/settings.ts`]: {
      before: "  'parameters.stop': {",
      insert:
        "  'parameters.minP': { help: 'Probe.', kind: 'number', min: 0, max: 1, form: { group: 'parameters' } },\n",
    },
    [`${WEB}/settings/setting-translations.ts`]: {
      before: "  'parameters.stop': {",
      insert: `  'parameters.minP': {
    label: { en: 'a', 'zh-Hant': 'b', 'zh-Hans': 'c' },
    hint: { en: 'a', 'zh-Hant': 'b', 'zh-Hans': 'c' },
  },
`,
    },
    'packages/model-runtime/src/wire/settings.ts': {
      before: '  stop: row(',
      insert: "  minP: row('min_p', null, null, null, null),\n",
    },
  },
  'A run event': {
    [`${PROTOCOL}/schemas/run-events.ts`]: {
      before: "    event('notice',",
      insert: "    event('probed', 'Probe.', { text: z.string() }),\n",
    },
    [`${PROTOCOL}/events.ts`]: { before: "  | 'notice';", insert: "  | 'probed'\n" },
    'packages/agent-host/src/executors/compress-context.ts': {
      before: "    journal.append({ type: 'compression_started'",
      insert: "    journal.append({ type: 'probed', text: '' });\n",
    },
    [`${WEB}/transcript/apply-event.ts`]: { before: "    case 'compression_started':", insert: "    case 'probed':\n" },
  },
  'A content part': {
    [`${PROTOCOL}/schemas/parts.ts`]: {
      before: "    z.strictObject({ type: z.literal('file'),",
      insert: '    z.strictObject(probe),\n',
    },
    [`${PROTOCOL}/content-parts.ts`]: {
      before: '  resource: {',
      insert: '  probe: { label: ({ mimeType }) => mimeType },\n',
    },
    'packages/agent-runtime/src/context/server-content.ts': {
      before: "    case 'image':\n",
      insert: "    case 'probe':\n      return [{ type: 'text', text: fence(labelOf(content)) }];\n",
    },
    [`${WEB}/apps/call-result.ts`]: {
      before: "    case 'image':\n",
      insert: "    case 'probe':\n      return null;\n",
    },
    [`${WEB}/chat/MessageMedia.svelte`]: {
      before: "      {:else if part.type === 'resource'",
      insert: "      {:else if part.type === 'probe'}\n        <span>{showHidden(part.mimeType)}</span>\n",
    },
  },
  'A route with a page view': {
    [`${PROTOCOL}/schemas/routes/probes.ts`]: `import { z } from 'zod';
import { named } from '../common.ts';
import { defineRoutes } from './define-routes.ts';

const probeList = named('ProbeList', z.strictObject({ items: z.array(z.strictObject({ id: z.string() })) }));
export const probesRoutes = defineRoutes({ 'GET /api/probes': { summary: 'List probes', answer: probeList } });
`,
    [`${PROTOCOL}/schemas/routes/all.ts`]: {
      before: 'export { proxyRoutes }',
      insert: "export { probesRoutes } from './probes.ts';\n",
    },
    [`${SERVER}/http/routes/probes.ts`]: `import type { Router } from '../transport/router.ts';

export function addProbeRoutes({ route }: Router): void {
  route('GET /api/probes', () => ({ items: [] }));
}
`,
    [`${SERVER}/http/routes/index.ts`]: {
      before: '\n/** Adds the handlers',
      insert: "import { addProbeRoutes } from './probes.ts';\nexport const PROBES: AddRoutes = addProbeRoutes;\n",
    },
    [`${WEB}/probes/ProbesSection.svelte`]: `<script lang="ts">
  import { api } from '../api/client.ts';
  import { t } from '../i18n/i18n.svelte.ts';
  import { Loaded } from '../state/loaded.svelte.ts';

  const probes = new Loaded(async () => (await api.get('/api/probes')).items);
  void probes.load();
</script>

<h3>{t('settings.probes')}</h3>
{#each probes.data ?? [] as { id } (id)}<p>{id}</p>{/each}
`,
    [`${WEB}/settings/sections.ts`]: { before: "  'about',\n", insert: "  'probes',\n" },
    [`${WEB}/settings/SettingsView.svelte`]: {
      before: '    about: {',
      insert: '    probes: { icon: Info, view: ProbesSection },\n',
    },
    [`${WEB}/i18n/en/settings.ts`]: { before: '  memory:', insert: "  probes: 'Probes',\n" },
    [`${WEB}/i18n/zh-Hant/settings.ts`]: { before: '  memory:', insert: "  probes: '一',\n" },
    [`${WEB}/i18n/zh-Hans/settings.ts`]: { before: '  memory:', insert: "  probes: '二',\n" },
  },
};

/** Second edits of files that need two. */
const MORE: readonly [file: string, edit: Edit][] = [
  [
    `${PROTOCOL}/schemas/parts.ts`,
    {
      before: 'const resource = {',
      insert:
        "const probe = { type: z.literal('probe'), mimeType, name: z.string().exactOptional(), source: mediaSource };\n",
    },
  ],
  [
    `${PROTOCOL}/schemas/parts.ts`,
    {
      before: '    z.strictObject({ ...audio, ...hints }),\n',
      insert: '    z.strictObject({ ...probe, ...hints }),\n',
    },
  ],
  ['packages/model-runtime/src/wire/settings.ts', { before: "  stop: 'stop sequences'", insert: "  minP: 'min-p',\n" }],
  [
    `${WEB}/settings/SettingsView.svelte`,
    { before: '  import AboutSection', insert: "  import ProbesSection from '../probes/ProbesSection.svelte';\n" },
  ],
];

let copy: string;
beforeAll(() => {
  copy = copyOfTree();
  for (const change of Object.values(CHANGES)) for (const [file, edit] of Object.entries(change)) apply(file, edit);
  for (const [file, edit] of MORE) apply(file, edit);
}, 120_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the lists of CONTRIBUTING.md', () => {
  it.each(Object.entries(CHANGES))('%s: name every file that is edited', (title, change) => {
    const text = readList(title);
    const named = [...text.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    const missing = Object.keys(change).filter((file) => !named.some((path) => covers(path, file)));
    expect(missing).toEqual([]);
  });

  it('lead to packages that compile', async () => {
    const { output } = await runTool(TSC, ['--noEmit', '-p', 'tsconfig.json'], { cwd: copy, quiet: true });
    expect(output).toBe('');
  }, 600_000);

  it('lead to a page that compiles', async () => {
    const args = ['--output', 'machine', '--threshold', 'error'];
    const cwd = join(copy, 'packages/web');
    const { output } = await runTool('svelte-check/bin/svelte-check', args, { cwd, quiet: true });
    expect(output.split('\n').filter((line) => line.includes(' ERROR '))).toEqual([]);
    expect(output).toContain(' 0 ERRORS');
  }, 600_000);
});

/** All files of the repository, with the installed packages: links to those of this tree, except our own. */
function copyOfTree(): string {
  const to = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-how-to-add-')));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0')) {
    if (/\.(ts|mts|svelte|json|css)$/.test(file)) cpSync(join(ROOT, file), join(to, file));
  }
  const modules = join(ROOT, 'node_modules');
  mkdirSync(join(to, 'node_modules/@toolyard'), { recursive: true });
  for (const name of readdirSync(modules)) {
    if (name !== '@toolyard') symlinkSync(join(modules, name), join(to, 'node_modules', name));
  }
  for (const name of readdirSync(join(modules, '@toolyard'))) {
    const target = relative(realpathSync(ROOT), realpathSync(join(modules, '@toolyard', name)));
    symlinkSync(join(to, target), join(to, 'node_modules/@toolyard', name));
  }
  // A version of its own.
  const own = 'packages/guarded-fetch/node_modules';
  symlinkSync(join(ROOT, own), join(to, own));
  // What SvelteKit generates.
  for (const folder of ['node_modules/$app', '.svelte-kit/types', '.svelte-kit/generated']) {
    cpSync(join(ROOT, 'packages/web', folder), join(to, 'packages/web', folder), { recursive: true });
  }
  return to;
}

function apply(file: string, edit: Edit): void {
  const path = join(copy, file);
  if (typeof edit === 'string') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, edit);
    return;
  }
  const source = readFileSync(path, 'utf8');
  const at = source.indexOf(edit.before);
  if (at < 0) throw new Error(`${file} does not contain ${edit.before}`);
  writeFileSync(path, source.slice(0, at) + edit.insert + source.slice(at));
}

/** The paragraphs of a list, from its bold title to the next one. */
function readList(title: string): string {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const from = text.indexOf(`**${title}**`);
  if (from < 0) throw new Error(`CONTRIBUTING.md has no list "${title}"`);
  const to = text.indexOf('\n**', from);
  return text.slice(from, to < 0 ? undefined : to);
}

/** A path of a list is a file, a folder, or has a placeholder such as `<name>`. */
function covers(path: string, file: string): boolean {
  const pattern = path.split(/<[^>]+>/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.join('[^/]+')}(/|$)`).test(file);
}
