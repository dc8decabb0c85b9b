import { baseName } from '../../acts/mentions.ts'
import { wordSet } from '../../text/words.ts'

/**
 * What commands do with their arguments, in one place. A command that is in none of the groups does something with all of them.
 * Groups that depend on an option or a subcommand are read in `command-kinds.ts`.
 */

/** They pass on what they read: an argument counts where their output goes to a file or to a command that acts, else it is looked at. */
export const COPYING =
  wordSet(`cat tac nl head tail less more most bat batcat zcat zless view fold fmt column cut tr sort uniq rev jq yq
  od xxd hexdump hd delta base64 paste comm strings iconv expand unexpand sed awk gawk mawk envsubst tee gzip gunzip
  rg_pager pr shuf xmllint`)

/** Their arguments are patterns, names and conditions: asking for a thing is not doing it, wherever the answer goes. */
export const SEARCHING =
  wordSet(`grep egrep fgrep zgrep rg ag ack ls ll dir tree find fd locate file stat wc diff cmp colordiff type which
  whereis whatis apropos pgrep ps top htop pidof lsof ss netstat df du free uptime who whoami id groups hostname uname
  date env_list printenv history test [ [[ md5sum sha1sum sha256sum cksum nproc lscpu lsblk mount_list pwd dirname
  basename realpath readlink shellcheck shfmt_check man info tldr help command hash read_file view_file search_file
  search_dir find_file dpkg-query ldd nm objdump readelf getent compgen getconf locale ipcs lsmod dmesg tig difft
  readelf identify ffprobe mediainfo pdfinfo exiftool complete bind journalctl last w exa eza expr seq sleep wait true
  false :`)

/** Their arguments are words to people or to a log. */
export const TELLING =
  wordSet(`echo printf logger wall write notify-send say cowsay figlet toilet banner lolcat espeak print mesg dialog
  whiptail zenity kdialog yad tput systemd-cat pbcopy xclip xsel wl-copy`)

/** They look something up at another machine, and tell it so: asking can be the act, so there is no saying. */
export const ASKING = wordSet('dig nslookup host whois ping traceroute tracepath mtr')

/** A command before a command. */
export interface Wrapper {
  /** Options that take a separate value. */
  readonly valued: string
  /** Words of its own before the command. */
  readonly positional?: number
  /** Options with which it runs nothing, and with which it may not. */
  readonly idle?: RegExp
  readonly hesitant?: RegExp
  /** It runs the command for what it reads: where that is nothing, it may not run it at all. */
  readonly isFed?: true
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: '-u -g -h -p -C -r -t -T -U -D -R --user --group',
    idle: /^(?:-[AbBEHknPS]*[lveVK]|--(?:list|validate|edit|remove-timestamp)$)/u,
  },
  doas: { valued: '-u -C', idle: /^-n?[CL]/u },
  env: { valued: '-u -C -S --unset --chdir' },
  time: { valued: '-f -o' },
  nohup: { valued: '' },
  setsid: { valued: '' },
  nice: { valued: '-n --adjustment' },
  ionice: { valued: '-c -n -p' },
  stdbuf: { valued: '-i -o -e' },
  unbuffer: { valued: '' },
  command: { valued: '' },
  builtin: { valued: '' },
  exec: { valued: '-a' },
  timeout: { valued: '-k -s --signal --kill-after', positional: 1 },
  gtimeout: { valued: '-k -s', positional: 1 },
  flock: { valued: '-w -E', positional: 1, hesitant: /^(?:-[eosux]*[nw]|--(?:nb|nonblock|wait|timeout))/u },
  chroot: { valued: '', positional: 1 },
  xargs: {
    valued: '-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --replace',
    hesitant: /^(?:-[0rtx]*p|--interactive$)/u,
    isFed: true,
  },
  parallel: { valued: '-j -a --jobs', idle: /^--dryrun$/u, hesitant: /^(?:-p|--interactive)$/u, isFed: true },
  watch: { valued: '-n --interval' },
  'systemd-cat': { valued: '-t -p --identifier --priority --level-prefix' },
  strace: { valued: '-e -o -p -s -u' },
  ltrace: { valued: '-e -o' },
  caffeinate: { valued: '-t -w' },
  busybox: { valued: '' },
  proxychains: { valued: '' },
  'dbus-run-session': { valued: '' },
  'xvfb-run': { valued: '-n -s -w' },
}

