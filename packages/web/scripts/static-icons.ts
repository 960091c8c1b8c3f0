import type { Plugin } from 'vite';
import { isJsonObject, parseJson } from '../../protocol/src/json.ts';

/**
 * Compiles each Lucide icon to the template of its SVG. Lucide's own component assembles every icon from data when it is
 * shown, with an effect for each path, which was a third of the time a code block took.
 */
export function staticIcons(): Plugin {
  return {
    name: 'static-icons',
    enforce: 'pre',
    transform: {
      filter: { id: /\/@lucide\/svelte\/dist\/icons\/[\w-]+\.svelte$/ },
      handler: (source, id) => ({ code: staticIcon(source, id), map: null }),
    },
  };
}

/** The component of an icon. Without a name it is decoration: the button or text beside it has the name. */
export function staticIcon(source: string, id: string): string {
  const [, data = ''] = /const iconData = (\{.*\});/.exec(source) ?? [];
  const icon = readIcon(data);
  if (icon === null) throw new Error(`${id}: unknown format of an icon. Has @lucide/svelte changed?`);
  const shapes = icon.shapes.map(([tag, attributes]) => `<${tag}${attributes} />`).join('');
  return `<script>let { size = 24, fill = 'none', class: extra, role, 'aria-label': name } = $props();</script>
<svg xmlns="http://www.w3.org/2000/svg" width={size} height={size} viewBox="0 0 24 24" {fill} stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" class={extra} {role} aria-label={name} aria-hidden={name === undefined ? 'true' : undefined}>${shapes}</svg>
`;
}

function readIcon(data: string): { shapes: [tag: string, attributes: string][] } | null {
  const parsed = parseJson(data);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { size, node } = parsed.value;
  if (size !== 24 || !Array.isArray(node)) return null;
  const shapes: [string, string][] = [];
  for (const shape of node) {
    if (!Array.isArray(shape)) return null;
    const [tag, attributes] = shape;
    if (typeof tag !== 'string' || !/^[a-z]+$/.test(tag) || !isJsonObject(attributes)) return null;
    let written = '';
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value !== 'string') return null;
      written += ` ${name}=${JSON.stringify(value)}`;
    }
    shapes.push([tag, written]);
  }
  return { shapes };
}
