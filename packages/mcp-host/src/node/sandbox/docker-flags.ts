import type { McpIsolation } from '@toolyard/protocol';

/** Flags to display: what the container can access of the machine. Values of `-e` may be secrets and are left out. */
const SHOWN =
  /^(-v|--volume|--mount|--network|--net|--privileged|--pid|--ipc|--userns|--cap-add|--device|--security-opt|-u|--user|-p|--publish|--add-host|--read-only|-e|--env|--env-file)(=|$)/;

type Docker = { args: readonly string[]; env?: Readonly<Record<string, string>> | undefined };

/** What a `docker run` lets the container access. Only its flags count: Docker isolates the rest. */
export function dockerIsolation({ args, env = {} }: Docker): Extract<McpIsolation, { kind: 'docker' }> {
  const flags = args.flatMap((arg, at) => {
    const [, name = '', glued] = SHOWN.exec(arg) ?? [];
    if (name === '') return [];
    const takesNone = name === '--privileged' || name === '--read-only';
    const value = glued === '=' ? arg.slice(name.length + 1) : takesNone ? undefined : args[at + 1];
    const shown = name === '-e' || name === '--env' ? value?.replace(/=.*/s, '') : value;
    return [shown === undefined ? name : `${name} ${shown}`];
  });
  const around = [...commandOutside(args), ...Object.keys(env).filter((name) => RUNS_PROGRAMS.test(name))];
  const exposed = around.length > 0 || flags.some((flag) => EXPOSING.test(flag));
  return { kind: 'docker', flags: [...around, ...flags], exposed };
}

/** Commands other than `run` may run programs of this machine (plugins), and so may flags before it (`--config`). */
function commandOutside(args: readonly string[]): string[] {
  const [first = '', second = ''] = args;
  if (first === 'run' || (first === 'container' && second === 'run')) return [];
  return [`docker ${first}`.trim()];
}

/** Where `docker` looks for plugins and credential helpers, which it runs on this machine. */
const RUNS_PROGRAMS = /^(PATH|DOCKER_CONFIG|DOCKER_CLI_PLUGIN_EXTRA_DIRS)$/;

const EXPOSING =
  /docker\.sock|^--privileged$|^--(pid|ipc|userns|network|net) host$|^--cap-add (ALL|SYS_ADMIN|SYS_PTRACE)|^(-v|--volume) (\/|~|\$HOME)?:|[=,](source|src)=\/(,|$)|seccomp=unconfined|^--device \/dev\/(mem|sd)/;
