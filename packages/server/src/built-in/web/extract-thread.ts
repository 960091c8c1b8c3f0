import { parentPort, workerData } from 'node:worker_threads';
import type { ExtractionAnswer, ExtractionRequest } from './extraction.ts';

/** The entry of a worker that extracts the text of one document: parsers of untrusted bytes can take long and much. */
async function answer({ kind, bytes, url, charset }: ExtractionRequest): Promise<ExtractionAnswer> {
  try {
    if (kind === 'pdf') return { extracted: await (await import('./read-pdf.ts')).readPdf(bytes) };
    return { extracted: (await import('./read-html.ts')).readHtml(decode(bytes, charset), url) };
  } catch (thrown) {
    return { failure: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

parentPort?.postMessage(await answer(workerData as ExtractionRequest));
