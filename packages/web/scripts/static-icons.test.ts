import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { staticIcon } from './static-icons.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'node_modules', '@lucide', 'svelte', 'dist', 'icons');
const readSource = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

describe('icons of the page', () => {
  it('contains the shapes as markup', () => {
    const code = staticIcon(readSource('copy.svelte'), 'copy');
    expect(code).toContain('<rect width="14" height="14" x="8" y="8" rx="2" ry="2" />');
    expect(code).toContain('<path d="M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2" /></svg>');
  });

  it.each(['chart-network', 'ellipsis', 'message-square-warning'])('reads %s', (name) => {
    expect(staticIcon(readSource(`${name}.svelte`), name)).toMatch(
      / aria-hidden=\{name === undefined \? 'true' : undefined\}>(<[a-z]+( [\w-]+="[^"<>{}]*")* \/>)+<\/svg>/,
    );
  });

  it.each([
    ['another format', 'export default {}'],
    ['another size', 'const iconData = { "name": "x", "size": 16, "node": [] };'],
    ['an attribute that is no element', 'const iconData = { "name": "x", "size": 24, "node": [["<b>", {}]] };'],
  ])('rejects %s', (_, source) => {
    expect(() => staticIcon(source, 'x.svelte')).toThrow('x.svelte: unknown format of an icon');
  });
});
