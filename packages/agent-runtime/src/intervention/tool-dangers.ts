import { inspectQuery, shown } from './inline-code.ts';
import { BUILDS, DATABASES, names } from './programs.ts';
import { dangerOfPath, isEverything } from './sensitive-paths.ts';
import type { Finding } from './shell-script.ts';
import { danger } from './shell-script.ts';
import { hasUnknown } from './shell-text.ts';

/** Programs that are told what to do in words: clouds, clusters, containers, package managers. */

const SECRET_WORD =
  /^(?:--?)?(?:[\w/.]*[-_:/.])?(?:secrets?|tokens?|passwords?|passwd|credentials?|access-?tokens?|identity-?tokens?|private-?keys?|api-?keys?|auth-?keys?|keyrings?|reveal|with-decryption|show-secrets?|raw|get-login(?:-password)?|session-token|assume-role\S*|export-credentials|print-\S*token|get-caller-token|authtoken|_authtoken|kubeconfig|update-kubeconfig|get-credentials|printenv|env)(?:[-_:/.](?:value|list|get|access|versions?|string|key)\S*)?(?:=.*)?$/i;

export const DESTROYS =
  /^(?:[\w.]+[-:_])?(?:delete|destroy|drop|purge|wipe|erase|nuke|flush(?:all|db)?|truncate|terminate|deprovision|obliterate|teardown|uninstall|prune|rm|rb|remove|reset|revoke|expire|shred|zap|cleanup|empty|forget|unpublish|force-unlock|rollback|undo)(?:[-:_]\S*)?$/i;

/** Programs whose words say what they do to something far away. */
const REMOTE = names(`
  aws gcloud gsutil az azcopy kubectl oc helm k9s eksctl heroku flyctl fly vercel netlify railway render doctl
  linode-cli hcloud scw ibmcloud oci terraform tofu terragrunt pulumi cdk serverless sls sam wrangler firebase
  supabase planetscale pscale turso neonctl ansible ansible-playbook ansible-vault packer vagrant multipass virsh
  lxc incus nomad consul etcdctl rclone s3cmd mc b2 borg restic duplicity kopia velero btrfs zfs lvm snapper
  timeshift tmutil mysqladmin redis-cli mongosh rabbitmqctl prisma sequelize knex drizzle-kit rails rake artisan
  manage.py alembic flyway liquibase stripe gh glab hub snap flatpak launchctl brctl lpstat npm pnpm yarn docker
  podman nerdctl docker-compose minikube kind k3d k3s oras skopeo crane cosign`);

/** What is no danger though it sounds like one. */
const HARMLESS_PAIRS =
  /^(?:gh (?:auth status|issue|pr|run|release (?:list|view)|repo view|label|cache list)|npm (?:cache|uninstall|remove|rm|prune|un|run|test|ci|i|install|ls|dedupe|version|view|outdated|audit|exec|init|x)|pnpm (?:remove|rm|prune|run|test|i|install|add|-r|exec)|yarn (?:remove|run|test|install|add|workspace)|docker (?:logs|ps|images|build|pull|stop|start|restart|stats|tag|history|version|info|buildx)|kubectl (?:logs|top|describe|apply|rollout|version|cluster-info|api-resources|explain|wait|port-forward|scale)|helm (?:template|lint|list|status|repo|dependency|show)|terraform (?:fmt|validate|plan|init|show|version)|rake (?:test|spec)|rails (?:test|server|console|routes|generate)|docker compose (?:up|stop|start|restart|build|pull|ps|logs|config|run|exec|top|ls))$/;

