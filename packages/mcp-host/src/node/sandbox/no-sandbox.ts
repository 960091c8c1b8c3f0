/** Why there is no sandbox, and what to do about it, for users. */
export type NoSandbox = { kind: 'none'; reason: string; hint: string };

/**
 * Explains why bubblewrap, which is installed, could not make a sandbox.
 *
 * @param failure what it printed
 * @param read the text of a file of the system; undefined where there is none
 */
export function explainNoSandbox(failure: string, read: (path: string) => string | undefined): NoSandbox {
  const said = `bubblewrap does not work here: ${failure}`;
  const setting = (path: string): string | undefined => read(`/proc/sys/${path}`)?.trim();
  if (['/.dockerenv', '/run/.containerenv'].some((path) => read(path) !== undefined)) {
    return {
      kind: 'none',
      reason: `${said}. Toolyard runs in a container that does not allow user namespaces.`,
      hint: 'The container isolates local servers from the machine, but not from Toolyard or one another. To allow namespaces, start it with a seccomp profile that permits unshare, mount and pivot_root (Docker: --security-opt seccomp=<profile>).',
    };
  }
  if (setting('kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return {
      kind: 'none',
      reason: `${said}. AppArmor forbids user namespaces to programs without a profile (Ubuntu 23.10 and newer).`,
      hint: 'Give bubblewrap a profile: write "abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }" to /etc/apparmor.d/bwrap, run "sudo apparmor_parser -r /etc/apparmor.d/bwrap", then restart Toolyard.',
    };
  }
  if (setting('kernel/unprivileged_userns_clone') === '0') return off(said, 'kernel.unprivileged_userns_clone', '1');
  if (setting('user/max_user_namespaces') === '0') return off(said, 'user.max_user_namespaces', '15000');
  return {
    kind: 'none',
    reason: said,
    hint: 'The system seems to forbid user namespaces to this user. Check SELinux or AppArmor (journalctl -k) and the limits in /proc/sys/user, then restart Toolyard.',
  };
}

function off(said: string, name: string, value: string): NoSandbox {
  return {
    kind: 'none',
    reason: `${said}. The kernel setting ${name} is 0, which forbids user namespaces.`,
    hint: `Run "echo ${name}=${value} | sudo tee /etc/sysctl.d/60-userns.conf" and "sudo sysctl --system", then restart Toolyard.`,
  };
}
