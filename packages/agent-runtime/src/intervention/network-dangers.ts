import { inspectQuery, shown } from './inline-code.ts';
import * as programs from './programs.ts';
import type { Finding, SimpleCommand } from './shell-script.ts';
import { danger } from './shell-script.ts';
import { UNKNOWN } from './shell-text.ts';
import { SHELLS } from './wrappers.ts';

/** Commands that connect elsewhere, and code that comes from there. */

export function lookAtConnections(name: string, { args, words, sources }: SimpleCommand): Finding | undefined {
  if (words.some((word) => METADATA.test(word)) && !programs.TEXT_ONLY.has(name))
    return danger('It reads the secrets of a cloud machine.');
  if (name === 'nc')
    return args.some((arg) => /^-[a-z]*z/.test(arg)) && !args.some((arg) => /^-[a-z]*[el]/.test(arg))
      ? undefined
      : danger('nc opens or listens on a raw connection.');
  if (name === 'ssh')
    return args.some((arg) =>
      /^-[a-zA-Z]*[RLDwW]|^-o.*(?:ProxyCommand|LocalCommand|PermitLocal)|ProxyCommand=/i.test(arg),
    )
      ? danger('ssh opens a tunnel or runs a command.')
      : undefined;
  if (name === 'xterm' || name === 'xhost')
    return args.some((arg) => /^-display$|^\+/.test(arg)) ? danger(`${name} opens the screen to others.`) : undefined;
  if (name === 'tmux' || name === 'screen')
    return args.some((arg) => /^(?:-S|run-shell|run|if-shell|pipe-pane|-X)$/.test(arg))
      ? danger(`${name} runs commands of its own, or lets others in.`)
      : undefined;
  if (name === 'openssl' && args[0] === 's_client' && sources.some(({ program }) => SHELLS.has(program)))
    return danger('It hands a shell to another machine.');
  if (name === 'dig' || name === 'nslookup' || name === 'host')
    return args.some((arg) => arg.includes(UNKNOWN)) ? danger('It sends a text in the name of a machine.') : undefined;
  return undefined;
}

export const METADATA =
  /169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254|169\.254\.170\.2|metadata\.azure|0xa9fea9fe|2852039166/i;

export function lookAtAddresses(name: string, { args, sources, redirects }: SimpleCommand): Finding | undefined {
  const addressed = args.find(
    (arg) =>
      /^(?:git\+)?(?:https?|ftp|ssh|git):\/\/|=(?:git\+)?https?:\/\/|^git\+|@https?:\/\//i.test(arg) &&
      !/:\/\/(?:localhost|127\.|\[::1\])/.test(arg),
  );
  if (
    addressed !== undefined &&
    programs.RUNS_ADDRESSES.has(name) &&
    !/^(?:node|python3?|kubectl|helm|terraform|npm-check|code)$/.test(name)
  )
    return danger(`It installs or runs code from ${shown(addressed)}.`);
  if (
    /^(?:go|cargo)$/.test(name) &&
    /^(?:install|run)$/.test(args[0] ?? '') &&
    args.some((arg) => /\w\.\w+\/.*@|^--git$/.test(arg))
  )
    return danger('It installs or runs code from elsewhere.');
  if (
    name === 'tar' &&
    args.some(
      (arg) =>
        /^--(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script)/.test(
          arg,
        ) || /^-I$/.test(arg),
    )
  )
    return danger('tar runs a command.');
  if (/^(?:dpkg|rpm|apt|apt-get|dnf|yum)$/.test(name) && args.some((arg) => /\.(?:deb|rpm)$/.test(arg)))
    return danger('It installs a package from a file.');
  if (name === 'curl' || name === 'wget') {
    if (args.some((arg) => /^--unix-socket|^--abstract-unix|^-K$|^--config/.test(arg)))
      return danger(`${name} connects to a local service.`);
    if (args.some((arg) => /^file:/i.test(arg))) return danger(`${name} reads a local file.`);
    const sendsInput = args.some((arg) => /^@-$|=@-|^--(?:post|body)-file=(?:-|\/dev\/stdin)$/.test(arg));
    if (
      sendsInput &&
      sources.length > 0 &&
      !sources.every(({ program }) => /^(?:echo|printf|jq|cat|date)$/.test(program))
    )
      return danger(`${name} sends the output of other commands.`);
  }
  if (/^(?:mail|mailx|mutt|sendmail|msmtp|swaks)$/.test(name) && (sources.length > 0 || redirects.length > 0))
    return danger('It sends a mail.');
  if (programs.DATABASES.has(name)) {
    for (const arg of args) {
      const finding = inspectQuery(arg);
      if (finding) return finding;
    }
    const input =
      redirects.find(({ operator }) => operator.startsWith('<<'))?.target ??
      (sources.length === 1 && sources[0] ? sources[0].args.join(' ') : undefined);
    return input === undefined ? undefined : inspectQuery(input);
  }
  return undefined;
}
