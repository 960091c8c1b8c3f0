import type { CommandIo, Invocation } from './command-io.ts';

/** What a command does. `args`: its arguments, then its flags. Returns the exit code, if that is not 0. */
type CommandFunction<Args extends unknown[]> = (io: CommandIo, ...args: Args) => Promise<number | void>;

/**
 * Actions of commands whose functions are in one module, which is loaded when one of them runs.
 *
 * @example
 * const action = actions(invocation, () => import('./models-command.ts'));
 * program.command('models').action(action((commands) => commands.modelsCommand));
 */
export function actions<Module>(invocation: Invocation, load: () => Promise<Module>) {
  return <Args extends unknown[]>(pick: (module: Module) => CommandFunction<Args>) =>
    async (...given: unknown[]): Promise<void> => {
      // Commander adds the command itself.
      const args = given.slice(0, -1) as Args;
      const code = await pick(await load())(invocation.io, ...args);
      if (typeof code === 'number') invocation.exitCode = code;
    };
}
