import { baseName, wordSet } from '../words.ts'

/**
 * Lists of commands. Each of them only lowers a use: a command that is in no list acts, and a string in its words is at best `sure`.
 * `command-kinds.ts` reads the groups that depend on an option or a subcommand.
 */

/** Commands whose words are files, patterns, names and conditions. */
const LOOKING =
  wordSet(`cat tac nl head tail less more most bat batcat zcat zless view fold fmt column cut tr sort uniq rev jq yq
  od rga pdfgrep findstr pipdeptree
  xxd hexdump hd delta base64 paste comm strings iconv expand unexpand sed awk gawk mawk envsubst gzip gunzip pr
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
const LOOKING_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
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
const MESSAGE_OPTIONS: Readonly<Record<string, string>> = {
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
const DRY_OPTION =
  /^--?(?:dry-?run(?:=(?!none$|false$).*)?|list-only|plan|noop|check-only|just-print|recon|simulate|what-?if|no-act|help|version|syntax-check|collect-only)$/u

/** Such options of single programs. */
const DRY_OPTIONS_OF: Readonly<Record<string, RegExp>> = {
  make: /^(?:-[a-z]*[nqp]|--question|--print-data-base)$/u,
  ...{ scons: /^-[a-z]*[nq]/u, rpm: /^-[a-z]*q/u },
  ...{ bash: /^-[a-z]*n[a-z]*$/u, sh: /^-[a-z]*n[a-z]*$/u, rsync: /^-[a-zA-Z]*n[a-zA-Z]*$/u },
  ...{ unzip: /^-[lvtpZ]$/u, tar: /^-?t[a-z]*$/u, crontab: /^-[lT]$/u, pytest: /^--co$/u },
  ...{ gradle: /^-m$/u, alembic: /^--sql$/u, wget: /^--spider$/u, logrotate: /^-d$/u },
}

/** Further names of programs. */
const ALIASES: Readonly<Record<string, string>> = {
  pypy3: 'python',
  ipython: 'python',
  nodejs: 'node',
  '.': 'source',
  'py.test': 'pytest',
  gmake: 'make',
  bmake: 'make',
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

export const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-')

/** Tells whether a word names a script by its ending. */
export const isScriptName = (word: string): boolean => /\.(?:sh|py|js|rb|pl)$/u.test(word)

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/u
/** Tells whether a word is the name of a program, or its path in a folder of the system. */
export const isSystemProgram = (word: string): boolean => !word.includes('/') || SYSTEM_FOLDER.test(word)

/** The effect of a command: to act, to look at something, to tell its words. */
export type Kind = 'does' | 'looks' | 'tells'

/** Sorts a command, given without its wrappers. */
export function kindOf(name: string, words: readonly string[]): Kind {
  if (TELLING.has(name)) return 'tells'
  const acts = Object.hasOwn(ACTING_WORDS, name) ? ACTING_WORDS[name] : undefined
  if (acts !== undefined && words.slice(1).some((word) => acts.test(word))) return 'does'
  if (DECLARING.has(name) && words.some((word) => /^-[a-zA-Z]*p/u.test(word))) return 'looks'
  const looking = Object.hasOwn(LOOKING_SUBCOMMANDS, name) ? LOOKING_SUBCOMMANDS[name] : undefined
  const isLooking = [subcommandOf(words), words[1]].some((word) => looking?.has(word ?? ''))
  return LOOKING.has(name) || isLooking ? 'looks' : 'does'
}

/** Commands that print what is declared where they have `-p`. */
const DECLARING = new Set(['declare', 'typeset', 'export', 'readonly'])

const AWK_ACTS = /system\s*\(|^inplace$|(?:print|printf)[^>|;}]{0,500}[>|]{1,2} ?["A-Za-z(]|\|&? ?getline|\|& ?"/u
/** Words with which a command that looks acts. */
const ACTING_WORDS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:(?:exec|ok)(?:dir)?|delete|fprint[f0]?|fls)$/u,
  fd: /^-(?:[xX]|-exec(?:-batch)?)$/u,
  sed: /^(?:-[nErszl]*i|--in-place)/u,
  yq: /^(?:-[a-zA-Z]*i|--in-?place)/u,
  ...{ awk: AWK_ACTS, gawk: AWK_ACTS, mawk: AWK_ACTS },
  ...{ sort: /^(?:-[a-zA-Z]*o|--output)/u, shuf: /^(?:-o|--output)/u, tree: /^-o/u },
  ...{ uniq: /^[^-]/u, xxd: /^[^-]/u, hostname: /./u, gzip: /./u, gunzip: /./u, exiftool: /^-[^=]+=/u },
  date: /^(?:-s|--set)/u,
  openssl: /^-(?:out|req|signkey|CA)$/u,
  git: /^(?:--output|expire$|delete$)/u,
  go: /^-[wu]$/u,
  ip: /^(?:add|del|delete|set|change|replace|append|flush)$/u,
  journalctl: /^--(?:vacuum|rotate|flush|sync|relinquish|setup-keys)/u,
  terraform: /^(?:rm|mv|push|replace-provider|-out.*)$/u,
  dmesg: /^(?:-[a-zA-Z]*[cCDEn]|--clear|--read-clear)/u,
  history: /^-[a-z]*[cdwanr]/u,
  hash: /^-[a-z]*[rdp]/u,
}

/** Programs that hand the words behind their first ones to another program. */
const HANDING = new Set(['ssh', 'docker', 'podman', 'kubectl', 'su', 'watch', 'flock'])

/** Tells whether a command only shows what it would do, or tells of itself. */
export function isDry(name: string, words: readonly string[]): boolean {
  const dry = Object.hasOwn(DRY_OPTIONS_OF, name) ? DRY_OPTIONS_OF[name] : undefined
  // A script may not know the option.
  const isScript = SHELLS.has(name) || Object.hasOwn(INTERPRETERS, name) || isScriptName(words[0] ?? '')
  const own = words.slice(1, HANDING.has(name) ? 3 : undefined)
  return own.some((word) => dry?.test(word) || (!isScript && DRY_OPTION.test(word)))
}

const UNDOING = /^(?:uninstall|remove|rm|delete|del|drop|list|abort)$/u

/** Letters of short options by which a command may list, try, delete or leave out. */
export const TURNING_LETTER = /^-[a-zA-Z]*[dDhlnNtT]/u
/** Words of long options by which a command may look, only try, undo or leave out. */
const TURNING_NAME =
  /^--?[a-z-]*(?:cancel|check|contains|debug|delete|diff|dry|explain|help|just|lint|list|no-|offline|only|plan|preview|print|recon|remove|revert|show|simul|skip|spider|stat|test|undo|valid|version|what)/iu

/** Options of such forms that leave the act as it is. */
const HARMLESS_OPTION =
  /^--no-(?:audit|fund|install-(?:recommends|suggests)|cache(?:-dir)?|input|colou?r|pager|progress|warn\S*|edit|browser|interaction)$/u
const HARMLESS_OPTIONS_OF: Readonly<Record<string, RegExp>> = {
  ...{ curl: /^-(?:[Nt]|XPOST|XPUT)$/u, docker: /^-(?:[dt]|it|ti)$/u },
}

/** An address of this machine, which a trial puts in the place of another. */
const LOCAL_HOST = /(?:^|\/\/|=)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/]|$)/u

/** Tells whether a word that is added to a command may make the command do something else. */
export function mayTurn(word: string, name: string): boolean {
  const harmless = Object.hasOwn(HARMLESS_OPTIONS_OF, name) ? HARMLESS_OPTIONS_OF[name] : undefined
  if (HARMLESS_OPTION.test(word) || harmless?.test(word)) return false
  return (
    UNDOING.test(word) ||
    LOCAL_HOST.test(word) ||
    (isOption(word) && (TURNING_LETTER.test(word) || TURNING_NAME.test(word)))
  )
}

const VALUED = /^(?:-[CcnRf]|--(?:git-dir|work-tree|namespace|repo|context))$/u

/** Finds the subcommand, behind options and their values. */
export function subcommandOf(words: readonly string[]): string | null {
  let at = 1
  while (isOption(words[at] ?? '')) at += VALUED.test(words[at] ?? '') ? 2 : 1
  return words[at] ?? null
}

/** Parts the words of a command from those that are a message to people, such as the value of `git commit -m`. */
export function withoutMessages(
  name: string,
  words: readonly string[],
): { readonly rest: readonly string[]; readonly messages: readonly string[] } {
  const options = [name, `${name} ${subcommandOf(words) ?? ''}`].flatMap((key) =>
    Object.hasOwn(MESSAGE_OPTIONS, key) ? (MESSAGE_OPTIONS[key] ?? '').split(' ') : [],
  )
  if (options.length === 0) return { rest: words, messages: [] }
  const rest: string[] = []
  const messages: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (options.includes(word)) messages.push(words[++at] ?? '')
    else if (options.some((option) => option.startsWith('--') && word.startsWith(`${option}=`))) messages.push(word)
    else rest.push(word)
  }
  return { rest, messages }
}
