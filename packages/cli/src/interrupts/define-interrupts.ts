import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { InterruptAnswer, JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { Invocation } from '../command-io.ts';
import { positiveInteger, positiveNumber, repeatable } from '../options.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard interrupts`. */
export function defineInterrupts(program: Command, invocation: Invocation): void {
  const interrupts = program
    .command('interrupts')
    .description('Manage the Inbox: approvals, forms, questions and sign-ins that runs wait for')
    .addHelpText(
      'after',
      `
Examples:
  toolyard interrupts list
  toolyard interrupts answer <id> --approve
  toolyard interrupts answer <id> --approve --arguments '{"to":"anna@example.com"}'
  toolyard interrupts answer --all --deny --reason 'not today'
  toolyard interrupts answer <id> --answer '{"decision":"choose","chosen":["Tokyo"]}'`,
    )
    .exitOverride();

  onServer(interrupts.command('list').description('List interrupts, oldest first'))
    .addOption(
      new Option('--status <status>', 'only interrupts with this status')
        .choices(['open', 'answered', 'withdrawn'])
        .default('open'),
    )
    .option('--run <id>', 'only interrupts of this run')
    .option('--conversation <id>', 'only interrupts of this conversation')
    .option('--limit <n>', 'maximum number of results', positiveInteger)
    .option('--json', 'print JSON')
    .action(serverActions(invocation, () => import('./list-interrupts.ts'))((commands) => commands.listInterrupts));

  onServer(
    interrupts
      .command('answer')
      .argument('[id...]', 'interrupts to answer; without an answer flag, the terminal prompts for each')
      .description('Answer interrupts; the first answer wins'),
  )
    .option('--all', 'answer all open interrupts that accept this answer')
    .option('--approve', 'approve the call')
    .option('--deny', 'deny the call')
    .option('--reason <text>', 'with --deny: reason to send to the model')
    .addOption(
      new Option('--scope <scope>', 'with --approve, --deny or --raise: how long the answer applies')
        .choices(['once', 'conversation', 'always'])
        .default('once'),
    )
    .option('--arguments <json>', 'with --approve: replace the arguments of the call', object)
    .option('--accept', 'accept the request to open a URL, or submit the form with --content')
    .option('--content <json>', 'with --accept: values of the form', object)
    .option('--decline', 'decline the request')
    .option('--text <text>', 'answer a question of the model')
    .addOption(repeatable('--choose <choice>', 'select this choice'))
    .option('--repeat', 'outcome unknown: repeat the call')
    .option('--failed', 'outcome unknown: report that the call failed')
    .option('--result <text>', 'outcome unknown: report this result of the call')
    .option('--allow', "allow a server to sample the conversation's model")
    .option('--signed-in', 'continue after signing in')
    .option('--raise <limit>', 'raise the budget to this limit', positiveNumber)
    .option('--stop', 'with --deny: also stop the run; alone: stop a run whose budget is used up')
    .option('--answer <json>', 'any answer, in the format of the API', answer)
    .option('--json', 'print JSON')
    .action(serverActions(invocation, () => import('./answer-command.ts'))((commands) => commands.answerCommand));
}

function object(text: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new InvalidArgumentError(parsed.ok ? 'Expected a JSON object.' : `Invalid JSON: ${parsed.problem}.`);
}

function answer(text: string): InterruptAnswer {
  const parsed = object(text);
  // The server validates the other fields.
  if (typeof parsed['decision'] === 'string') return parsed as unknown as InterruptAnswer;
  throw new InvalidArgumentError('Expected a JSON object with "decision".');
}
