/** Why an image cannot be shown; null if it can. */
export function svgProblem(text: string): 'no_image' | { reason: string } | null {
  const parsed = new DOMParser().parseFromString(text.trim(), 'image/svg+xml');
  const error = parsed.querySelector('parsererror');
  if (error === null) return parsed.documentElement.localName === 'svg' ? null : 'no_image';
  const said = error.textContent?.replace(/\s+/g, ' ') ?? '';
  // Browsers add sentences of their own before and after the reason.
  const reason = /error on line.*?(?= ?Below is)/.exec(said)?.[0] ?? said;
  return { reason: reason.trim().slice(0, 300) };
}

const STYLE =
  'html,body{height:100%;margin:0}body{display:grid;place-items:center}svg{max-width:100%;max-height:100%;height:auto}';

/** The image in a document of its own, where its scripts and animations work. */
export function svgDocument(text: string): string {
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${text.replace(/^\s*<\?xml[^>]*>/, '')}`;
}