/** Programs that run another program named behind their own subcommand. */
export const RUNNERS: Readonly<Record<string, string>> = {
  'poetry run': '',
  'pipenv run': '',
  'uv run': '--with --python -p --project',
  'pdm run': '',
  'hatch run': '',
  'rye run': '',
  'conda run': '-n -p --name --prefix',
  'mamba run': '-n -p',
  'bundle exec': '',
  'npm exec': '',
  'pnpm exec': '',
  'yarn exec': '',
  'direnv exec': '',
}

export const SHELLS = wordSet('bash sh zsh dash ksh ash rbash fish')

/** The name of the language that an interpreter runs, with the options that give it code. */
export const INTERPRETERS: Readonly<Record<string, { readonly language: string; readonly code: string }>> = {
  python: { language: 'python', code: '-c' },
  node: { language: 'js', code: '-e --eval -p --print -pe' },
  bun: { language: 'js', code: '-e --eval -p' },
  deno: { language: 'js', code: 'eval' },
  ruby: { language: 'ruby', code: '-e' },
  perl: { language: 'perl', code: '-e -E -ne -pe -ane -lne' },
  php: { language: 'php', code: '-r' },
  lua: { language: 'lua', code: '-e' },
  Rscript: { language: 'r', code: '-e' },
  psql: { language: 'sql', code: '-c --command' },
  sqlite3: { language: 'sql', code: '' },
  mysql: { language: 'sql', code: '-e --execute' },
  mariadb: { language: 'sql', code: '-e' },
  duckdb: { language: 'sql', code: '-c' },
  'redis-cli': { language: 'sql', code: '' },
  mongosh: { language: 'js', code: '--eval' },
  osascript: { language: 'applescript', code: '-e' },
}

/** Subcommands that only look. */
export const LOOKING_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: wordSet(`grep diff log show status blame annotate shortlog reflog ls-files ls-tree ls-remote rev-parse rev-list
  cat-file describe whatchanged help version show-ref name-rev check-ignore diff-tree diff-index diff-files
  for-each-ref cherry range-diff count-objects fsck`),
  gh: wordSet('search status browse view list diff checks'),
  npm: wordSet('view info show search ls list outdated help why explain fund ping whoami'),
  pnpm: wordSet('view info ls list outdated why'),
  yarn: wordSet('info list why outdated'),
  pip: wordSet('show list freeze search check help index inspect'),
  conda: wordSet('list search info'),
  cargo: wordSet('search tree metadata help info'),
  go: wordSet('list doc env version help vet'),
  brew: wordSet('info list search deps outdated'),
  apt: wordSet('list search show policy'),
  'apt-cache': wordSet('search show policy depends rdepends madison'),
  dpkg: wordSet('-l -L -s -S --list --listfiles --status --search'),
  rpm: wordSet('-q -qa -qi -ql'),
  docker: wordSet('ps logs inspect images search stats top version info history port diff events'),
  podman: wordSet('ps logs inspect images search stats top version info'),
  kubectl: wordSet('get describe logs explain diff version top cluster-info api-resources'),
  helm: wordSet('list status get show search template history'),
  terraform: wordSet('plan show validate output state version graph providers'),
  systemctl: wordSet('status is-active is-enabled is-failed list-units list-unit-files list-timers show cat'),
  service: wordSet('--status-all'),
  crontab: wordSet('-l'),
  aws: wordSet('help'),
  tmux: wordSet('ls list-sessions capture-pane list-windows list-panes list-keys show-options display-message display'),
  hg: wordSet('log diff status st annotate blame grep cat files heads parents summary help'),
  svn: wordSet('log diff status st blame info list ls cat help'),
  jj: wordSet('log diff st status show help'),
  openssl: wordSet('x509 version ciphers verify asn1parse crl'),
  make: wordSet('-p --print-data-base'),
  nginx: wordSet('-t -T'),
  sysctl: wordSet('-a'),
  ip: wordSet('a addr link route'),
}

/** Options after which a value is told to people. */
export const MESSAGE_OPTIONS: Readonly<Record<string, string>> = {
  'git commit': '--trailer -m --message -am -sm -asm -F',
  'git tag': '-m --message -am',
  'git notes': '-m --message',
  'git merge': '-m --message',
  'git stash': '-m --message',
  'git revert': '-m',
  'jj commit': '-m',
  'jj describe': '-m --message',
  'docker build': '--label',
  'docker run': '-l --label',
  'docker commit': '-m --message -a',
  'podman build': '--label',
  'hg commit': '-m --message',
  'svn commit': '-m --message',
  gh: '--body-file -F --body -b --title -t --notes -n --subject --comment -c --description -d',
  glab: '--description -d --title -t --message -m',
}

