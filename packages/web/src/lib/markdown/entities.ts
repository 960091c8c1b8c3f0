/** The characters that are written as entities. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const ENTITIES = Object.fromEntries(Object.entries(CHARACTERS).map(([entity, character]) => [character, entity]));

/** Text of HTML without tags, as the browser serializes it. */
export function unescape(html: string): string {
  return html
    .replaceAll('&nbsp;', '\u00a0')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? entity);
}

/** Text as HTML, for content and attributes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The text of inline HTML, as render.ts writes it. */
export function textOfInline(html: string): string {
  return unescape(html.replace(/<br>/g, ' ').replace(/<[^>]*>/g, ''));
}
