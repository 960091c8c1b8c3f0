import { Command, CommanderError, Option } from 'commander';
import { defineAgents } from './agents/define-agents.ts';
import { defineGroups } from './groups/define-groups.ts';
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
import { defineRun } from './run/define-run.ts';
import { defineSchedules } from './schedules/define-schedules.ts';
import { defineSearchEngine } from './search-engine/define-search-engine.ts';
import { defineSessions } from './sessions/define-sessions.ts';
import { defineSkills } from './skills/define-skills.ts';
import { defineOpen } from './open/define-open.ts';
import { defineServe } from './serve/define-serve.ts';
import { defineServerCommands } from './server/define-commands.ts';
import { VERSION, WIRES } from '@toolyard/protocol';

/** Runs the `toolyard` command with this input, output and environment. Returns the exit code; never rejects. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  const invocation: Invocation = { io, exitCode: EXIT.done };
  try {
    await createProgram(invocation).parseAsync(argv, { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    // Commander throws after it has printed help, the version, or a usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return reportFailure(error, io);
  }
}

/** All commands; the reference in docs/ is generated from them. */
export function createProgram(invocation: Invocation): Command {
  const { io } = invocation;
  // Subcommands inherit the output configuration.
  const program = new Command('toolyard')
    .configureOutput({
      // Prints help and the version.
      writeOut: (text) => {
        exitOnClosedPipe(io);
        io.stdout.write(text);
      },
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => getWidth(io.stdout),
      getErrHelpWidth: () => getWidth(io.stderr),
    })
    .description('Use any language model with any MCP server')
    .version(VERSION)
    .showHelpAfterError('(Run with --help for usage.)')
    .exitOverride();

  const chatCommand = program
    .command('chat')
    .description('Chat with a model and MCP tools; with a question, print the answer and exit')
    .argument('[question]', 'question to answer on stdout; "-" reads it from stdin');
  withConnectionOptions(chatCommand)
    .option('--system <text>', 'system prompt')
    .option(
      '--workspace <folder>',
      'folder of this chat: the root of local MCP servers; with --server also for files and shell, on the machine of the server',
    )
    .option('--max-turns <n>', 'maximum model requests per run (default: 20; with a question: 5)', positiveInteger)
    .addOption(
      new Option('--on-max-turns <action>', 'at the limit: answer without tools (default), or fail').choices([
        'answer',
        'error',
      ]),
    )
    .addOption(repeatable('--allow <server/tool>', 'allow these tools without asking; * stands for any characters'))
    .addOption(
      new Option('--tool-mode <mode>', 'pass tools as API tools (native, the default) or in the prompt (text)').choices(
        ['native', 'text'],
      ),
    )
    .option('--temperature <number>', 'sampling temperature', number)
    .option('--top-p <number>', 'nucleus sampling: probability mass of the tokens to sample from', number)
    .option('--max-tokens <n>', 'maximum output tokens per answer', positiveInteger)
    .addOption(repeatable('--stop <text>', 'stop sequence'))
    .option('--seed <n>', 'sampling seed', number)
    .option('--json', 'print run events as JSON lines (with a question)')
    .option('--server [url]', 'chat through a running server (default: the server of the data folder)')
    .option('--conversation <id>', 'with --server: continue this conversation')
    .option('--agent <name>', 'chat with an agent of a running server, by name or ID')
    .option('--group <name>', 'chat with a group of agents of a running server, by name or ID')
    .option('--token <text>', 'access token or API key of the server (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'data folder of the server (or TOOLYARD_DATA_DIR)')
    .option(
      '--reconnect-timeout <seconds>',
      'with --server: give up reconnecting after this time (default: 30)',
      number,
    )
    .exitOverride()
    .action(async (message: string | undefined, options: ChatFlags) => {
      invocation.exitCode = await chat(io, message, options);
    });

  const doctor = program.command('doctor').description('Check the installation and print what was detected');
  withConnectionOptions(doctor)
    .option('--json', 'print JSON')
    .exitOverride()
    .action(async (options: DoctorFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      invocation.exitCode = await doctorCommand(io, options);
    });

  defineServe(program, invocation);
  defineOpen(program, invocation);
  defineAgents(program, invocation);
  defineRun(program, invocation);
  defineGroups(program, invocation);
  defineKeys(program, invocation);
  defineSchedules(program, invocation);
  defineSearchEngine(program, invocation);
  defineSessions(program, invocation);
  defineSkills(program, invocation);
  defineModels(program, invocation);
  defineAbilities(program, invocation);
  defineServerCommands(program, invocation);

  defineInterrupts(program, invocation);
  defineMcp(program, invocation);
  return program;
}

/** Commander's default where stdout is no terminal. */
function getWidth({ isTTY, columns }: OutputStream): number {
  return (isTTY === true ? columns : undefined) ?? 80;
}

async function chat(io: CommandIo, message: string | undefined, flags: ChatFlags): Promise<number> {
  const { serverChatFrom } = await import('./server-chat/server-chat-flags.ts');
  const serverChat = serverChatFrom(message, flags);
  if (serverChat) {
    const { serverChatCommand } = await import('./server-chat/server-chat-command.ts');
    return serverChatCommand(io, serverChat, flags);
  }
  const { chatCommand } = await import('./chat/chat-command.ts');
  return chatCommand(io, message, flags);
}

function withConnectionOptions(command: Command): Command {
  return command
    .option('--provider <id>', 'provider preset, with the API key from its variable (see "toolyard providers --known")')
    .option('--base-url <url>', 'base URL of a model server (or OPENAI_BASE_URL)')
    .addOption(
      new Option('--api-format <format>', 'API format of the model server (default: openai-chat)').choices(WIRES),
    )
    .option('--api-key <key>', 'API key (better: OPENAI_API_KEY; other users of the machine can read command lines)')
    .option('--model <name>', 'model name; "demo" is built in and needs no provider')
    .addOption(repeatable('--mcp <command or url>', 'MCP server, as [name=]<command or URL>'))
    .option('--mcp-config <file>', 'mcp.json file with MCP servers')
    .option('--no-date', 'do not start the bundled date server');
}
