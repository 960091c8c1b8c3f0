const TAGS = [
  'server-instructions',
  'resource',
  'prompt',
  'web-page',
  'search-results',
  'memory',
  'skill',
  'group-message',
  'webhook-data',
] as const;
const GROUP_TAG = /<(?=\/?group-message\b)/gi;
const ANY_TAG = new RegExp(`<(?=/?(?:${TAGS.join('|')})\\b)`, 'gi');

type Tag = (typeof TAGS)[number];

/** Untrusted text between tags that name its source. The text cannot close them or open others. */
export function fenced(tag: Tag, attributes: Readonly<Record<string, string | undefined>>, text: string): string {
  return `${openingTag(tag, attributes)}\n${text.replace(ANY_TAG, '&lt;')}\n</${tag}>`;
}

/** Text that cannot pass as a message of another speaker of a group. */
export function withoutGroupTags(text: string): string {
  return text.replace(GROUP_TAG, '&lt;');
}

function openingTag(tag: Tag, attributes: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escaped(value)}"`],
  );
  return `<${tag}${written.join('')}>`;
}

function escaped(value: string): string {
  return value.replace(/[\s"<>&]+/g, (found) => (/^\s+$/.test(found) ? ' ' : encodeAll(found)));
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '<': '&lt;', '>': '&gt;', '&': '&amp;' };

function encodeAll(found: string): string {
  return [...found].map((character) => ENTITIES[character] ?? ' ').join('');
}
