/**
 * Highlights code away from the page's thread: the first line of a language compiles its grammar, which takes half a
 * second, and a long block takes longer than a frame.
 */
import type { FromCodeWorker, ToCodeWorker } from './code-worker-messages.ts';
import { ColouredLines } from './coloured-lines.ts';
import { languageId } from './languages.ts';

/** After this many milliseconds a result is sent, and another block gets its turn. */
const SLICE_MS = 30;

type Code = { text: string; lines: ColouredLines | null; sentPieces: readonly string[]; isQueued: boolean };

const codes = new Map<number, Code>();

addEventListener('message', ({ data }: MessageEvent<ToCodeWorker>) => {
  const { id } = data;
  if (data.type === 'end') return void codes.delete(id);
  const known = codes.get(id);
  const code: Code = known ?? { text: '', lines: null, sentPieces: [], isQueued: false };
  code.text += data.added;
  if (known !== undefined) return work(id, code);
  codes.set(id, code);
  return void begin(id, code, data.language);
});

async function begin(id: number, code: Code, name: string): Promise<void> {
  const language = languageId(name);
  if (language === null) return;
  try {
    const { loadColourLines } = await import('./highlighter.ts');
    code.lines = new ColouredLines(await loadColourLines(language));
    work(id, code);
  } catch {
    // The code is readable without colours.
  }
}

function work(id: number, code: Code): void {
  const { lines } = code;
  if (lines === null || code.isQueued || codes.get(id) !== code) return;
  lines.update(code.text);
  const more = lines.work(SLICE_MS, { open: false, now: () => performance.now() });
  post(id, code, lines);
  if (!more) return;
  code.isQueued = true;
  setTimeout(() => {
    code.isQueued = false;
    work(id, code);
  });
}

/** Only the last piece grows, so the pieces before the first changed one are known to the page. */
function post(id: number, code: Code, { pieces, rest }: ColouredLines): void {
  const from = pieces.findIndex((piece, index) => piece !== code.sentPieces[index]);
  if (from < 0) return;
  code.sentPieces = pieces;
  const word: FromCodeWorker = { id, from, pieces: pieces.slice(from), to: code.text.length - rest.length };
  postMessage(word);
}
