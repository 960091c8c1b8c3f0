import { ASK_USER_TOOLS } from '@toolyard/agent-host';
import { describe, expect, it } from 'vitest';
import { connectionTexts } from '../packages/web/src/lib/i18n/en/connection-texts.ts';
import { dangers } from '../packages/web/src/lib/i18n/en/dangers.ts';
import { scheduleTexts } from '../packages/web/src/lib/i18n/en/schedule-texts.ts';
import { serverTexts } from '../packages/web/src/lib/i18n/en/server-texts.ts';
import { createTextMatcher } from '../packages/web/src/lib/i18n/match-text.ts';
import { createComputeTools } from '../packages/agent-host/src/built-in/compute-tools.ts';
import { TOOL_SEARCH } from '../packages/agent-host/src/built-in/search-tools.ts';
import { createArtifactTools } from '../packages/server/src/built-in/artifacts/artifact.ts';
import { createMediaTools } from '../packages/server/src/built-in/media/media-tools.ts';
import { createMemoryTools } from '../packages/server/src/built-in/memory/memory-tools.ts';
import { createScheduleTools } from '../packages/server/src/built-in/schedules/schedule-tools.ts';
import { createFileTools } from '../packages/server/src/built-in/workspace/file-tools.ts';
import { GET_DATE } from '../servers/date/src/tool.ts';
import { readSentences, sentencesIn } from './server-texts.ts';

const match = createTextMatcher({ ...dangers, ...serverTexts, ...connectionTexts, ...scheduleTexts });

/** Where the server writes what a user of the page may see. */
const SHOWN = [
  'packages/agent-runtime/src/**/*.ts',
  'packages/agent-host/src/**/*.ts',
  'packages/guarded-fetch/src/*.ts',
  'packages/mcp-host/src/node/sandbox/{no-sandbox,support}.ts',
  'packages/mcp-host/src/{calls,connection,host,hosted,oauth,plugins,server-requests,transports}/*.ts',
  'packages/mcp-host/src/node/plugins/*.ts',
  'packages/model-runtime/src/wire/*.ts',
  'packages/protocol/src/*.ts',
  'packages/server/src/{agents,groups,mcp,models,runs,schedules,tabs,triggers}/*.ts',
  'packages/server/src/http/auth/*.ts',
  'packages/server/src/built-in/{artifacts,memory,media,schedules}/*.ts',
];

/** Only developers, operators and the CLI see these, or they are parts of a sentence. */
const NOT_ON_PAGE = [
  /(?:interrupt-handlers|serve-methods|create-agent|continued-messages|create-run-host|event-queue|function-tools|serve-functions|local-agent|trust)\.ts$/,
  /(?:read-rules|machine-approvals|machine-sign-ins|mcp-json-editor|file-providers|model-calls)\.ts$/,
  /(?:check-tab-commit|handshake|provider-presets|server-registry)\.ts$/,
];
const FRAGMENTS = [
  'x invisible characters, which may hide instructions from you.',
  'x is a system file.',
  'x runs automatically.',
  // Their endings are known only when they are sent.
  'The server "x" cannot be reached at x ().',
  '"x" at x is not an MCP server:  while x.',
  'The server "x" exited with code x while x.',
  'The server "x" was killed by x while x.',
  'The server "x" is still x.',
  'This answer is x: nothing was answered.',
  'The commit was not stored: x.',
];

describe('texts that the server sends in English', () => {
  it.each(SHOWN)('of %s are translated on the page', (pattern) => {
    const sentences = readSentences(pattern).filter(({ file }) => !NOT_ON_PAGE.some((each) => each.test(file)));
    expect(sentences.length).toBeGreaterThan(0);
    const missing = sentences.filter(({ text }) => !FRAGMENTS.includes(text) && match(text) === undefined);
    expect(
      missing,
      'add them to packages/web/src/lib/i18n/*/{dangers,server-texts,connection-texts,schedule-texts}.ts',
    ).toEqual([]);
  });

  it('finds a sentence without translation', () => {
    const source =
      'fail({ message: `The frobnicator ${name} is ${isOn ? "on" : "off"}.`, hint: HINT }); const HINT = "Turn it.";';
    expect(sentencesIn('a.ts', source)).toEqual(['The frobnicator x is on.', 'The frobnicator x is off.', 'Turn it.']);
    expect(match('The frobnicator x is on.')).toBeUndefined();
  });

  it('include the built-in servers and tools', () => {
    // Used by calls only.
    const unused = {} as never;
    const groups = [
      ASK_USER_TOOLS,
      TOOL_SEARCH,
      createComputeTools(() => Promise.reject(new Error())),
      createFileTools([]),
      createArtifactTools(unused, { ownerId: '' }),
      createMemoryTools(unused),
      createMediaTools(unused),
      createScheduleTools(unused),
    ];
    const tools = [...groups.flatMap((group) => group.tools), GET_DATE];
    const texts = [
      ...groups.map(({ title }) => title),
      ...tools.flatMap(({ title, description }) => [title, description]),
    ];
    expect(tools.length).toBeGreaterThan(14);
    expect(texts.filter((text) => text !== undefined && match(text) === undefined)).toEqual([]);
  });
});
