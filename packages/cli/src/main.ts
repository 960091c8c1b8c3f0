import { Command, CommanderError, Option } from 'commander';
import { exitOnClosedPipe } from './closed-pipe.ts';
import type { CommandIo, Invocation, OutputStream } from './command-io.ts';
import { EXIT } from './exit.ts';
import { reportFailure } from './failure.ts';
import type { ChatFlags, DoctorFlags } from './flags.ts';
import { number, positiveInteger, repeatable } from './options.ts';
import { defineInterrupts } from './interrupts/define-interrupts.ts';
import { defineMcp } from './mcp/define-mcp.ts';
import { defineAbilities } from './models/ability/define-abilities.ts';
import { defineModels } from './models/define-models.ts';
import { defineKeys } from './keys/define-keys.ts';
import { defineSessions } from './sessions/define-sessions.ts';
import { defineOpen } from './open/define-open.ts';
import { defineServe } from './serve/define-serve.ts';
import { defineServerCommands } from './server/define-commands.ts';
import { VERSION, WIRES } from '@toolyard/protocol';

/** Runs the `toolyard` command in the given surroundings and returns its exit code; never rejects. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  const invocation: Invocation = { io, exitCode: EXIT.done };
  try {
    await createProgram(invocation).parseAsync(argv, { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    // Help and version are thrown too, as is what commander has already told on stderr.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return reportFailure(error, io);
  }
}

/** All commands; the reference in docs/ is generated from them. */
export function createProgram(invocation: Invocation): Command {
  const { io } = invocation;
  // Subcommands inherit where they write.
  const program = new Command('toolyard')
    .configureOutput({
      // Help and version.
      writeOut: (text) => {
        exitOnClosedPipe(io);
        io.stdout.write(text);
      },
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    })
    .description('Any language model with any MCP server, from the terminal')
    .version(VERSION)
    .showHelpAfterError('(toolyard --help shows what there is)')
    .exitOverride();

  const chatting = program
    .command('chat')
    .description('Talk to a model that may use tools; with a question: answer it and leave')
    .argument('[question]', 'asked once, the answer goes to stdout; "-" reads it from stdin');
  withConnectionOptions(chatting)
    .option('--system <text>', 'instructions for the model')
    .option('--max-turns <n>', 'model requests a run may take (default: 20, with a question 5)', positiveInteger)
    .addOption(
      new Option('--on-max-turns <what>', 'when they are used up: answer without tools (default), or fail').choices([
        'answer',
        'error',
      ]),
    )
    .addOption(repeatable('--allow <server/tool>', 'a tool that may run without asking'))
    .addOption(
      new Option(
        '--tool-mode <mode>',
        'how the model is told of tools: in the request (default), or in the prompt',
      ).choices(['native', 'text']),
    )
    .option('--temperature <number>', 'how freely the model chooses its words', number)
    .option('--top-p <number>', 'the share of likely words it chooses from', number)
    .option('--max-tokens <n>', 'the most tokens it may write in one answer', positiveInteger)
    .addOption(repeatable('--stop <text>', 'ends the answer where this text would come'))
    .option('--seed <n>', 'the same seed asks for the same answer', number)
    .option('--json', 'one event a line on stdout, as JSON (with a question)')
    .option('--server [url]', 'let a running server answer; without an address the one that has the data folder')
    .option('--conversation <id>', 'at the server: go on with this conversation')
    .option('--token <text>', 'its token (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'the data folder whose server is meant (or TOOLYARD_DATA_DIR)')
    .option('--wait <seconds>', 'how long a server that goes away is waited for (default 30)', number)
    .exitOverride()
    .action(async (question: string | undefined, options: ChatFlags) => {
      invocation.exitCode = await chat(io, question, options);
    });

  const doctor = program.command('doctor').description('Tell what is found on this machine and what is wrong');
  withConnectionOptions(doctor)
    .option('--json', 'the findings as JSON')
    .exitOverride()
    .action(async (options: DoctorFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      invocation.exitCode = await doctorCommand(io, options);
    });

  defineServe(program, invocation);
  defineOpen(program, io);
  defineKeys(program, io);
  defineSessions(program, io);
  defineModels(program, invocation);
  defineAbilities(program, invocation);
  defineServerCommands(program, invocation);

  defineInterrupts(program, invocation);
  defineMcp(program, invocation);
  return program;
}

/** Without a screen, commander's own default. */
function widthOf({ isTTY, columns }: OutputStream): number {
  return (isTTY === true ? columns : undefined) ?? 80;
}

async function chat(io: CommandIo, question: string | undefined, flags: ChatFlags): Promise<number> {
  const { serverChatFrom } = await import('./server-chat/server-chat-flags.ts');
  const atServer = serverChatFrom(question, flags);
  if (atServer) {
    const { serverChatCommand } = await import('./server-chat/server-chat-command.ts');
    return serverChatCommand(io, atServer, flags);
  }
  const { chatCommand } = await import('./chat/chat-command.ts');
  return chatCommand(io, question, flags);
}

function withConnectionOptions(command: Command): Command {
  return command
    .option('--provider <id>', 'a provider known by name, with the key of its variable ("toolyard providers --known")')
    .option('--base-url <url>', 'a model server (or OPENAI_BASE_URL)')
    .addOption(new Option('--wire <api>', 'which API it speaks (default: openai-chat)').choices(WIRES))
    .option('--api-key <key>', 'its key (better: OPENAI_API_KEY, which other users of the machine cannot see)')
    .option('--model <name>', 'which model; "demo" is built in and needs nothing')
    .addOption(repeatable('--mcp <command or url>', 'an MCP server; [name=] may stand before it'))
    .option('--mcp-config <file>', 'an mcp.json with servers')
    .option('--no-date', 'leave out the bundled date server');
}
