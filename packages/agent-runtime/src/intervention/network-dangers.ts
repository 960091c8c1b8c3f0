import { inspectQuery, displayText } from './inline-code.ts';
import * as programs from './programs.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';
import { SHELLS } from './wrappers.ts';

/** Commands that connect to other machines, and code from the network. */

export const METADATA =
  /169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254|169\.254\.170\.2|metadata\.azure|0xa9fea9fe|2852039166/i;

export function inspectConnections(
  name: string,
  { args, words, sources, redirects }: SimpleCommand,
): ScriptFinding | undefined {
  if (words.some((word) => METADATA.test(word)) && !programs.TEXT_ONLY.has(name))
    return dangerFinding('It reads the credentials of a cloud machine.');
  if (name === 'openssl' && args[0] === 's_client' && sources.some(({ program }) => SHELLS.has(program)))
    return dangerFinding('It gives another machine a shell.');
  const address = args.find(
    (arg) =>
      /^(?:git\+)?(?:https?|ftp|ssh|git):\/\/|=(?:git\+)?https?:\/\/|^git\+|@https?:\/\//i.test(arg) &&
      !/:\/\/(?:localhost|127\.|\[::1\])/.test(arg),
  );
  const isOnlyRead = /^(?:node|python3?|kubectl|helm|terraform|npm-check|code)$/.test(name);
  if (address !== undefined && programs.RUNS_ADDRESSES.has(name) && !isOnlyRead)
    return dangerFinding(`It installs or runs code from ${displayText(address)}.`);
  if (
    /^(?:go|cargo)$/.test(name) &&
    /^(?:install|run)$/.test(args[0] ?? '') &&
    args.some((arg) => /\w\.\w+\/.*@|^--git$/.test(arg))
  )
    return dangerFinding('It installs or runs code from another source.');
  if (name === 'curl' || name === 'wget') {
    const sendsInput = args.some((arg) => /^@-$|=@-|^--(?:post|body)-file=(?:-|\/dev\/stdin)$/.test(arg));
    if (sendsInput && sources.some(({ program }) => !/^(?:echo|printf|jq|cat|date)$/.test(program)))
      return dangerFinding(`${name} sends the output of other commands.`);
  }
  if (/^(?:mail|mailx|mutt|sendmail|msmtp|swaks)$/.test(name) && (sources.length > 0 || redirects.length > 0))
    return dangerFinding('It sends an email.');
  if (!programs.DATABASES.has(name)) return undefined;
  const input =
    redirects.find(({ operator }) => operator.startsWith('<<'))?.target ??
    (sources.length === 1 ? sources[0]?.args.join(' ') : undefined);
  for (const query of [...args, input ?? '']) {
    const finding = inspectQuery(query);
    if (finding) return finding;
  }
  return undefined;
}
