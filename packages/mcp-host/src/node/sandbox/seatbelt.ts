import type { SandboxProfile } from './profile.ts';

/**
 * The profile for `sandbox-exec` on macOS (Scheme, as in `/System/Library/Sandbox/Profiles`). Access is denied unless
 * allowed; of several matching rules the last one applies. Seatbelt has no mounts: every path keeps its name.
 *
 * @param proxyPort the port of the local proxy that a server with limited hosts may reach
 */
export function seatbeltProfile(profile: SandboxProfile, proxyPort?: number): string {
  const { system, hidden, programs, read, write, hiddenInside, home, temp, network } = profile;
  const readable = ({ source }: { source: string }): string => `(allow file-read* ${subpath(source)})`;
  const writable = (path: string): string => `(allow file-read* file-write* ${subpath(path)})`;
  const denied = (path: string): string => `(deny file-read* file-write* ${subpath(path)})`;
  return [
    '(version 1)',
    '(deny default)',
    '(import "bsd.sb")',
    '(allow process-fork process-exec)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.trustd.agent"))',
    '(allow file-read-metadata)',
    ...APPLE.map((source) => readable({ source })),
    ...system.map(readable),
    ...hidden.map(denied),
    ...programs.map(readable),
    ...read.map(readable),
    ...write.map(({ source }) => writable(source)),
    ...hiddenInside.map(denied),
    ...[home, temp].map(writable),
    ...networkRules(network, proxyPort),
    '',
  ].join('\n');
}

/** What every program of the system loads. */
const APPLE = ['/System', '/Library/Apple', '/Library/Developer', '/private/etc/ssl', '/private/etc/hosts', '/dev'];

function networkRules(network: SandboxProfile['network'], proxyPort: number | undefined): string[] {
  if (network === 'on') return ['(allow network* (local ip) (remote ip))', '(allow system-socket)'];
  return proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`];
}

function subpath(path: string): string {
  return `(subpath "${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}")`;
}
