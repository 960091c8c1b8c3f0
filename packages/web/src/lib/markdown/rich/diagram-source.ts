/** The properties of a node or edge: `A@{ shape: circle, img: "https://..." }`. */
const PROPERTIES = /@\{[^}]*\}?/g;
const IMAGE = /(^|[{,\n])\s*(["']?)img\2\s*:\s*(?:"[^"]*"|'[^']*'|[^,}\n]*)/gi;

/**
 * The source of a diagram without what would load something: Mermaid requests the image of a node while it lays out the
 * diagram, before its result can be checked. Properties with an escape, which may spell `img`, are left out as a whole.
 */
export function withoutImages(text: string): string {
  return text.replace(PROPERTIES, (properties) =>
    properties.includes('\\') ? '' : properties.replace(IMAGE, (_, before: string) => `${before} form: square`),
  );
}