/** Options with which a command only shows what it would do. `-n` and the like mean so for the named commands alone. */
export const DRY_OPTIONS = wordSet(
  '--dry-run --dryrun --list-only --plan --noop --check-only --just-print --recon --simulate --whatif --what-if --no-act --help --version --syntax-check --collect-only',
)
export const DRY_SHORT: Readonly<Record<string, string>> = {
  make: '-n -q --question',
  rsync: '-n',
  'apt-get': '-s',
  apt: '-s',
  'git add': '-n',
  'git push': '-n',
  'git clean': '-n',
  'git rm': '-n',
  'git mv': '-n',
  'git apply': '--stat --numstat --summary --check',
  bash: '-n',
  sh: '-n',
  zsh: '-n',
  ksh: '-n',
  dash: '-n',
  perl: '-c',
  ruby: '-c',
  php: '-l',
  node: '-c --check',
  rename: '-n',
  ninja: '-n',
  tar: '-t --list',
  just: '-n',
  snakemake: '-n',
  task: '-n',
  'ssh-add': '-l -L',
  unzip: '-l -t -v -p -Z',
  ansible: '-C --check',
  'ansible-playbook': '-C --check --list-tasks',
  pytest: '--co',
  black: '--check --diff',
  crontab: '-T',
}

/** Their first word names what is done: nothing but options may stand between name and subcommand. */
export const SUBCOMMANDED =
  wordSet(`git npm pnpm yarn pip docker podman kubectl cargo go gh apt apt-get brew conda poetry uv helm terraform aws
  gcloud az bun deno dotnet mvn systemctl service python node ruby perl php bash sh npx tmux`)

/** One program under several names. */
const ALIASES: Readonly<Record<string, string>> = {
  python2: 'python',
  python3: 'python',
  pypy3: 'python',
  ipython: 'python',
  pip3: 'pip',
  nodejs: 'node',
  'py.test': 'pytest',
  gmake: 'make',
  gsed: 'sed',
  ggrep: 'grep',
}

/** Names that make a string a command, besides those above. */
const ACTING =
  wordSet(`apt apt-get awk cargo chmod chown chgrp cmake cp crontab curl dd docker docker-compose export go gpg gzip
  java javac kill pkill killall kubectl ln make mkdir mkfs mount mv nc ncat npm npx pip pnpm poetry pytest tox nox rm
  rmdir rsync scp sftp ftp ssh systemctl service tar touch unzip uv wget yarn zip git gh jest vitest mocha eslint
  prettier ruff black mypy tsc gcc g++ clang rustc mvn gradle terraform helm aws gcloud az brew conda useradd usermod
  passwd su source eval set unset alias iptables ufw at batch reboot shutdown openssl ssh-keygen ssh-add base64 tmux
  screen flask uvicorn gunicorn django-admin alembic rails rake bundle composer dotnet bun deno truncate shred install
  patch ed vi vim nano emacs mail sendmail mutt http httpie nmap telnet socat redis-cli createdb dropdb pg_dump
  ansible ansible-playbook vagrant ip nft route firewall-cmd hostnamectl timedatectl localectl usermod groupadd
  chpasswd dpkg rpm yum dnf apk pacman zypper snap flatpak modprobe setfacl chattr tee dd mkfifo crudini rclone restic
  heroku vercel netlify wrangler firebase flyctl pm2 supervisorctl launchctl defaults open xdg-open tsx ts-node podman
  vault consul kustomize argocd mongosh psql sqlite3 mysql apply_patch pre-commit coverage pyenv nvm rustup twine
  hatch pdm pipx virtualenv jupyter streamlit celery cd trap`)

const NAMED_COMMANDS: ReadonlySet<string> = new Set([
  ...COPYING,
  ...[...SEARCHING].filter((name) => /^[a-z0-9[.-]+$/u.test(name)),
  ...TELLING,
  ...ASKING,
  ...ACTING,
  ...SHELLS,
  ...Object.keys(WRAPPERS),
  ...Object.keys(INTERPRETERS),
])

/** The program that a word names: without its folder, under its usual name. */
export function programOf(word: string): string {
  const name = baseName(word)
  const plain = /^(python|pip)[23](\.\d+)?$/u.test(name) ? name.slice(0, name.startsWith('pip') ? 3 : 6) : name
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] ?? plain) : plain
}

export const isCommandName = (word: string): boolean =>
  NAMED_COMMANDS.has(programOf(word)) || (word.startsWith('./') && word.length > 3)

export const listOf = (table: Readonly<Record<string, string>>, key: string): readonly string[] =>
  Object.hasOwn(table, key) ? (table[key] ?? '').split(' ').filter((one) => one !== '') : []

export const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-')
