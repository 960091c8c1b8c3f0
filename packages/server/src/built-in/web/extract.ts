import { Worker } from 'node:worker_threads';
import { ToolyardError } from '@toolyard/protocol';
import type { Extracted, ExtractionAnswer, ExtractionRequest } from './extraction.ts';

const TIMEOUT_MS = 20_000;
const MEMORY_MB = 256;

/**
 * Extracts the text of a document in a thread of its own, which is terminated when it takes too long or too much memory.
 *
 * @throws ToolyardError `tool_failed`
 */
export async function extract(
  request: ExtractionRequest,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Extracted> {
  // Compiled, this file and the worker end in .js.
  const entry = new URL(
    import.meta.url.endsWith('.ts') ? './extract-thread.ts' : './extract-thread.js',
    import.meta.url,
  );
  const worker = new Worker(entry, {
    name: 'toolyard extract',
    workerData: request,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await new Promise<Extracted>((resolve, reject) => {
      worker.once('message', ({ extracted, failure }: ExtractionAnswer) =>
        extracted ? resolve(extracted) : reject(createUnreadableError(failure)),
      );
      worker.once('error', (error: Error) => reject(createUnreadableError(error.message)));
      worker.once('exit', () => reject(createUnreadableError('its parser ended without a result')));
      const onStop = (): void =>
        reject(signal.aborted ? (signal.reason as Error) : createUnreadableError('it took too long to parse'));
      stop.addEventListener('abort', onStop, { once: true });
      if (stop.aborted) onStop();
    });
  } finally {
    void worker.terminate();
  }
}

function createUnreadableError(why: string): ToolyardError {
  return new ToolyardError({ code: 'tool_failed', message: `The document could not be read: ${why}.` });
}
