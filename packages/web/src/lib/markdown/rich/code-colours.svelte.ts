import { RecentMap } from '../../recent-map.ts';
import type { CodeBlock } from '../blocks.ts';
import type { FromCodeWorker, ToCodeWorker } from './code-worker-messages.ts';

type Coloured = { pieces: readonly string[]; to: number };
const PLAIN: Coloured = { pieces: [], to: 0 };

/** Highlighted blocks, for messages that are scrolled back into the page. */
const known = new RecentMap<string, Coloured>(200);

const receivers = new Map<number, (word: FromCodeWorker) => void>();
let worker: Worker | undefined;
let lastId = 0;

function post(word: ToCodeWorker): void {
  if (worker === undefined) {
    worker = new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromCodeWorker>) => receivers.get(data.id)?.(data));
    // The code is readable without colours; the next block tries again.
    worker.addEventListener('error', () => {
      worker?.terminate();
      worker = undefined;
      receivers.clear();
    });
  }
  worker.postMessage(word);
}

/**
 * Highlighting of one code block. Colours are added after the text and never change its layout: a worker computes them,
 * started with the first code block.
 */
export class CodeColours {
  #coloured: Coloured = $state.raw(PLAIN);

  #language: string | null = null;
  #id: number | null = null;
  #sent = '';
  #isComplete = false;

  /** HTML of the highlighted part, from the beginning of the code. */
  get pieces(): readonly string[] {
    return this.#coloured.pieces;
  }

  /** Length of the highlighted part in the text. */
  get colouredTo(): number {
    return this.#coloured.to;
  }

  show({ language, text, open }: CodeBlock): void {
    if (language === '') return this.#restart(language);
    if (this.#id !== null && !receivers.has(this.#id)) return;
    const key = `${language}\n${text}`;
    const before = open ? undefined : known.get(key);
    if (before !== undefined) {
      this.#restart(language);
      this.#coloured = before;
      return;
    }
    // A line that was incomplete when it was sent cannot continue.
    const continues = language === this.#language && text.startsWith(this.#sent);
    if (!continues || (text !== this.#sent && !/(^|\n)$/.test(this.#sent))) this.#restart(language);
    this.#isComplete = !open;
    const end = open ? text.lastIndexOf('\n') + 1 : text.length;
    if (end <= this.#sent.length) return;
    this.#id ??= this.#begin();
    post({ type: 'code', id: this.#id, language, added: text.slice(this.#sent.length, end) });
    this.#sent = text.slice(0, end);
  }

  stop(): void {
    if (this.#id === null) return;
    receivers.delete(this.#id);
    post({ type: 'end', id: this.#id });
    this.#id = null;
  }

  /** Text that does not continue the highlighted part is shown plain at once. */
  #restart(language: string): void {
    this.stop();
    this.#language = language;
    this.#sent = '';
    this.#coloured = PLAIN;
  }

  #begin(): number {
    const id = (lastId += 1);
    receivers.set(id, ({ from, pieces, to }) => {
      this.#coloured = { pieces: [...this.#coloured.pieces.slice(0, from), ...pieces], to };
      if (this.#isComplete && to === this.#sent.length) this.#remember();
    });
    return id;
  }

  #remember(): void {
    known.set(`${String(this.#language)}\n${this.#sent}`, this.#coloured);
  }
}
