/**
 * Splits a command line into command and arguments, with the quoting of a shell. A backslash is literal, so that
 * Windows paths stay intact, except before a quotation mark within double quotes.
 */
export function splitCommand(line: string): string[] {
  const words = line.matchAll(/(?:"(?:\\["\\]|[^"])*"|'[^']*'|[^\s"'])+/g);
  return Array.from(words, ([word]) =>
    word.replace(
      /"((?:\\["\\]|[^"])*)"|'([^']*)'/g,
      (_whole, double: string | undefined, single: string | undefined) =>
        double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  );
}

/** Proposes a name for a server with this command or URL. */
export function nameFor(words: readonly string[]): string {
  const [first = '', ...rest] = words;
  const address = URL.canParse(first) && first.includes('://') ? new URL(first) : null;
  if (address !== null) {
    const labels = address.hostname.split('.').filter((label) => !/^(www|mcp|api)$/.test(label));
    return toServerId(labels.length > 1 ? (labels.at(-2) ?? '') : (labels[0] ?? ''));
  }
  // The package of `npx -y @scope/server-files@1.2 /folder`, the script of `node server.js`.
  const named = rest.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'exec') ?? first;
  const last =
    named
      .replace(/(?<=.)@[^@/]*$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  return toServerId(
    last
      .replace(/\.(?:[cm]?[jt]s|py|exe)$/, '')
      .replace(/^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-server|-mcp)$/g, ''),
  );
}

function toServerId(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** Launchers and interpreters, whose arguments may be plain words. */
const LAUNCHERS =
  /^(?:npx|bunx|uvx|pipx|npm|pnpm|yarn|bun|deno|node|uv|python\d*|py|docker|podman|java|dotnet|go|cargo|ruby|php|bash|sh|cmd|wsl|ssh)$/i;

/** Prose is not a command: all of its words lack the form of a path, flag, version or URL. */
export function isProse(words: readonly string[]): boolean {
  const [first = ''] = words;
  if (!/^[\w.@~/\\:%$+-]+$/.test(first)) return true;
  if (words.length === 1 || LAUNCHERS.test(first)) return false;
  return /^[A-Z][a-z]+$/.test(first) || words.every((word) => /^[\p{L}\p{M}'’"“”(),;.!?…]+$/u.test(word));
}
