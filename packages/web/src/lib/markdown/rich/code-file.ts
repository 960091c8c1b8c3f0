/** Extensions of files that are not the name of the language. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  zsh: 'sh',
  csharp: 'cs',
  'c#': 'cs',
  'c++': 'cpp',
  docker: 'dockerfile',
  elixir: 'ex',
  golang: 'go',
  haskell: 'hs',
  javascript: 'js',
  julia: 'jl',
  kotlin: 'kt',
  latex: 'tex',
  make: 'mk',
  makefile: 'mk',
  markdown: 'md',
  mermaid: 'mmd',
  perl: 'pl',
  powershell: 'ps1',
  python: 'py',
  python3: 'py',
  ruby: 'rb',
  rust: 'rs',
  typescript: 'ts',
  yaml: 'yml',
};

/** Name of the file a code block is saved as. */
export function codeFileName(language: string): string {
  return `code.${getExtension(language)}`;
}

export function getExtension(language: string): string {
  const lower = language.toLowerCase();
  const extension = (Object.hasOwn(EXTENSIONS, lower) ? EXTENSIONS[lower] : undefined) ?? lower;
  return /^[a-z0-9]{1,12}$/.test(extension) ? extension : 'txt';
}

/** HTML of complete lines, each as an element, for line numbers. Tags do not cross lines. */
export function numberedLines(html: string): string {
  const lines = html.endsWith('\n') ? html.slice(0, -1).split('\n') : html.split('\n');
  return lines.map((line) => `<span class="md-line">${line}\n</span>`).join('');
}
