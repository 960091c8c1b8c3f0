import { afterEach, describe, expect, test } from 'vitest';
import type { CreateGroup } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { ANNE, cleanUp } from '../runs/test-fixtures/setup.ts';
import { calls, hangsAfter, says } from '../runs/test-fixtures/scripted-model.ts';
import { groupRunView } from './group-run-view.ts';
import type { GroupBench } from './test-fixtures/group-setup.ts';
import { listMemberAnswers, openGroupBench } from './test-fixtures/group-setup.ts';

afterEach(cleanUp);

const LED = { mode: { kind: 'supervisor', supervisor: { agentId: 'lead' } } } satisfies Partial<CreateGroup>;

const readView = ({ bench }: GroupBench, runId: string) => groupRunView(bench.storage, ANNE, runId);

describe('a group without a supervisor', () => {
  test('lets the members speak in their order, and each sees what the others said', async () => {
    const group = await openGroupBench({ ada: [says('One.')], bob: [says('Two.')], cy: [says('Three.')] });
    const runId = await group.ask('Count');
    await group.over(runId);
    expect((await group.said()).filter((line) => !line.startsWith('speak'))).toEqual([
      'user: Count',
      'Ada: One.',
      'Bob: Two.',
      'Cy: Three.',
    ]);
    const [request] = group.requests('cy');
    const heard = request?.messages.map((message) => `${message.role}: ${textOf(message)}`) ?? [];
    expect(heard.slice(1)).toEqual([
      'user: Count',
      'user: <group-message from="Ada">\nOne.\n</group-message>',
      'user: <group-message from="Bob">\nTwo.\n</group-message>',
      'user: It is your turn, Cy. Answer in the conversation.',
    ]);
    expect(heard[0]).toContain('You are Cy, a member of the group "Team".');
    expect(await readView(group, runId)).toMatchObject({ round: 1, stop: 'max_rounds', speaking: [] });
    const [first] = listMemberAnswers(await group.bench.branch('c'));
    expect(first).toMatchObject({
      agent: { id: 'ada', title: 'Ada' },
      member: { kind: 'speak', runId: expect.any(String) },
    });
  });

  test('in turn continues after the member that spoke last, and a mentioned member answers next', async () => {
    const group = await openGroupBench({}, { mode: { kind: 'round_robin' }, stopPhrases: ['i am BOB'] });
    await group.over(await group.ask('First'));
    await group.over(await group.ask('Second'));
    await group.over(await group.ask('Third', { agentId: 'ada' }));
    const authors = listMemberAnswers(await group.bench.branch('c')).map(({ agent }) => agent?.id);
    expect(authors).toEqual(['ada', 'bob', 'cy', 'ada', 'bob', 'ada']);
  });
});

