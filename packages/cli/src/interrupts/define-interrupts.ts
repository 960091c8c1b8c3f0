import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { InterruptAnswer, JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { Invocation } from '../command-io.ts';
import { positiveInteger, positiveNumber, repeatable } from '../options.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { AnswerFlags } from './answer-from-flags.ts';
import type { ListFlags } from './list-interrupts.ts';

/** Defines `toolyard interrupts ...`: what runs ask of people, listed and answered. */
export function defineInterrupts(program: Command, invocation: Invocation): void {
  const { io } = invocation;
  const interrupts = program
    .command('interrupts')
    .description('What runs ask of people: calls to approve, forms, choices, sign-ins')
    .addHelpText(
      'after',
      `
Examples:
  toolyard interrupts list
  toolyard interrupts answer <id> --approve
  toolyard interrupts answer <id> --approve --arguments '{"to":"anna@example.com"}'
  toolyard interrupts answer --all --refuse --reason 'not today'
  toolyard interrupts answer <id> --answer '{"decision":"choose","chosen":["Tokyo"]}'`,
    )
    .exitOverride();

  onServer(interrupts.command('list').description('What is asked, the oldest first'))
    .addOption(new Option('--status <status>', 'which').choices(['open', 'answered', 'withdrawn']).default('open'))
    .option('--run <id>', 'only those of this run')
    .option('--conversation <id>', 'only those of this conversation')
    .option('--limit <n>', 'at most so many', positiveInteger)
    .option('--json', 'as JSON')
    .action(async (flags: ServerFlags & ListFlags) => {
      const { listInterrupts } = await import('./list-interrupts.ts');
      await listInterrupts(io, await clientOf(io, flags), flags);
    });

  onServer(
    interrupts
      .command('answer')
      .argument('[id...]', 'which; at a terminal without an answer you are asked')
      .description('Answer questions; the first answer counts, wherever it is given'),
  )
    .option('--all', 'all that are open and take this answer')
    .option('--approve', 'make the call')
    .option('--refuse', 'do not make the call')
    .option('--reason <text>', 'with --refuse: told to the model')
    .addOption(
      new Option('--scope <scope>', 'for how long: this call (or run), this conversation, or always')
        .choices(['once', 'conversation', 'always'])
        .default('once'),
    )
    .option('--arguments <json>', 'with --approve: make the call with these instead', object)
    .option('--accept', 'open the address, or send the form filled in with --content')
    .option('--content <json>', 'with --accept: what the form is filled in with', object)
    .option('--decline', 'say no')
    .option('--text <text>', 'the words a model asked for')
    .addOption(repeatable('--choose <choice>', 'a choice a model offered'))
    .option('--repeat', 'make a call again of which nobody knows whether it took effect')
    .option('--failed', 'say that such a call did not take effect')
    .option('--result <text>', 'say what came of such a call')
    .option('--allow', "let a server ask the conversation's model")
    .option('--signed-in', 'go on after a sign-in')
    .option('--raise <limit>', 'go on past a budget, up to this; --scope says for how long', positiveNumber)
    .option('--stop', 'with --refuse: end the run as well; alone: end one whose budget is used up')
    .option('--answer <json>', 'any other answer, as the API takes it', answer)
    .option('--json', 'what came of each, as JSON')
    .action(async (ids: string[], flags: ServerFlags & AnswerFlags) => {
      const { answerCommand } = await import('./answer-command.ts');
      invocation.exitCode = await answerCommand(io, await clientOf(io, flags), ids, flags);
    });
}

function object(text: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new InvalidArgumentError('It takes a JSON object.');
}

function answer(text: string): InterruptAnswer {
  const given = object(text);
  // What else has to be in it the server knows, and says.
  if (typeof given['decision'] === 'string') return given as unknown as InterruptAnswer;
  throw new InvalidArgumentError('It takes a JSON object with a "decision".');
}