export function dangerOfTool(name: string, args: readonly string[]): Finding | undefined {
  const plain = args.filter((arg) => !arg.startsWith('-') && !/[\s/]/.test(arg));
  const pair = `${name} ${plain[0] ?? ''}`;
  const special = SPECIAL[name]?.(args, plain);
  if (special) return special;
  if (/^(?:python|python3|node|php|ruby|bundle)$/.test(name)) {
    const script = args.findIndex((arg) => /(?:^|\/)(?:manage\.py|artisan|rails|rake)$/.test(arg));
    return script === -1
      ? undefined
      : dangerOfTool(/[\w.]+$/.exec(args[script] ?? '')?.[0] ?? '', args.slice(script + 1));
  }
  if (HARMLESS_PAIRS.test(pair) || HARMLESS_PAIRS.test(`${pair} ${plain[1] ?? ''}`)) return undefined;
  const isRemote = REMOTE.has(name) || name.startsWith('kafka-');
  if (
    !isRemote &&
    (BUILDS.has(name) ||
      DATABASES.has(name) ||
      /^(?:echo|printf|man|type|which|test|\[|:|export|declare|trap|read|set|unset|local|alias|cd)$/.test(name))
  )
    return undefined;
  if (isRemote) {
    const secret = args.find(
      (arg) =>
        (SECRET_WORD.test(arg) && !/^--(?:token|password|no-\S+|env|raw)=|^--env$|^-e$/.test(arg)) ||
        (/reveal|show-?token|^-t$/.test(arg) && /auth/.test(pair)),
    );
    if (plain.includes('create') || /^(?:aws|gcloud)$/.test(name)) {
      const grant = plain.find((arg) => GRANTS.test(arg));
      if (grant !== undefined) return danger(`${name} ${shown(grant)}: it gives rights.`);
    }
    if (secret !== undefined) return danger(`${name} ${shown(secret)}: it may show or use a secret.`);
  }
  const destroys = (isRemote ? plain : plain.slice(0, 2)).find((arg) => DESTROYS.test(arg) && !arg.includes('.'));
  if (destroys !== undefined) return danger(`${name} ${shown(destroys)}: it removes something for good.`);
  if (
    isRemote &&
    args.some((arg) =>
      /^--(?:delete\S*|purge|remove-orphans-data|force-destroy|destroy|volumes|show-token|with-decryption)$/.test(arg),
    )
  )
    return danger(`${name} removes something for good.`);
  return undefined;
}

/** What gives rights to somebody in a cloud or a cluster. */
const GRANTS =
  /^(?:(?:cluster)?rolebindings?|(?:attach|put)-[\w-]+-policy|(?:add|set)-iam-policy\S*|create-(?:access-key|login-profile)|add-user-to-group|assignment|add-role-to-\S+)$/;

const SPECIAL: Readonly<Record<string, (args: readonly string[], plain: readonly string[]) => Finding | undefined>> = {
  systemctl: (args, plain) =>
    /^(?:enable|link|mask|unmask|preset|edit|set-default|poweroff|reboot|halt|kexec|isolate|rescue|emergency|hibernate|suspend|set-property|show-environment|set-environment|disable|revert|add-wants)$/.test(
      plain[0] ?? '',
    )
      ? danger(`systemctl ${plain[0] ?? ''} changes what the machine runs.`)
      : undefined,
  npm: (args, plain) => {
    if (/^(?:publish|unpublish|token|login|adduser|owner|access|deprecate)$/.test(plain[0] ?? ''))
      return danger(`npm ${plain[0] ?? ''} works on the registry.`);
    if (plain[0] === 'pkg' && /^(?:set|fix)$/.test(plain[1] ?? '') && args.some((arg) => arg.startsWith('scripts')))
      return danger('It changes what npm runs.');
    return /^(?:config|c|set|get)$/.test(plain[0] ?? '') &&
      args.some((arg) => /auth|token|script-shell|ignore-scripts|registry|git$/i.test(arg))
      ? danger('It reads or changes the configuration of npm.')
      : undefined;
  },
  crontab: () => undefined,
  jq: (args) =>
    args.some((arg) => /\.scripts\b.*(?:=|\|=)/.test(arg)) ? danger('It changes what npm runs.') : undefined,
  heroku: (_args, plain) =>
    /^config|^pg:credentials|^run/.test(plain[0] ?? '') ? danger('It shows the configuration of an app.') : undefined,
  kubectl: (args, plain) =>
    args.some((arg) => /^secrets?(?:\/|$)/.test(arg)) ||
    plain[0] === 'debug' ||
    plain[0] === 'cp' ||
    plain[0] === 'drain'
      ? danger('It reads secrets of a cluster, or works inside it.')
      : undefined,
  gh: (args, plain) =>
    plain[0] === 'auth' && (plain[1] === 'token' || args.some((arg) => /^(?:-t|--show-token)$/.test(arg)))
      ? danger('It shows a token.')
      : plain[0] === 'repo' && plain[1] === 'delete'
        ? danger('It deletes a repository.')
        : undefined,
  'redis-cli': (args) => args.map((arg) => inspectQuery(arg)).find((found) => found !== undefined),
  prisma: (args) =>
    args.some((arg) => /^(?:reset|--force-reset|--accept-data-loss)$/.test(arg))
      ? danger('It empties a database.')
      : undefined,
  'manage.py': (args) =>
    args.some((arg) => /^(?:flush|reset_db|dbshell|shell|sqlflush|zero)$/.test(arg))
      ? danger('It empties a database, or runs code.')
      : undefined,
  tar: (args) =>
    args.some((arg) => /^--overwrite$|^--unlink-first$/.test(arg)) && args.includes('/')
      ? danger('It overwrites the system.')
      : undefined,
  nmcli: (args) => (args.some((arg) => /psk|secret|^-s$/.test(arg)) ? danger('It shows a password.') : undefined),
  apt: (args) => systemPackages(args),
  'apt-get': (args) => systemPackages(args),
  dnf: (args) => systemPackages(args),
  yum: (args) => systemPackages(args),
};

/** Programs that are looked at here by their names. */
export function isToolProgram(name: string): boolean {
  return REMOTE.has(name) || name.startsWith('kafka-') || Object.hasOwn(SPECIAL, name);
}

function systemPackages(args: readonly string[]): Finding | undefined {
  const removes = args.some((arg) => /^(?:remove|purge|autoremove|--purge|erase)$/.test(arg));
  return removes &&
    args.some((arg) =>
      /^(?:--purge|purge|libc6|bash|coreutils|sudo|systemd|linux-\S+|openssh\S*|apt|dpkg|--allow-remove-essential)$/.test(
        arg,
      ),
    )
    ? danger('It removes a package that the system needs.')
    : undefined;
}

/** Containers that see the machine they run on. */
export function dangerOfContainer(name: string, args: readonly string[]): Finding | undefined {
  if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(name)) return undefined;
  for (const [at, arg] of args.entries()) {
    if (
      /^--(?:privileged|pid[=]host|ipc=host|userns=host|net(?:work)?=host|cap-add\S*|device\S*|security-opt\S*|cgroupns=host)$/.test(
        arg,
      )
    )
      return danger('The container has the rights of the machine.');
    if (/^--(?:pid|ipc|userns|net|network)$/.test(arg) && args[at + 1] === 'host')
      return danger('The container has the rights of the machine.');
    const volume = /^(?:-v|--volume|--mount)$/.test(args[at - 1] ?? '')
      ? arg
      : /^(?:-v|--volume=|--mount=)(.+)$/.exec(arg)?.[1];
    if (volume !== undefined && (args.includes('run') || args.includes('create'))) {
      const from = /(?:src|source)=([^,]*)/.exec(volume)?.[1] ?? volume.split(':')[0] ?? '';
      if (
        isEverything(from) ||
        /docker\.sock/.test(from) ||
        (dangerOfPath(from) !== undefined && !/^\/etc\/(?:localtime|timezone|hosts|resolv\.conf)$/.test(from)) ||
        hasUnknown(from)
      )
        return danger(`The container sees ${shown(from)}.`);
    }
    if (/^(?:-v|--volumes)$/.test(arg) && args.includes('down')) return danger('It deletes the data of containers.');
    if (/^\d+\.\d+\.\d+\.\d+(?::\d+)?\//.test(arg) && !arg.startsWith('127.'))
      return danger('It runs an image from elsewhere.');
    if (/\.Config\.Env|\{\{\s*json\s*\.Config/.test(arg)) return danger('It prints the environment of a container.');
    if (arg === '-f' && /^(?:rm|rmi)$/.test(args[at - 1] ?? '')) return danger('It removes containers or images.');
  }
  return undefined;
}
