import type { TranslatableText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
/** Classes of programs by name. A program may be in several. */

export function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((name) => name !== ''));
}

/** Maps every name in the list of a row to the value of the row. */
export function byName<T>(rows: readonly (readonly [list: string, value: T])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([list, value]) => [...names(list)].map((name) => [name, value] as const)));
}

export const SHELLS = names('sh bash zsh dash ksh mksh ash fish csh tcsh rbash');

/** Every call of these needs approval, unless its arguments only query something ({@link ONLY_ASKS}). */
export const ALWAYS: readonly { why: (name: string) => TranslatableText; programs: ReadonlySet<string> }[] = [
  {
    why: (name) => say`${name} runs as another user, or changes permissions.`,
    programs:
      names(`ssh-copy-id sudo sudoedit doas su pkexec run0 runuser runas gsudo machinectl systemd-run chroot unshare nsenter
      capsh setcap setpriv newgrp sg usermod useradd adduser addgroup userdel deluser groupadd groupmod groupdel gpasswd
      xattr sysadminctl add-apt-repository apt-add-repository apt-key update-ca-certificates trust visudo vipw vigr chpasswd passwd chage chsh chfn pam-auth-update update-alternatives dpkg-divert setenforce
      setsebool semanage aa-disable aa-complain aa-teardown apparmor_parser chattr insmod modprobe rmmod kexec bpftool
      sysctl iptables ip6tables iptables-restore nft ufw firewall-cmd pfctl netsh polkit dscl csrutil spctl tccutil
      nvram auditctl dsenableroot dseditgroup authconfig realm kinit ldapmodify reg regedit takeown icacls cacls net
      wevtutil bcdedit schtasks sc wmic`),
  },
  {
    why: (name) => say`${name} destroys data or stops the machine.`,
    programs:
      names(`mkfs mke2fs mkswap mkdosfs fdisk cfdisk parted sfdisk sgdisk gdisk cgdisk partprobe wipefs blkdiscard shred srm wipe scrub
      badblocks nwipe fallocate xkill shutdown reboot halt poweroff init telinit dropdb dropuser diskutil hdparm sdparm nvme lvremove
      vgremove pvremove lvreduce mdadm cryptsetup veracrypt zpool swapoff swapon mount umount losetup fsck e2fsck
      tune2fs resize2fs xfs_repair debugfs flashrom fstrim format diskpart vssadmin wbadmin cipher rd rmdir.exe del erase
      deltree trash-empty remove-item clear-disk format-volume initialize-disk clear-content sponge ed ex red mtools mdel mformat
      rimraf trash newfs_apfs newfs_hfs asr dmsetup drbdadm gparted testdisk unlink.exe killall5`),
  },
  {
    why: (name) => say`${name} opens or accepts a raw connection.`,
    programs:
      names(`zmodload nc.traditional nc.openbsd ncat netcat socat telnet ttyd gotty ngrok cloudflared chisel frpc frps bore
      localtunnel lt tailscale wg-quick openvpn websocketd shellinaboxd code-server wetty mosh pdsh pssh cssh salt fab pagekite inlets gsocket gs-netcat pwncat pwncat-cs msfvenom msfconsole sshuttle autossh cryptcat
      iodine dnscat dnscat2 ptunnel stunnel stunnel4 websocat tmate tty-share upterm teleconsole sbd powercat
      xfreerdp rlogin rsh rexec nmap masscan hydra tcpdump tshark dumpcap ettercap bettercap mitmproxy mitmdump proxychains`),
  },
  {
    why: (name) => say`${name} reads a secret store, the clipboard, the screen or the keyboard.`,
    programs: names(`op bw bws lpass pass gopass passage secret-tool keyring security vault chamber sops aws-vault
      saml2aws doppler infisical dcli keepassxc-cli kpcli rbw ykman kwallet-query kwalletcli seahorse gnome-keyring-daemon
      pinentry age-keygen git-credential-store git-credential-cache git-credential-manager git-credential-osxkeychain
      git-credential-libsecret mimipenguin laZagne lazagne pypykatz xsel wl-paste pbpaste clipman cliphist
      copyq xinput xev logkeys scrot xwd maim grim gnome-screenshot screencapture import fswebcam arecord gcore
      gdb lldb strace ltrace ptrace dtrace dtruss fs_usage procdump reptyr secretsdump.py hashcat john unshadow
      aws_completer credstash teller envchain summon ssh-add ssh-keygen gpg gpg2 gpg-connect-agent klist
      nmcli iwgetid wpa_cli wpa_passphrase history fc teller cmdkey vaultcmd`),
  },
  {
    why: (name) => say`${name} schedules something to run later.`,
    programs:
      names(`crontab at batch anacron launchctl update-rc.d chkconfig rc-update sysv-rc-conf insserv incrontab loginctl
      osascript automator busctl gdbus dbus-send xdotool ydotool wtype defaults plistbuddy dracut update-initramfs mkinitcpio grub-install grub-mkconfig efibootmgr
      ldconfig setsid start-stop-daemon daemonize disown pm2 supervisorctl atrm fcrontab xdg-mime xdg-settings ln.exe`),
  },
  { why: (name) => say`${name} controls Toolyard itself.`, programs: names('toolyard') },
];