describe('a group with a supervisor', () => {
  test('speaks, broadcasts, gives tasks and votes; a failing member does not lose the round', async () => {
    const group = await openGroupBench(
      {
        lead: [
          calls({ name: 'speak', arguments: { member: 'Ada', instruction: 'Begin' } }),
          calls({ name: 'broadcast', arguments: { instruction: 'All of you' } }),
          calls({
            name: 'execute_tasks',
            arguments: {
              tasks: [
                { member: 'cy', task: 'Look it up' },
                { member: 'Nobody', task: 'x' },
              ],
            },
          }),
          calls({
            name: 'vote',
            arguments: { question: 'Which?', options: ['Red', 'Blue'], tie_breaker: 'Blue' },
          }),
          says('Blue it is.'),
        ],
        ada: [says('Begun.'), says('Me too.'), says('**Red**\nwarm')],
        bob: [[[{ type: 'error', error: { code: 'network', message: 'no line' } }]], says('Blue.\ncalm')],
        cy: [says('Here.'), says('Found.'), says('Neither of them')],
      },
      LED,
    );
    const runId = await group.ask('Go');
    await group.over(runId);
    expect(await group.said()).toEqual([
      'user: Go',
      'speak: Ada answered: see the message of Ada that follows.',
      'Ada: Begun.',
      [
        'broadcast: Ada answered: see the message of Ada that follows.',
        'Cy answered: see the message of Cy that follows.',
        'Bob did not answer: no line',
      ].join('\n'),
      'Ada: Me too.',
      'Cy: Here.',
      [
        'execute_tasks: Cy answered: see the message of Cy that follows.',
        'Nobody did not answer: The group has no member "Nobody". Members: "Ada", "Bob", "Cy".',
      ].join('\n'),
      'Cy: Found.',
      [
        'vote: Red: 1',
        'Blue: 1',
        'Result: Blue (equal votes: your tie breaker decided)',
        'Ada voted for Red: warm',
        'Bob voted for Blue: calm',
        'Cy voted for none of the options: Neither of them',
      ].join('\n'),
      'Lead: Blue it is.',
    ]);
    // A task is carried out without the conversation.
    const task = group.requests('cy')[1]?.messages.slice(1) ?? [];
    expect(task.map(textOf).join('\n')).not.toContain('Begun');
    expect(await readView(group, runId)).toMatchObject({ round: 4, stop: 'answered' });
  });

  test('keeps private messages from the other members', async () => {
    const group = await openGroupBench(
      {
        lead: [
          calls({ name: 'speak', arguments: { member: 'Ada', instruction: 'You are the werewolf', private: true } }),
          calls({ name: 'broadcast', arguments: { members: ['Ada', 'Bob'] } }),
          calls({ name: 'finish' }),
        ],
        ada: [says('Understood, I bite.'), says('Innocent!')],
      },
      LED,
    );
    const runId = await group.ask('Play');
    await group.over(runId);
    const heard = (id: string) => JSON.stringify(group.requests(id).at(-1)?.messages);
    expect(heard('bob')).not.toMatch(/werewolf|bite/);
    expect(heard('ada')).toMatch(/werewolf.*bite/);
    expect(heard('lead')).toMatch(/private=.*bite/);
    const [first, ...others] = listMemberAnswers(await group.bench.branch('c'));
    expect(first?.member).toMatchObject({ private: true });
    expect(others.every(({ member }) => member?.private === undefined)).toBe(true);
    expect(await readView(group, runId)).toMatchObject({ stop: 'finished', round: 2 });
  });

  test('hands the conversation to a member until it hands it back', async () => {
    const group = await openGroupBench(
      {
        lead: [calls({ name: 'delegate', arguments: { member: 'Bob' } }), says('Welcome back.')],
        bob: [says('Which colour?'), calls({ name: 'hand_back' }), says('Noted.')],
      },
      LED,
    );
    const first = await group.ask('Order');
    await group.over(first);
    expect(await readView(group, first)).toMatchObject({ stop: 'delegated' });
    await group.over(await group.ask('Green'));
    expect((await group.said()).filter((line) => !line.startsWith('delegate'))).toEqual([
      'user: Order',
      'Bob: Which colour?',
      'user: Green',
      'Bob: Noted.',
      'Lead: Welcome back.',
    ]);
  });

  test('answers once more at the round limit, which a restart does not reset', async () => {
    const hanging = hangsAfter('Thinking');
    const again = calls({ name: 'speak', arguments: { member: 'Ada' } });
    const scripts = { lead: [again, again, again, again, says('Enough.')], ada: [says('One.'), hanging.answer] };
    const options = { ...LED, maxRounds: 3 };
    const group = await openGroupBench(scripts, options);
    const runId = await group.ask('Go');
    await eventually(
      async () => (await readView(group, runId))?.speaking.length === 1 && group.requests('ada').length === 2,
    );
    expect(await readView(group, runId)).toMatchObject({ round: 1, maxRounds: 3, stop: null });
    group.bench.die();
    const after = { lead: [again, says('Enough.')], ada: [says('Two.'), says('Three.')] };
    const next = await openGroupBench(after, options, { folder: group.folder, existing: true });
    await next.over(runId);
    expect(next.requests('lead').at(-1)?.toolChoice).toBe('none');
    expect(listMemberAnswers(await next.bench.branch('c')).map(textOf)).toEqual(['One.', 'Two.', 'Three.']);
    expect((await next.said()).at(-1)).toBe('Lead: Enough.');
    expect(await readView(next, runId)).toMatchObject({ round: 3, stop: 'max_rounds' });
  });
});

