import { dirname } from 'node:path';
import { browserCommand, whyNoBrowser } from '../../e2e/support/unpack-browser.ts';
import { say } from '../support/command.ts';
import type { Chromium } from './mcp/peer.ts';

/** The Chromium of the tests (from npm); null if it cannot run. */
export async function findChromium(): Promise<Chromium | null> {
  const reason = await whyNoBrowser();
  if (reason !== null) {
    say(`peers: ${reason}`);
    return null;
  }
  const { executablePath, env } = await browserCommand();
  return { executablePath, env, folders: [dirname(executablePath)] };
}