/** Arguments with which these programs change nothing. */
export const ONLY_ASKS: ReadonlyMap<string, RegExp> = byName([
  ['passwd', /^(?:-S|--status)$/],
  ['iptables ip6tables', /^(?:-[LSnvVC]+|--list\S*)$/],
  ['ufw vault', /^(?:status|version)$/],
  ['pfctl', /^(?:-s|-vv?s\w*)$/],
  ['sysctl', /^(?:-n|-a|--all|[a-z]+(?:\.\w+)+)$/],
  ['launchctl', /^(?:list|print|blame)$/],
  ['loginctl', /^(?:list-\w+|show-\w+|\w+-status)$/],
  ['crontab mount parted', /^-l$/],
  ['passage', /^ls$/],
  ['pm2', /^(?:ls|list|status|logs)$/],
  ['supervisorctl csrutil tailscale', /^status$/],
  ['swapon', /^(?:-s|--show)$/],
  ['fdisk', /^(?:-l|--list)$/],
  ['nft nvme', /^list$/],
  ['diskutil', /^(?:list|info)$/],
  ['defaults', /^read$/],
  ['nmcli', /^(?:device|general|d|g)$/],
  ['ssh-keygen', /^-[lF]\w*$/],
  ['ssh-add', /^-[lL]$/],
  ['gpg gpg2', /^(?:--verify|--list-(?:public-)?keys|-k)$/],
  ['security', /^(?:find-identity|list-keychains)$/],
  ['hdparm', /^-I$/],
  ['xattr', /^-[lp]/],
  ['gdb sops', /^--version$/],
  ['zpool', /^(?:list|status)$/],
  ['mdadm', /^--detail$/],
  ['update-alternatives', /^(?:--list|--display|--query)$/],
  ['net', /^(?:view|time|statistics)$/],
  ['op', /^(?:whoami|--version)$/],
]);

/** Run their arguments as a program, or their input if there are none. */
export const INTERPRETERS =
  names(`python pypy node nodejs deno bun tsx ts-node perl ruby php lua luajit tclsh wish expect
  awk gawk mawk nawk osascript groovy scala julia rscript r swift jshell ghci elixir iex erl guile racket clojure clj irb
  pwsh powershell psh powershell_ise make gmake bc.exe m4 gnuplot octave sqlite.exe kotlin sbcl crystal nim v go cargo java`);

/** Options that precede the program text. */
export const CODE_OPTIONS: ReadonlyMap<string, RegExp> = byName([
  ['python pypy', /^-[bBdEhiIOqsSuvx]*c/],
  ['node nodejs ts-node', /^(?:-[a-z]*[ep]|--eval|--print)(?:=|$)/],
  ['bun tsx', /^(?:-[ep]|--eval|--print)(?:=|$)/],
  ['deno', /^eval$/],
  ['perl', /^-[a-zA-Z0-9.]*[eE]/],
  ['ruby', /^-[a-zA-Z0-9.]*e/],
  ['php', /^(?:-[a-z]*[rBRE]|--run)$/],
  ['lua luajit rscript r swift groovy scala racket ghci', /^-e/],
  ['octave', /^--eval/],
  ['julia', /^(?:-[eE]|--eval|--print)/],
  ['elixir', /^(?:-e|--eval|--rpc-eval)/],
  ['erl', /^-eval/],
  ['guile expect', /^-c/],
  ['clojure', /^(?:-e|-M|--eval)/],
]);

/** Editors: given commands, they run programs and write files. */
export const EDITORS = names(
  'vi vim nvim view rvim gvim vimdiff emacs emacsclient nano pico joe micro kak hx helix code less more most man.exe',
);

/** Their arguments are text; file names in them are only mentioned. */
export const TEXT_ONLY = names(
  'echo printf man info type which whereis help apropos whatis tldr command unalias test [ [[ : true false expr seq cowsay figlet yes say notify-send basename dirname return exit break continue shift wait sleep jobs fg bg ulimit umask kill',
);

/** Programs that only list. */
export const LISTERS = names(
  'ls cd du df pwd tree pushd popd stat file test [ realpath readlink find fd fdfind exa eza lsd mkdir touch git ncdu chdir dir vdir which code',
);

/** Print the environment if called without a command. */
export const PRINTS_ENVIRONMENT = names('env printenv set export declare typeset local compgen readonly');

/** Write to all of their file arguments, or to the last one. */
export const WRITERS =
  names(`cp mv install ln tee touch dd rsync scp truncate sed perl ruby patch gzip gunzip xz bzip2 zstd chmod chown chgrp
  setfacl mkdir mkfifo mknod tar unzip bsdtar cpio ditto sort split csplit curl wget rm rmdir unlink vim vi nano ed ex
  sponge dos2unix unix2dos prettier git jq yq awk gawk robocopy xcopy copy move echo printf cat awk openssl`);

