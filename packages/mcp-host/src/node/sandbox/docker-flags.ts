import type { McpIsolation } from '@toolyard/protocol';

/** Flags that are shown: what the container gets of the machine. Values of `-e` may be secrets and are left out. */
const SHOWN =
  /^(-v|--volume|--mount|--network|--net|--privileged|--pid|--ipc|--userns|--cap-add|--device|--security-opt|-u|--user|-p|--publish|--add-host|--read-only|-e|--env|--env-file)(=|$)/;

/** What a `docker run` gives the container of the machine. Only its flags count: Docker isolates the rest. */
export function dockerIsolation(args: readonly string[]): Extract<McpIsolation, { kind: 'docker' }> {
  const flags = args.flatMap((arg, at) => {
    const [, name = '', glued] = SHOWN.exec(arg) ?? [];
    if (name === '') return [];
    const takesNone = name === '--privileged' || name === '--read-only';
    const value = glued === '=' ? arg.slice(name.length + 1) : takesNone ? undefined : args[at + 1];
    const shown = name === '-e' || name === '--env' ? value?.replace(/=.*/s, '') : value;
    return [shown === undefined ? name : `${name} ${shown}`];
  });
  return { kind: 'docker', flags, exposed: flags.some((flag) => EXPOSING.test(flag)) };
}

const EXPOSING =
  /docker\.sock|^--privileged$|^--(pid|ipc|userns|network|net) host$|^--cap-add (ALL|SYS_ADMIN|SYS_PTRACE)|^(-v|--volume) (\/|~|\$HOME)?:|[=,](source|src)=\/(,|$)|seccomp=unconfined|^--device \/dev\/(mem|sd)/;
