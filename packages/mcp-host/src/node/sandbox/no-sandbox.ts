import type { AnyText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
/** The reason why there is no sandbox, and the remedy, for users. */
export type NoSandbox = { kind: 'none'; reason: AnyText; hint: AnyText };

/**
 * Explains why an installed bubblewrap could not create a sandbox.
 *
 * @param failure its error output
 * @param read returns the text of a system file; undefined if it does not exist
 */
export function explainNoSandbox(failure: string, read: (path: string) => string | undefined): NoSandbox {
  const problem = say`bubblewrap does not work here: ${failure}`;
  const setting = (path: string): string | undefined => read(`/proc/sys/${path}`)?.trim();
  if (['/.dockerenv', '/run/.containerenv'].some((path) => read(path) !== undefined)) {
    return {
      kind: 'none',
      reason: say`${problem}. Toolyard runs in a container that does not allow user namespaces.`,
      hint: say`The container isolates local servers from the machine, but not from Toolyard or one another. To allow namespaces, start it with a seccomp profile that permits unshare, mount and pivot_root (Docker: ${'--security-opt seccomp=<profile>'}).`,
    };
  }
  if (setting('kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return {
      kind: 'none',
      reason: say`${problem}. AppArmor denies user namespaces to programs without a profile (Ubuntu 23.10 and newer).`,
      hint: say`Give bubblewrap a profile: write ${'"abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }"'} to /etc/apparmor.d/bwrap, run ${'"sudo apparmor_parser -r /etc/apparmor.d/bwrap"'}, then restart Toolyard.`,
    };
  }
  if (setting('kernel/unprivileged_userns_clone') === '0') return off(problem, 'kernel.unprivileged_userns_clone', '1');
  if (setting('user/max_user_namespaces') === '0') return off(problem, 'user.max_user_namespaces', '15000');
  return {
    kind: 'none',
    reason: problem,
    hint: say`The system seems to deny user namespaces to this user. Check SELinux or AppArmor (journalctl -k) and the limits in /proc/sys/user, then restart Toolyard.`,
  };
}

function off(problem: AnyText, name: string, value: string): NoSandbox {
  return {
    kind: 'none',
    reason: say`${problem}. The kernel setting ${name} is 0, which denies user namespaces.`,
    hint: say`Run ${`"echo ${name}=${value} | sudo tee /etc/sysctl.d/60-userns.conf"`} and ${'"sudo sysctl --system"'}, then restart Toolyard.`,
  };
}
