const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const CHARACTERS = Object.fromEntries(Object.entries(ENTITIES).map(([entity, character]) => [character, entity]));

/** Text of HTML without tags, as the browser serializes it. */
export function unescape(html: string): string {
  return html
    .replaceAll('&nbsp;', '\u00a0')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Text as HTML, for content and attributes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => CHARACTERS[character] ?? character);
}
