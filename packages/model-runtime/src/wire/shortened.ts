/** Maximum length of a provider's text in a message, in characters. */
const MAX_MESSAGE = 300;

/** One line of limited length; a stack trace ends before its first frame. */
export function shortened(text: string): string {
  const head = text.slice(0, 4000).split(/\n[ \t]+at |\nTraceback |\n[ \t]*File "/)[0] ?? '';
  const line = head.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_MESSAGE ? line : `${line.slice(0, MAX_MESSAGE - 1).toWellFormed()}…`;
}

/** A label as it appears in a message; undefined without one. */
export function nameIn(label: string | undefined): string | undefined {
  const name = label === undefined ? '' : shortened(label);
  return name === '' ? undefined : name;
}
