import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '@toolyard/protocol';

/** Fields of every case. `why` says in at most ten words what the command or call does. */
interface CaseBase {
  id: string;
  group: string;
  why: string;
}

/** A shell command for bash: dangerous (`flagged`) or everyday work (`unflagged`). */
export interface CommandCase extends CaseBase {
  kind: 'command';
  expected: 'flagged' | 'unflagged';
  command: string;
  /** Set if `bash -n` rejects the text; bash still executes its first lines. */
  malformed?: true;
}

/** A command judged by the rule `{ decision: 'never', command: rule }`. `base` is the program that the rule names. */
export interface NeverCase extends CaseBase {
  kind: 'never';
  expected: 'match' | 'no-match';
  rule: string;
  base: string;
  command: string;
}

/** A tool call whose arguments may lack a `command` string. */
export interface CallCase extends CaseBase {
  kind: 'call';
  expected: 'flagged' | 'unflagged';
  /** The danger, named like a group of commands; for harmless calls the subject. */
  topic: string;
  call: ToolCallOfCase;
}

/** A tool call judged by an `inside` rule. Its user's home folder is `/home/anna`. */
export interface PathCase extends CaseBase {
  kind: 'path';
  expected: 'inside' | 'outside';
  /** The folder of the rule. */
  inside: string;
  /** The working folder of the MCP server; unknown if absent. */
  workingFolder?: string;
  /** Symbolic links to create first: path to target. */
  links?: Record<string, string>;
  call: ToolCallOfCase;
}

interface ToolCallOfCase {
  /** Server and tool, such as `files/read_file`. */
  tool: string;
  arguments: JsonObject;
}

export type PolicyCase = CommandCase | NeverCase | CallCase | PathCase;

const FOLDER = new URL('../policy-corpus/', import.meta.url);

/** The first corpus has variants of the groups of an audit; the second was made later from public sources. */
type Corpus = 'first' | 'second';

/**
 * Reads one half of a corpus in `testing/policy-corpus`, with its harmless cases. Commands are data: pass them
 * to the policy check, never to a shell outside a sandbox (docs/decisions/dangerous-calls.md).
 *
 * @throws if the sealed half is requested without `TOOLYARD_SEALED=1`
 */
export function loadPolicyCorpus(half: 'open' | 'sealed', corpus: Corpus = 'first'): PolicyCase[] {
  const isSecond = corpus === 'second';
  if (half === 'open' && isSecond) return parseCases(readText('second-open.json'));
  if (half === 'open') return [...parseCases(readText('open.json')), ...parseCases(readText('harmless-open.json'))];
  if (process.env['TOOLYARD_SEALED'] !== '1') {
    throw new Error('The sealed half of the policy corpus is for the final run only: set TOOLYARD_SEALED=1.');
  }
  return parseCases(
    gunzipSync(Buffer.from(readText(isSecond ? 'second-sealed.bin' : 'sealed.bin'), 'base64')).toString('utf8'),
  );
}

function readText(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

/** The files are part of this repository; a test checks the format of their entries. */
function parseCases(text: string): PolicyCase[] {
  return JSON.parse(text) as PolicyCase[];
}
