import { startPeer } from '../harness/process.ts';
import type { FromModel, Report } from './process.ts';

/** Provider ID of the mock models. */
export const PROVIDER = 'upstream';
const WAIT_MS = 60_000;

export type MockModel = AsyncDisposable & {
  /** Without `/v1`. */
  origin: string;
  baseUrl: string;
  /** Counts since the last report. */
  report(): Promise<Report>;
};

/** Starts the mock model. `batch`: events per write. */
export async function startMockModel(batch = 5): Promise<MockModel> {
  const peer = startPeer<string, FromModel>('mock-model/process.ts', { args: [String(batch)] });
  const listening = await peer.hear(WAIT_MS);
  if (!('port' in listening)) throw new Error('the mock model did not start');
  const origin = `http://127.0.0.1:${String(listening.port)}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    async report() {
      const report = await peer.ask('report', WAIT_MS);
      if ('port' in report) throw new Error('the mock model sent no report');
      return report;
    },
    [Symbol.asyncDispose]: () => peer.end(),
  };
}
