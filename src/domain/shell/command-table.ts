import { baseName, wordSet } from '../words.ts'

/**
 * Lists of commands. Each of them only lowers a use: a command that is in no list acts, and a string in its words is at best `sure`.
 * `command-kinds.ts` reads the groups that depend on an option or a subcommand.
 */

/** Commands whose words are files, patterns, names and conditions. */
export const LOOKING =
  wordSet(`cat tac nl head tail less more most bat batcat zcat zless view fold fmt column cut tr sort uniq rev jq yq
  od xxd hexdump hd delta base64 paste comm strings iconv expand unexpand sed awk gawk mawk envsubst gzip gunzip pr
  shuf xmllint grep egrep fgrep zgrep rg ag ack ls ll dir tree find fd locate file stat wc diff cmp colordiff type
  which whereis whatis apropos pgrep ps top htop pidof lsof ss netstat df du free uptime who whoami id groups hostname
  uname date printenv history test [ [[ md5sum sha1sum sha256sum cksum nproc lscpu lsblk pwd dirname basename realpath
  readlink shellcheck man info tldr help command hash read_file view_file search_file search_dir find_file dpkg-query
  ldd nm objdump readelf getent compgen getconf locale ipcs lsmod dmesg tig difft identify ffprobe mediainfo pdfinfo
  exiftool complete bind journalctl last w exa eza expr seq sleep wait true false :`)

/** Commands whose words are told to people or to a log. */
export const TELLING =
  wordSet(`echo printf logger wall write notify-send say cowsay figlet toilet banner lolcat espeak print mesg dialog
  whiptail zenity kdialog yad tput pbcopy xclip xsel wl-copy`)

export const SHELLS = wordSet('bash sh zsh dash ksh ash rbash fish')

/** Interpreters of other languages, with the options that give them code. */
export const INTERPRETERS: Readonly<Record<string, string>> = {
  ...{ python: '-c', node: '-e --eval -p --print -pe', bun: '-e --eval -p', deno: 'eval', ruby: '-e' },
  ...{ perl: '-e -E', php: '-r', lua: '-e', Rscript: '-e', osascript: '-e', mongosh: '--eval' },
  ...{ psql: '-c --command', sqlite3: '', 'redis-cli': '', mysql: '-e --execute', mariadb: '-e', duckdb: '-c' },
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

/** Options whose value is told to people. */
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

/** Options with which a command only shows what it would do, or tells of itself. */
export const DRY_OPTION =
  /^--?(?:dry-?run(?:=(?!none$|false$).*)?|list-only|plan|noop|check-only|just-print|recon|simulate|what-?if|no-act|help|version|syntax-check|collect-only)$/u

/** Such options of single programs. */
export const DRY_OPTIONS_OF: Readonly<Record<string, RegExp>> = {
  make: /^(?:-[nqp]|--question|--print-data-base)$/u,
  ...{ bash: /^-[a-z]*n[a-z]*$/u, sh: /^-[a-z]*n[a-z]*$/u, rsync: /^-[a-zA-Z]*n[a-zA-Z]*$/u },
  ...{ unzip: /^-[lvtpZ]$/u, tar: /^-?t[a-z]*$/u, crontab: /^-[lT]$/u, pytest: /^--co$/u },
  ...{ gradle: /^-m$/u, alembic: /^--sql$/u, wget: /^--spider$/u, logrotate: /^-d$/u },
}

/** Further names of programs. */
const ALIASES: Readonly<Record<string, string>> = {
  python2: 'python',
  python3: 'python',
  pypy3: 'python',
  ipython: 'python',
  pip3: 'pip',
  nodejs: 'node',
  '.': 'source',
  'py.test': 'pytest',
  gmake: 'make',
  gsed: 'sed',
  ggrep: 'grep',
}

/** Programs that make a string a command, besides those above. */
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
  ...LOOKING,
  ...TELLING,
  ...ACTING,
  ...SHELLS,
  ...Object.keys(INTERPRETERS),
])

/** Names the program of a word: without its folder, under its usual name. */
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

/** Tells whether a word names a script by its ending. */
export const isScriptName = (word: string): boolean => /\.(?:sh|py|js|rb|pl)$/u.test(word)

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/u
/** Tells whether a word is the name of a program, or its path in a folder of the system. */
export const isSystemProgram = (word: string): boolean => !word.includes('/') || SYSTEM_FOLDER.test(word)
