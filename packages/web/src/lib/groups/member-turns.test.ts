import { expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '@toolyard/protocol';
import { applyRunEvent } from '../transcript/apply-event.ts';
import { textOfRow } from '../transcript/rows.ts';
import { assistantMessage, createEvents, run, userMessage, view } from '../transcript/test-fixtures/test-events.ts';
import { openTranscript, rowList } from '../transcript/transcript.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { MemberTurns, withTurns } from './member-turns.svelte.ts';

const QUESTION = userMessage('r1', 'Which colour?');
const group = (): Transcript => openTranscript(view([QUESTION], { activeRun: run('r1') }));

/** The events of the turn of a member, whose answer is written in pieces. */
function turnEvents(turn: string, name: string, pieces: readonly string[]): RunEvent[] {
  const agent = { id: name.toLowerCase(), title: name, avatar: '🦊' };
  const text = pieces.map((piece): RunEventBody => ({ type: 'text_delta', messageId: `${turn}.0`, text: piece }));
  return createEvents(turn, [
    {
      type: 'run_started',
      conversationId: turn,
      place: 'server',
      model: 'demo',
      message: userMessage(`${turn}.question`, 'It is your turn.'),
    },
    { type: 'message_started', messageId: `${turn}.0`, parentId: `${turn}.question`, model: 'demo', agent },
    ...text,
  ]);
}

const stored = (turn: string, text: string) =>
  assistantMessage(`${turn}.answer`, [{ type: 'text', text }], {
    agent: { id: 'ada', title: 'Ada' },
    member: { kind: 'speak', runId: turn, conversationId: turn, callId: 'r1.0.0' },
  });

/** Each shown answer as author, text and key. */
function shown(transcript: Transcript, turns: MemberTurns): string[] {
  const rows = rowList(withTurns(transcript, turns.rows));
  return Array.from({ length: rows.length }, (_, index) => rows.at(index)).flatMap((row) =>
    row?.kind === 'assistant' ? [`${row.agent?.title ?? '-'}: ${textOfRow(row)} (${row.key})`] : [],
  );
}

function turnsReading(events: readonly RunEvent[] = []): MemberTurns {
  return new MemberTurns({
    soon: (flush) => flush(),
    onProblem: () => undefined,
    read: async function* (runId, after) {
      yield await Promise.resolve(events.filter((event) => event.runId === runId && event.seq > after));
    },
  });
}

it('the text of a member appears while it is written, and its stored answer takes the same row', () => {
  const turns = turnsReading();
  const transcript = group();
  turns.follow(transcript);
  const [started, begun, first, second] = turnEvents('r1.0.0.task.0', 'Ada', ['I like ', 'blue.']);
  for (const event of [started, begun, first]) if (event) turns.take(event);
  expect(shown(transcript, turns)).toEqual(['Ada: I like  (r1.0.0.task.0.answer)']);
  if (second) turns.take(second);
  expect(shown(transcript, turns)).toEqual(['Ada: I like blue. (r1.0.0.task.0.answer)']);

  const message = stored('r1.0.0.task.0', 'I like blue.');
  const [finished] = createEvents('r1', [{ type: 'message_finished', message }]);
  const next = finished ? applyRunEvent(transcript, finished) : transcript;
  turns.follow(next);
  expect(turns.rows).toEqual([]);
  expect(shown(next, turns).filter((row) => row.startsWith('Ada'))).toEqual([
    'Ada: I like blue. (r1.0.0.task.0.answer)',
  ]);
});

it('members that speak at the same time have a row each, in the order of the decision', () => {
  const turns = turnsReading();
  const transcript = group();
  turns.follow(transcript);
  for (const event of turnEvents('r1.0.0.task.1', 'Bea', ['Red.'])) turns.take(event);
  for (const event of turnEvents('r1.0.0.task.0', 'Ada', ['Blue.'])) turns.take(event);
  expect(shown(transcript, turns).map((row) => row.split(' (')[0])).toEqual(['Ada: Blue.', 'Bea: Red.']);
});

it('a chat that is opened during a turn shows what was written before', async () => {
  const events = turnEvents('r1.0.0.task.0', 'Ada', ['I like ', 'blue.']);
  const turns = turnsReading(events);
  turns.follow(null);
  for (const event of events) turns.take(event);
  expect(turns.rows).toEqual([]);
  const transcript = group();
  turns.follow(transcript);
  await expect.poll(() => shown(transcript, turns)).toEqual(['Ada: I like blue. (r1.0.0.task.0.answer)']);
});

it('turns of other runs, and those of a run that has ended, are not shown', () => {
  const turns = turnsReading();
  const transcript = group();
  turns.follow(transcript);
  for (const event of turnEvents('r2.0.0.task.0', 'Ada', ['Elsewhere.'])) turns.take(event);
  expect(turns.rows).toEqual([]);
  for (const event of turnEvents('r1.0.0.task.0', 'Ada', ['Here.'])) turns.take(event);
  expect(turns.rows).toHaveLength(1);
  turns.follow({ ...transcript, run: { id: 'r1', status: 'cancelled', seq: 1 } });
  expect(turns.rows).toEqual([]);
});
