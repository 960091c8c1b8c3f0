import { hostsNamedIn, say } from '@toolyard/protocol';
import { inspectQuery, displayText } from './inline-code.ts';
import { DATA } from './new-files.ts';
import * as programs from './programs.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';

/** Commands that connect to other machines, and code from the network. */

const METADATA =
  /169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254|169\.254\.170\.2|metadata\.azure|^gopher:/i;

/** True for an address of the credentials of a cloud machine, in any spelling. */
export function reachesMetadata(text: string): boolean {
  const mayBeAddress = /:\/\/|^\[?[\da-fx.:]{7,}\]?$/i.test(text) && text.length < 2_000;
  return METADATA.test(text) || (mayBeAddress && hostsNamedIn(text, true).some((host) => METADATA.test(host)));
}

export function inspectConnections(
  name: string,
  { args, words, sources, redirects }: SimpleCommand,
): ScriptFinding | undefined {
  if (!programs.TEXT_ONLY.has(name) && words.some(reachesMetadata))
    return dangerFinding(say`It reads the credentials of a cloud machine.`);
  const readsFile = redirects.some(({ operator, target }) => operator === '<' && target !== '/dev/null');
  if (
    name === 'openssl' &&
    (args[0] === 's_server' ||
      (args[0] === 's_client' && (readsFile || sources.some(({ program }) => program !== 'echo'))))
  )
    return dangerFinding(say`It opens a connection: ${'openssl'}.`);
  const address = args.find(
    (arg) =>
      /^(?:git\+)?(?:https?|ftp|ssh|git|oci):\/\/|=(?:git\+)?https?:\/\/|^git\+|^(?:github|gitlab|gist|bitbucket):|@https?:\/\//i.test(
        arg,
      ) && !/:\/\/(?:localhost|127\.|\[::1\])/.test(arg),
  );
  const isOnlyRead = /^(?:npx|bunx|pnpx)$/.test(name) && /^[@\w]/.test(args[0] ?? '') && args[0] !== address;
  if (address !== undefined && programs.RUNS_ADDRESSES.has(name) && !isOnlyRead)
    return dangerFinding(say`It installs or runs code from ${displayText(address)}.`);
  if (/^(?:curl|wget|ssh|http)$/.test(name)) {
    const sendsInput = args.some((arg) => /^@-$|=@-|^--(?:post|body)-file=(?:-|\/dev\/stdin)$/.test(arg));
    const isOwn = ({ program, args: texts }: SimpleCommand): boolean =>
      /^(?:echo|printf|jq|date)$/.test(program) || (program === 'cat' && texts.every((text) => DATA.test(text)));
    if ((sendsInput || name === 'ssh') && !sources.every(isOwn))
      return dangerFinding(say`${name} sends the output of other commands.`);
  }
  if (
    /^(?:scp|rsync|rclone|aws|gsutil|az|mc|s3cmd)$/.test(name) &&
    args.some((arg) => /^~\/[^./][^/]*\/?$|^~\/?$/.test(arg)) &&
    args.some((arg) => /^[\w.@-]+:(?!\\)|^\w+:\/\//.test(arg))
  )
    return dangerFinding(say`It sends data to another place.`);
  if (/^(?:mail|mailx|mutt|sendmail|msmtp|swaks)$/.test(name) && (sources.length > 0 || redirects.length > 0))
    return dangerFinding(say`It sends an email.`);
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
