import { say } from '@toolyard/protocol';
import { inspectArguments, plainArguments } from './argument-dangers.ts';
import { displayText } from './inline-code.ts';
import { READERS } from './new-files.ts';
import { BUILDS, DATABASES, names } from './programs.ts';
import { dangerOfPath, isWholeSystem } from './sensitive-paths.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';
import { hasUnknown } from './shell-text.ts';
import { CONTAINERS } from './wrappers.ts';

const SECRET_WORD =
  /^(?:--?)?(?:[\w/.]*[-_:/.])?(?:secrets?|tokens?|passwords?|passwd|credentials?|access-?tokens?|identity-?tokens?|private-?keys?|api-?keys?|auth-?keys?|keyrings?|reveal|with-decryption|show-secrets?|raw|get-login(?:-password)?|session-token|assume-role\S*|export-credentials|print-\S*token|get-caller-token|authtoken|_authtoken|kubeconfig|update-kubeconfig|get-credentials|printenv|env)(?:[-_:/.](?:value|list|get|access|versions?|string|key)\S*)?(?:=.*)?$/i;

export const DESTROYS =
  /^(?:[\w.]+[-:_])?(?:delete|destroy|drop|purge|wipe|erase|nuke|flush(?:all|db)?|truncate|terminate|del|deprovision|obliterate|teardown|uninstall|prune|rm|rb|remove|reset|revoke|expire|shred|zap|cleanup|empty|forget|unpublish|force-unlock|rollback|downgrade|undo)(?:[-:_]\S*)?$/i;

/** Programs whose subcommands act on remote resources. */
const REMOTE = names(`
  aws gcloud gsutil az azcopy kubectl oc helm k9s eksctl heroku flyctl fly vercel netlify railway render doctl
  linode-cli hcloud scw ibmcloud oci terraform tofu terragrunt pulumi cdk serverless sls sam wrangler firebase
  supabase planetscale pscale turso neonctl ansible ansible-playbook ansible-vault packer vagrant multipass virsh
  lxc incus nomad consul etcdctl rclone s3cmd mc b2 borg restic duplicity kopia velero btrfs zfs lvm snapper
  timeshift tmutil mysqladmin redis-cli mongosh rabbitmqctl prisma sequelize knex drizzle-kit rails rake artisan
  manage.py alembic flyway liquibase stripe gh glab hub snap flatpak launchctl brctl lpstat npm pnpm yarn docker
  podman nerdctl docker-compose minikube kind k3d k3s oras skopeo crane cosign`);

/** Harmless subcommands that sound dangerous. */
const HARMLESS_PAIRS =
  /^(?:gh (?:auth status|issue|pr|run|release (?:list|view)|repo view|label|cache list)|npm (?:cache|uninstall|remove|rm|prune|un|run|test|ci|i|install|ls|dedupe|version|view|outdated|audit|exec|init|x)|pnpm (?:remove|rm|prune|run|test|i|install|add|-r|exec)|yarn (?:remove|run|test|install|add|workspace)|docker (?:logs|ps|images|build|pull|stop|start|restart|stats|tag|history|version|info|buildx)|kubectl (?:logs|top|describe|apply|rollout|version|cluster-info|api-resources|explain|wait|port-forward|scale)|helm (?:template|lint|list|status|repo|dependency|show)|terraform (?:fmt|validate|plan|init|show|version)|rake (?:test|spec)|rails (?:test|server|console|routes|generate)|docker compose (?:up|stop|start|restart|build|pull|ps|logs|config|run|exec|top|ls))$/;

export function dangerOfTool(name: string, args: readonly string[]): ScriptFinding | undefined {
  const plain = plainArguments(args);
  const [first = '', second = ''] = plain;
  const pair = `${name} ${first}`;
  if (!/^(?:git|docker)$/.test(name) && !READERS.has(name) && args.some(destroysFiles) && !args.some(isTrial))
    return dangerFinding(say`${name} deletes something permanently.`);
  if (HARMLESS_PAIRS.test(pair) || HARMLESS_PAIRS.test(`${pair} ${second}`)) return undefined;
  if (!isRemote(name)) {
    if (BUILDS.has(name) || DATABASES.has(name) || TAKES_ANY_WORD.test(name)) return undefined;
    return removesForGood(name, plain.slice(0, 2));
  }
  if (plain.includes('create') || /^(?:aws|gcloud|az)$/.test(name)) {
    const grant = plain.find((arg) => GRANTS.test(arg));
    if (grant !== undefined) return dangerFinding(say`${name} ${displayText(grant)}: it grants permissions.`);
  }
  const secret = args.find(
    (arg) =>
      (SECRET_WORD.test(arg) && !/^\w+=[^\0]*$|^--(?:token|password|no-\S+|env|raw)=|^--env$|^-e$/.test(arg)) ||
      (/reveal|show-?token|^-t$/.test(arg) && /auth/.test(pair)),
  );
  if (secret !== undefined) return dangerFinding(say`${name} ${displayText(secret)}: it may show or use a secret.`);
  return removesForGood(name, plain);
}

const TAKES_ANY_WORD = /^(?:echo|printf|man|type|which|test|\[|:|export|declare|trap|read|set|unset|local|alias|cd)$/;
const destroysFiles = (arg: string): boolean =>
  /^--?(?:del|delete\S*|purge\S*|zap-all|(?:force-)?destroy|force-delete|volumes|remove-(?:(?:source-)?files|all-\S+))$/.test(
    arg,
  );
const isTrial = (arg: string): boolean => /^(?:-[a-zA-Z]*n|--dry-?run)$/.test(arg);

function removesForGood(name: string, words: readonly string[]): ScriptFinding | undefined {
  const destroys = words.find((word) => DESTROYS.test(word) && !word.includes('.'));
  return destroys === undefined
    ? undefined
    : dangerFinding(say`${name} ${displayText(destroys)}: it deletes something permanently.`);
}

/** Subcommands that grant permissions in a cloud or a cluster. */
const GRANTS =
  /^(?:(?:cluster)?rolebindings?|(?:attach|put)-[\w-]+-policy|(?:add|set)-iam-policy\S*|create-(?:access-key|login-profile)|add-user-to-group|(?:create|attach|put|update)-(?:user|role|group|policy)\S*|assignment|update-function-code|create-for-rbac|keys|add-role-to-\S+)$/;

/** True for the programs that {@link dangerOfTool} checks by name. */
export function isToolProgram(name: string): boolean {
  return isRemote(name) || inspectArguments.programs.has(name);
}

function isRemote(name: string): boolean {
  return REMOTE.has(name) || name.startsWith('kafka-');
}

/** Containers with access to files of the host. */
export function dangerOfContainer(name: string, args: readonly string[]): ScriptFinding | undefined {
  if (!CONTAINERS.test(name) || !(args.includes('run') || args.includes('create'))) return undefined;
  for (const [at, arg] of args.entries()) {
    const isNext = /^(?:-v|--volume|--mount)$/.test(args[at - 1] ?? '');
    const volume = isNext ? arg : /^(?:-v|--volume=|--mount=)(.+)$/.exec(arg)?.[1];
    if (volume === undefined) continue;
    const from = /(?:src|source)=([^,]*)/.exec(volume)?.[1] ?? volume.split(':')[0] ?? '';
    if (/^\/etc\/(?:localtime|timezone|hosts|resolv\.conf)$/.test(from)) continue;
    if (isWholeSystem(from) || from.includes('docker.sock') || dangerOfPath(from) || hasUnknown(from))
      return dangerFinding(say`The container can access ${displayText(from)}.`);
  }
  return undefined;
}
