import type { RunEvent } from '@toolyard/protocol';
import { markAnswers } from '../transcript/mark-answers.ts';
import type { RunFollowerDeps } from '../transcript/run-follower.ts';
import { RunFollower } from '../transcript/run-follower.ts';
import type { AssistantRow } from '../transcript/rows.ts';
import { isPlaceholder } from '../transcript/rows.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { isActive, newTranscript } from '../transcript/transcript.ts';
import { findCall, isPrivateCall, readTurn } from './group-call.ts';

type Deps = Pick<RunFollowerDeps, 'read' | 'soon' | 'onProblem'>;
type Turn = { transcript: Transcript; follower: RunFollower; row: AssistantRow | null };

/**
 * The turns of members that are in progress, one row each. A turn is a run of its own, so its events make a transcript
 * of its own; its row has the key of the answer that the run of the group stores afterwards, and stays in place.
 */
export class MemberTurns {
  rows: readonly AssistantRow[] = $state.raw([]);

  readonly #deps: Deps;
  readonly #turns = new Map<string, Turn>();
  /** The last event of each turn in progress in any chat: the stream does not repeat it when that chat is opened. */
  readonly #heads = new Map<string, number>();
  #group: Transcript | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  take(event: RunEvent): void {
    const turn = readTurn(event.runId);
    if (turn === null) return;
    if (event.type === 'run_finished') this.#heads.delete(event.runId);
    else this.#heads.set(event.runId, event.seq);
    this.#find(event.runId)?.follower.take(event);
  }

  /** The chat of a group that is shown now; null: another chat. */
  follow(group: Transcript | null): void {
    this.#group = group;
    const run = group?.run ?? null;
    for (const [id, { follower, row }] of this.#turns) {
      const isOver = run === null || !isActive(run.status) || readTurn(id)?.parentRunId !== run.id;
      if (!isOver && (row === null || !hasRow(group, row.key))) continue;
      follower.reset();
      this.#turns.delete(id);
    }
    for (const [id, seq] of this.#heads) if (!this.#turns.has(id)) this.#find(id)?.follower.catchUp(seq);
    this.#publish();
  }

  /** Loads again what could not be loaded. */
  retry(): void {
    for (const { follower } of this.#turns.values()) follower.retry();
  }

  #find(runId: string): Turn | undefined {
    const { parentRunId, callId } = readTurn(runId) ?? {};
    const run = this.#group?.run;
    if (callId === undefined || run == null || run.id !== parentRunId || !isActive(run.status)) return undefined;
    // Ballots are shown together, with the result of the vote.
    if (hasRow(this.#group, answerId(runId)) || findCall(this.#group, callId)?.tool?.name === 'vote') return undefined;
    return this.#turns.get(runId) ?? this.#begin(runId);
  }

  #begin(runId: string): Turn {
    const turn: Turn = {
      transcript: { ...newTranscript(), conversationId: runId, run: { id: runId, status: 'running', seq: 0 } },
      follower: new RunFollower({
        ...this.#deps,
        get: () => turn.transcript,
        set: (transcript) => {
          turn.transcript = transcript;
          turn.row = this.#findRow(runId, transcript);
          this.#publish();
        },
      }),
      row: null,
    };
    this.#turns.set(runId, turn);
    return turn;
  }

  #findRow(runId: string, { tail }: Transcript): AssistantRow | null {
    const answers = tail.filter((row) => row.kind === 'assistant').filter(({ status }) => status !== 'abandoned');
    const last = answers.at(-1);
    const { parentRunId = '', callId = '' } = readTurn(runId) ?? {};
    if (last === undefined) return null;
    const isPrivate = isPrivateCall(findCall(this.#group, callId));
    return {
      ...last,
      key: answerId(runId),
      messageId: answerId(runId),
      runId: parentRunId,
      member: {
        kind: 'speak',
        runId,
        conversationId: runId,
        callId,
        ...(isPrivate ? { private: true as const } : {}),
      },
      createdAt: answers[0]?.createdAt ?? last.createdAt,
      blocks: answers.length === 1 ? last.blocks : answers.flatMap(({ blocks }) => blocks),
      usage: null,
      cost: null,
      head: true,
      answer: null,
    };
  }

  #publish(): void {
    const turns = [...this.#turns].toSorted(([a], [b]) => (readTurn(a)?.task ?? 0) - (readTurn(b)?.task ?? 0));
    const rows = turns.flatMap(([, { row }]) => row ?? []);
    if (rows.length > 0 || this.rows.length > 0) this.rows = rows;
  }
}

/** The transcript of a group with the turns in progress at its end: what its placeholder stands for. */
export function withTurns(transcript: Transcript, turns: readonly AssistantRow[]): Transcript {
  const missing = turns.filter(({ key }) => !hasRow(transcript, key));
  if (missing.length === 0) return transcript;
  const known = transcript.tail.filter((row) => row.kind !== 'assistant' || !isPlaceholder(row));
  return { ...transcript, tail: markAnswers([...known, ...missing]) };
}

function hasRow(transcript: Transcript | null, key: string): boolean {
  return transcript?.tail.some((row) => row.key === key) ?? false;
}

/** The id of the message that the run of the group stores for a turn. */
function answerId(runId: string): string {
  return `${runId}.answer`;
}