describe('a group that works', () => {
  test('continues without members that are deleted, too slow, or cannot be started', async () => {
    const slow = hangsAfter('Half');
    const group = await openGroupBench(
      { lead: [calls({ name: 'broadcast' }), says('So be it.')], bob: [slow.answer] },
      { ...LED, memberTimeoutMs: 1_000 },
    );
    await group.bench.storage.agents.remove(ANNE, 'cy');
    await group.over(await group.ask('Go'));
    const said = await group.said();
    expect(said[1]).toContain('Bob did not answer: ');
    expect(said[1]).toContain('exceeded its time limit of 1 s');
    expect(said[1]).toContain('cy did not answer: The agent of cy was deleted.');
    expect(said.slice(2)).toEqual(['Ada: I am ada.', 'Bob: Half', 'Lead: So be it.']);
  });

  test('pauses before the next decision, takes changed members, and continues when it is resumed', async () => {
    const waiting = hangsAfter('Hm');
    const group = await openGroupBench({ ada: [waiting.answer] });
    const runId = await group.ask('Go');
    await eventually(() => group.requests('ada').length === 1);
    await group.bench.runs.pause(ANNE, runId);
    await eventually(async () => (await readView(group, runId))?.paused === true);
    waiting.go('.');
    await eventually(async () => listMemberAnswers(await group.bench.branch('c')).length === 1);
    await eventually(() => group.bench.storage.runs.getRun(ANNE, runId)?.status === 'parked');
    const stored = await group.bench.storage.groups.get(ANNE, 'g');
    const definition = { ...stored?.definition, members: [{ agentId: 'ada' }, { agentId: 'lead', name: 'Boss' }] };
    await group.bench.storage.groups.update(ANNE, 'g', { title: 'Team', definition, version: 1, at: 1 });
    await group.bench.runs.resume(ANNE, runId);
    await group.over(runId);
    const names = listMemberAnswers(await group.bench.branch('c')).map(({ agent }) => agent?.title);
    expect(names).toEqual(['Ada', 'Boss']);
  });

  test('adds what the user says meanwhile to what the next members see', async () => {
    const waiting = hangsAfter('Hm');
    const group = await openGroupBench({ ada: [waiting.answer] });
    const runId = await group.ask('Go');
    await eventually(() => group.requests('ada').length === 1);
    await group.bench.say('c', 'In short, please', { whenBusy: 'steer' });
    waiting.go('.');
    await group.over(runId);
    const asked = group.requests('bob')[0]?.messages.map(textOf) ?? [];
    expect(asked.slice(1, -1)).toEqual(['Go', '<group-message from="Ada">\nHm.\n</group-message>', 'In short, please']);
  });

  test('can be taken over: its members are stopped, and messages go to it again', async () => {
    const hanging = hangsAfter('Half');
    const group = await openGroupBench({ bob: [hanging.answer, says('Yes.')] });
    const runId = await group.ask('Go');
    await eventually(() => group.requests('bob').length === 1);
    await group.bench.runs.cancel(ANNE, runId);
    await group.over(runId);
    const children = group.bench.storage.runs.listRuns(ANNE, { parentRunId: runId, limit: 9 });
    await eventually(() =>
      group.bench.storage.runs
        .listRuns(ANNE, { parentRunId: runId, limit: 9 })
        .every(({ endedAt }) => endedAt !== null),
    );
    expect(children).toHaveLength(2);
    await group.over(await group.ask('Bob?', { agentId: 'bob' }));
    expect((await group.said()).at(-1)).toBe('Bob: Yes.');
  });

  test('rejects a message to a group without members or of another agent, and stores nothing', async () => {
    const group = await openGroupBench({}, { members: [] });
    await expect(group.ask('Go')).rejects.toThrow('The group "Team" has no members.');
    const full = await openGroupBench({});
    await expect(full.ask('Go', { agentId: 'lead' })).rejects.toThrow('is not a member of the group "Team"');
    expect(await full.bench.branch('c')).toEqual([]);
  });
});
