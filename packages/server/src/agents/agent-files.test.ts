import { crc32 } from 'node:zlib';
import type { AgentView, JsonObject } from '@toolyard/protocol';
import { messageOf, ToolyardError } from '@toolyard/protocol';
import { createAgentBody } from '@toolyard/protocol/schemas';
import { describe, expect, test } from 'vitest';
import { ProblemAnswer } from '../http/problems.ts';
import { readCharacterCard } from './character-card.ts';
import { readAgentFile } from './read-agent-file.ts';
import { writeAgentFile } from './write-agent-file.ts';

const toBytes = (file: unknown): Uint8Array => Buffer.from(typeof file === 'string' ? file : JSON.stringify(file));
const read = (file: unknown) => readAgentFile(toBytes(file));

function getProblem(bytes: Uint8Array): string {
  try {
    readAgentFile(bytes);
  } catch (thrown) {
    return messageOf(thrown);
  }
  throw new Error('the file was accepted');
}

function chunk(type: string, data: Uint8Array): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length);
  frame.writeUInt32BE(crc32(checked), 4);
  return Buffer.concat([frame.subarray(0, 4), checked, frame.subarray(4)]);
}

function png(...texts: [keyword: string, text: string][]): Buffer {
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.alloc(13)),
    ...texts.map(([keyword, text]) => chunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const base64 = (file: unknown): string => Buffer.from(JSON.stringify(file)).toString('base64');

const V1 = {
  name: 'Ada',
  description: '{{char}} is an engineer.',
  personality: 'calm',
  scenario: 'a workshop',
  first_mes: 'Hello {{user}}, I am {{char}}.',
  mes_example: '<START>\n{{user}}: Is it safe?\n{{char}}: Yes.\nMostly.\n<START>\n{{user}}: Why?\nAda: Because.',
};
const V2 = {
  spec: 'chara_card_v2',
  spec_version: '2.0',
  data: {
    ...V1,
    system_prompt: '{{original}} Answer as {{char}}.',
    post_history_instructions: 'Stay short.',
    creator_notes: 'An engineer.',
    alternate_greetings: ['Hi'],
    tags: ['tech', 'tech', 7],
    character_book: { entries: [{ keys: ['x'], content: 'y' }] },
  },
};
const LOBEHUB = {
  identifier: 'x',
  schemaVersion: 1,
  meta: { title: 'Proof reader', description: 'Reads.', avatar: '📝', tags: ['text'] },
  config: {
    systemRole: 'Correct it.',
    model: 'm',
    provider: 'p',
    params: { temperature: 0.4, top_p: 9, max_tokens: 100 },
    chatConfig: { historyCount: 6, inputTemplate: 'Text: {{text}}', enableMaxTokens: false },
    plugins: ['web'],
    fewShots: [
      { role: 'user', content: 'teh' },
      { role: 'assistant', content: 'the' },
    ],
    openingMessage: 'Paste a text.',
    openingQuestions: ['What can you do?'],
  },
};
const AGENT: AgentView = {
  id: 'a',
  title: 'Own',
  version: 3,
  createdAt: 0,
  updatedAt: 0,
  profile: { avatar: '🧪', description: 'Tests.', tags: ['t'], openingMessage: 'Hi', openingQuestions: ['Why?'] },
  configuration: {
    instructions: 'Test it.',
    model: { providerId: 'p', modelId: 'm' },
    parameters: { temperature: 1 },
    historyMessages: 4,
    inputTemplate: '> {{text}}',
    examples: [{ question: 'q', answer: 'a' }],
    budgets: [{ of: 'run', tokens: 9 }],
  },
};

describe('files of agents', () => {
  test('of Toolyard contain everything, and are read back the same', () => {
    const { agents } = read(writeAgentFile(AGENT, 'toolyard', 1));
    const { title, profile, configuration } = AGENT;
    expect(agents).toEqual([{ title, profile, configuration, leftOut: [] }]);
  });

  test('switch on no tool, allow no call and choose no folder; what restricts is kept', () => {
    const configuration = {
      servers: { shell: true, web: false },
      disabledTools: ['a/b'],
      interventionRules: [
        { decision: 'allow', tool: 'shell/*' },
        { decision: 'never', tool: 'files/delete' },
      ],
      intervention: 'auto',
      workspace: '/home',
      parameters: { extra: { tools: [] }, seed: 1 },
    } as const;
    const file = {
      format: 'toolyard-agent',
      version: 1,
      exportedAt: 0,
      agent: { title: 'x', profile: {}, configuration },
    };
    const [agent] = read(file).agents;
    expect(agent?.configuration).toEqual({
      servers: { web: false },
      disabledTools: ['a/b'],
      interventionRules: [{ decision: 'never', tool: 'files/delete' }],
      parameters: { seed: 1 },
    });
    expect(agent?.leftOut).toEqual(['tools', 'rules', 'mode', 'workspace', 'settings']);
    expect(read({ ...file, agent: { ...file.agent, configuration: { intervention: 'manual' } } }).agents).toMatchObject(
      [{ configuration: { intervention: 'manual' }, leftOut: [] }],
    );
  });

  test('of LobeHub: one agent, an export of sessions and one of the database', () => {
    const [agent] = read(LOBEHUB).agents;
    expect(agent).toEqual({
      title: 'Proof reader',
      profile: {
        avatar: '📝',
        description: 'Reads.',
        tags: ['text'],
        openingMessage: 'Paste a text.',
        openingQuestions: ['What can you do?'],
      },
      configuration: {
        instructions: 'Correct it.',
        model: { providerId: 'p', modelId: 'm' },
        parameters: { temperature: 0.4 },
        historyMessages: 6,
        inputTemplate: 'Text: {{text}}',
        examples: [{ question: 'teh', answer: 'the' }],
      },
      leftOut: ['tools', 'settings'],
    });
    const { config, meta } = LOBEHUB;
    const sessions = [{ type: 'group' }, { type: 'agent', config, meta }, { config: 7 }];
    expect(read({ exportType: 'sessions', version: 7, state: { sessions } })).toEqual({
      agents: [agent],
      invalid: [{ at: 'state.sessions.2', problem: '"config" must be an object.' }],
    });
    expect(read({ mode: 'postgres', data: { agents: [{ ...config, ...meta }] } }).agents).toEqual([agent]);
  });

  test('of LobeHub are written so that they are read back', () => {
    const [agent] = read(writeAgentFile(AGENT, 'lobehub', 1)).agents;
    const { budgets: _, ...configuration } = AGENT.configuration;
    expect(agent).toEqual({ title: 'Own', profile: AGENT.profile, configuration, leftOut: [] });
  });

  test('character cards of versions 1, 2 and 3, as JSON and in PNG images', () => {
    const [one] = read(V1).agents;
    expect(one).toEqual({
      title: 'Ada',
      profile: { openingMessage: 'Hello you, I am Ada.' },
      configuration: {
        instructions: 'You are Ada.\n\nAda is an engineer.\n\nPersonality: calm\n\nScenario: a workshop',
        examples: [
          { question: 'Is it safe?', answer: 'Yes.\nMostly.' },
          { question: 'Why?', answer: 'Because.' },
        ],
      },
      leftOut: [],
    });
    const [two] = read(V2).agents;
    expect(two).toMatchObject({
      profile: { description: 'An engineer.', tags: ['tech'] },
      leftOut: ['lorebook', 'greetings', 'instructions-after-history'],
    });
    expect(two?.configuration.instructions).toMatch(/^Answer as Ada\.\n\n/);
    const three = { ...V2, spec: 'chara_card_v3', data: { ...V2.data, nickname: 'Countess' } };
    const both = png(['chara', base64(V2)], ['ccv3', base64(three)]);
    expect(readAgentFile(png(['chara', base64(V2)])).agents).toEqual([two]);
    expect(readAgentFile(both).agents[0]?.profile.openingMessage).toBe('Hello you, I am Countess.');
    expect(read(writeAgentFile(AGENT, 'character-card', 1)).agents).toMatchObject([
      {
        title: 'Own',
        profile: { description: 'Tests.', tags: ['t'], openingMessage: 'Hi' },
        configuration: { instructions: 'Test it.', examples: [{ question: 'q', answer: 'a' }] },
      },
    ]);
  });

  test('an avatar that is an image, and texts that are too long, are left out and named', () => {
    const meta = {
      avatar: 'https://example.com/a.png',
      title: 'x'.repeat(900),
      tags: Array.from({ length: 50 }, (_, at) => `tag ${at}`),
    };
    const [agent] = read({ config: {}, meta }).agents;
    expect(agent?.leftOut).toEqual(['avatar', 'too-long']);
    expect(agent?.title).toHaveLength(200);
    expect(agent?.profile.tags).toHaveLength(20);
  });

  test.each([
    ['an empty file', toBytes(''), 'The file is empty; JSON is required.'],
    ['broken JSON', toBytes('{\n "format": \n}'), 'Invalid JSON in the file at line 3, column 1.'],
    ['text that is not UTF-8', Buffer.from([0xff, 0xfe]), 'The file is not valid UTF-8 text.'],
    ['deep JSON', toBytes('['.repeat(5_000)), 'The JSON of the file is nested more than 100 levels deep.'],
    ['something else', toBytes([1]), 'This file is not an agent.'],
    [
      'a wrong value',
      toBytes({
        format: 'toolyard-agent',
        version: 1,
        exportedAt: 0,
        agent: { title: 'x', profile: { tags: [1] }, configuration: {} },
      }),
      '"agent.profile.tags.0" must be a string (got 1).',
    ],
    [
      'a newer version',
      toBytes({ format: 'toolyard-agent', version: 2 }),
      'The file was written by a newer Toolyard (its version is 2).',
    ],
    ['a card without a name', toBytes({ spec: 'chara_card_v2', data: {} }), '"data.name" must be a string.'],
    [
      'an image without a card',
      png(['Software', 'x']),
      'This PNG image contains no character card: it has no text chunk "chara" or "ccv3".',
    ],
    [
      'an image cut off',
      png(['chara', base64(V1)]).subarray(0, 60),
      'Invalid PNG: the file ends within the chunk at byte 33.',
    ],
    [
      'an image with a wrong checksum',
      png(['chara', base64(V1)]).fill(65, 50, 60),
      'Invalid PNG: the checksum of the chunk tEXt at byte 33 is wrong.',
    ],
    ['a card that is not Base64', png(['chara', '{}']), 'The character card in this PNG image is not Base64.'],
  ])('%s is rejected with its place', (_what, bytes, problem) => {
    expect(getProblem(bytes)).toBe(problem);
  });

  test('any damaged file is either rejected with a reason, or read as a valid agent', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const junk: unknown[] = [null, true, -1, 1e9, '', 'x'.repeat(50_000), '\ud800', [], {}, [[null]], { config: [] }];
    const damaged = (value: unknown): unknown => {
      if (random(12) === 0) return junk[random(junk.length)];
      if (Array.isArray(value)) return value.map(damaged);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, damaged(each)]));
    };
    const files: JsonObject[] = [V1, V2, LOBEHUB, writeAgentFile(AGENT, 'toolyard', 1)];
    const image = png(['chara', base64(V2)]);
    let accepted = 0;
    for (let round = 0; round < 2_000; round++) {
      const bytes = round % 4 === 0 ? Buffer.from(image) : toBytes(damaged(files[random(files.length)]));
      for (let flips = round % 3; flips > 0; flips--) bytes[random(bytes.length)] = random(256);
      let agents;
      try {
        agents = readAgentFile(bytes).agents;
      } catch (thrown) {
        expect(ToolyardError.isInstance(thrown) || thrown instanceof ProblemAnswer, String(thrown)).toBe(true);
        continue;
      }
      for (const { leftOut: _, ...agent } of agents) {
        accepted += 1;
        expect(createAgentBody.safeParse(agent).error?.issues ?? []).toEqual([]);
        expect(agent.configuration).not.toHaveProperty('workspace');
      }
    }
    expect(accepted).toBeGreaterThan(100);
  });
});

test.each([
  ['', undefined, 'Unnamed character'],
  [' \n', 'Ada', 'Ada'],
])('a character card with the blank name %j gets another one everywhere', (name, nickname, title) => {
  const data: JsonObject = { name, nickname: nickname ?? null, description: 'A {{char}} who helps {{user}}.' };
  const agent = readCharacterCard({ spec: 'chara_card_v2', data });
  expect(agent.title).toBe(title);
  expect(agent.configuration.instructions).toBe(`You are ${title}.\n\nA ${title} who helps the user.`);
});