/** Delete or overwrite their arguments. */
export const REMOVERS = names('rm rmdir unlink shred truncate trash trash-put gio rimraf del erase');

/** Development tools: an argument such as `delete` is not dangerous by itself. */
export const BUILDS =
  names(`npm pnpm yarn bun npx cargo go make cmake ninja gradle gradlew mvn mvnw ant sbt pytest tox nox jest vitest mocha
  playwright cypress eslint tsc prettier ruff black mypy flake8 pylint rake rspec bundle gem mix dotnet swift xcodebuild
  phpunit composer pip pip3 pipx uv poetry pdm conda apt apt-get dnf yum brew apk pacman snap python python3 node deno ruby
  perl php java javac gcc g++ clang rustc tsx ts-node turbo nx lerna rush bazel just task pre-commit hugo jekyll vite
  webpack rollup esbuild svelte-check knip git gh glab grep egrep fgrep rg ag ack jq yq sed awk gawk find fd sort uniq cut tr
  wc cat head tail diff comm paste ls cd tree file stat cp mv mkdir touch chmod less more tee xargs date curl wget http ssh scp rsync
  psql mysql sqlite3 bat column nl tac rev fold fmt pandoc ffmpeg convert magick zip unzip tar gzip base64 md5sum sha256sum xxd od hexdump strings
  docker-compose shellcheck systemctl journalctl ps top htop kill pkill pgrep lsof ss netstat dig host nslookup ping traceroute whois openssl
  ansible-lint tflint helm.exe locale timedatectl rm rmdir ln readlink realpath dd split csplit patch vim nano code emacs`);

/** Install or run code from a URL among their arguments. */
export const RUNS_ADDRESSES =
  names(`asdf mise pip pip3 pipx uv uvx npm pnpm yarn npx bunx bun pnpx gem brew deno php go cargo poetry conda easy_install
  dpkg rpm dnf yum apt apt-get apk pacman zypper snap flatpak docker.exe java mvn gradle composer luarocks cpan cpanm
  opam stack cabal nix nix-env nix-shell nix-build msiexec rundll32 regsvr32 mshta certutil bitsadmin vim bash sh zsh source . emacs r rscript julia swift raco mix rebar3 pm2 ansible-pull sysext`);

export const DOWNLOADS = names(
  'curl wget aria2c axel http https xh fetch lwp-download lwp-request scp sftp ftp tftp rsync git svn hg gh aws gsutil iwr irm invoke-webrequest invoke-restmethod rclone base64 base32 xxd uudecode openssl gunzip zcat certutil bitsadmin lynx w3m links youtube-dl yt-dlp',
);

/** Programs that talk to databases: their arguments and input are queries. */
export const DATABASES = names(
  'psql mysql mariadb sqlite3 sqlite mongosh mongo redis-cli valkey-cli cqlsh sqlcmd isql sqlplus duckdb clickhouse clickhouse-client usql pgcli mycli litecli influx neo4j cypher-shell etcdctl cockroach snowsql bq mysqladmin osql surreal',
);

/** Names of programs with a version: `python3.12`. */
export function plainName(program: string): string {
  const name = program.toLowerCase();
  const plain = /^([a-z]+?)[-\d.]+$/.exec(name)?.[1];
  return plain !== undefined && (INTERPRETERS.has(plain) || plain === 'pip')
    ? plain
    : name.startsWith('mkfs.')
      ? 'mkfs'
      : name;
}

const EFFECT =
  /^--?(?:[a-z]+-)*(?:exec\w*|ok(?:dir)?|pre|pager|preview|command|cmd|shell|prog(?:ram)?|rsh|helper|editor|browser|viewer|hooks?\w*|filters?|eval|script|run|call|plugins?|require|import|(?:pre)?load|init|rcfile|conf(?:ig)?|template|ext(?:-diff|cmd)?|upload-pack|receive-pack|textconv|in-pager|compressor?|to-command|action|output|out|save|dump|log|logfile|file|dir(?:ectory)?|path|tree|prefix|root|fprint\w*|fls|delete|in-place|askpass|module|lib(?:rary)?|wrapper|launcher|httpd|server|paths|env|url|sock(?:et)?)(?:-(?:file|dir|directory|path|program|command|env))?(?:=|$)/;

/** An option that names a program, a configuration or a file to write, in the usual words of any program. */
export function namesEffect(program: string, arg: string): boolean {
  return EFFECT.test(arg) || (/^-[a-zA-Z]*[oO]/.test(arg) && WRITERS.has(program));
}

/** Programs of which something is known. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...ALWAYS.flatMap((each) => [...each.programs]),
  ...[SHELLS, INTERPRETERS, EDITORS, WRITERS, REMOVERS, BUILDS, RUNS_ADDRESSES, DOWNLOADS, DATABASES].flatMap(
    (each) => [...each],
  ),
  ...[PRINTS_ENVIRONMENT, LISTERS].flatMap((each) => [...each]),
  ...names(`mail mailx mutt sendmail msmtp swaks gio locate mdfind service zmodload read trap popd alias killall egrep
    fgrep rg ag ack . kill eval jq source getopts let`),
]);
