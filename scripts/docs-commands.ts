import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createProgram } from '../packages/cli/src/main.ts';
import { ROOT } from './run.ts';

/** A command of Toolyard in a code block of a document. */
type DocumentedCommand = { readonly place: string; readonly words: readonly string[] };

/** The commands in code blocks of the documents that the CLI would reject, or that use an older name. */
export async function wrongCommands(root = ROOT): Promise<string[]> {
  const wrong: string[] = [];
  for (const { place, words } of documentedCommands(root)) {
    const problem = await findProblem(words);
    if (problem !== null) wrong.push(`${place}: toolyard ${words.join(' ')}: ${problem}`);
  }
  return wrong;
}

export function documentedCommands(root = ROOT): DocumentedCommand[] {
  const documents = globSync(['*.md', 'docs/*.md'], { cwd: root }).toSorted();
  return documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    return [...text.matchAll(/^( *)```(?:sh|bash)?\n([\s\S]*?)^\1```/gm)].flatMap(({ 2: code = '', index }) =>
      code
        .replaceAll(/\\\n */g, ' ')
        .split('\n')
        .flatMap((line, at) => {
          const [, command] = /(?:^|\s)(?:npm run -s toolyard --|toolyard)( .*)$/.exec(line) ?? [];
          if (command === undefined || /^\s*#/.test(line)) return [];
          const place = `${document}:${String(text.slice(0, index).split('\n').length + at + 1)}`;
          return [{ place, words: splitWords(command) }];
        }),
    );
  });
}

/** Words as a shell reads them; comments, redirections and pipes end the command. */
function splitWords(command: string): string[] {
  const [own = ''] = command.split(/\s(?:[#|]|[<>] |&&)/);
  return [...own.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_quoted, single?: string, double?: string) => single ?? double ?? ''),
  );
}

/** Parses a command whose action does nothing. */
async function findProblem(words: readonly string[]): Promise<string | null> {
  let notes = '';
  const stderr = Object.assign(new PassThrough(), { isTTY: false });
  stderr.on('data', (text: Buffer) => (notes += text.toString()));
  const io = {
    ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: {}, cwd: ROOT },
    ...{ onSignal: () => () => undefined, onExit: () => undefined, exit: () => undefined },
  };
  const program = createProgram({ io, exitCode: 0 });
  silence(program);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return notes === '' ? null : notes.trim();
  } catch (error) {
    // Commander throws a usage error, and after it has printed help.
    if (!(error instanceof Error) || !('exitCode' in error)) throw error;
    return error.exitCode === 0 ? null : error.message;
  }
}

/** No command does anything, not even one with subcommands. */
function silence(command: ReturnType<typeof createProgram>): void {
  for (const sub of command.commands) {
    sub.action(() => undefined);
    silence(sub);
  }
}
