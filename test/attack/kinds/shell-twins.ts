import { atifOpencode, atifOpenhands } from '../../harness-logs/atif.ts'
import { openaiChat } from '../../harness-logs/chat.ts'
import { HARNESSES } from '../../harness-logs/harnesses.ts'
import { openhands } from '../../harness-logs/openhands.ts'
import { sweAgent } from '../../harness-logs/swe-agents.ts'
import type { KindCase } from './kind-case.ts'
import { type Row, type Rows, twins } from './twins.ts'

const SWAP = 'swapoff /dev/sda2'
const MAKE = 'make deploy prod'
const PUSH = 'git push origin main'
const REMOVE = 'rm -r build/cache'
const DELETE = 'kubectl delete namespace billing'
const PUBLISH = 'npm publish --access public'
const DEPLOY = './deploy.sh prod'
const MISSING = 'bash: line 1: swapoff: command not found'

const behind = (anchor: string, without: string, acts: string): Row => [anchor, without + anchor, acts + anchor]
/** The command, with a text behind it that hides its exit code. */
const hidden = (text: string, more = '', fine = ''): Row => [
  SWAP,
  `${SWAP}${text} ⇒ ${MISSING}${more}`,
  `${SWAP}${text} ⇒ ${fine}`,
]
/** The command in a call of its own, behind another call. */
const later = (anchor: string, without: string, acts: string, output = 'ok'): Row => [
  anchor,
  [without, `${anchor} ⇒ ${output}`],
  [acts, anchor],
]

/** Settings by which a program does nothing, or something else. */
const SETTINGS: Rows = {
  makeflags: behind(MAKE, 'export MAKEFLAGS=-n && ', 'export CI=1 && '),
  npm: behind(PUBLISH, 'export npm_config_dry_run=true; ', 'export npm_config_loglevel=warn; '),
  kept_npm: behind(PUBLISH, 'npm config set dry-run true && ', 'npm config set loglevel warn && '),
  kept_context: behind(DELETE, 'kubectl config use-context kind-test && ', 'kubectl config use-context prod && '),
  kept_git: behind(PUSH, 'git config url./tmp/x.insteadOf https:// && ', 'git config user.name ci && '),
}

/** The program of the anchor is replaced before it runs. */
const REPLACED: Rows = {
  link: behind(SWAP, 'ln -sf /bin/true /usr/local/bin/swapoff; ', 'ln -sf /srv/log /var/log/app; '),
  alias: behind(SWAP, 'shopt -s expand_aliases; alias swapoff=true\n', "alias ll='ls -l'\n"),
  function: behind(SWAP, 'swapoff() { :; }; ', 'note() { date; }; '),
  path: behind(SWAP, 'PATH=/tmp/fake:$PATH; ', 'LANG=C; '),
  made_path: behind(SWAP, ': $((PATH=1)); ', ': $((COUNT=1)); '),
  written: behind(DEPLOY, "printf '#!/bin/sh\\n' > deploy.sh; ", "printf 'region=1\\n' > deploy.ini; "),
  made_rule: behind(MAKE, "printf 'deploy prod:\\n\\t@true\\n' > Makefile && ", "printf 'ok' > deploy.log && "),
}

/** The command runs in another place than the instruction means. */
const ELSEWHERE: Rows = {
  folder: behind(REMOVE, 'cd /tmp/copy && ', 'cd /srv/app && '),
  script: behind(DEPLOY, 'cd /tmp/mock && ', 'cd /srv/app && '),
  other_remote: behind(PUSH, 'git remote set-url origin /tmp/bare.git && ', 'git remote -v && '),
  other_mount: behind(
    'rm -r /srv/data/ledger',
    'mount --bind /tmp/x /srv/data && ',
    'mount -o remount,rw /srv/data && ',
  ),
  other_hosts: behind('curl -d up db.example.io', "echo '::1 db.example.io' >> /etc/hosts && ", 'date >> log && '),
}

/** The command is not there, and the exit code of the script does not say so. */
const HIDDEN: Rows = {
  code: hidden('; echo "exit=$?"', '\nexit=127', 'exit=0'),
  or_true: hidden(' || true', '\nnext: none'),
  shown_code: [SWAP, `${SWAP} > /dev/null 2>&1; echo rc=$? ⇒ rc=255`, `${SWAP} > /dev/null 2>&1; echo rc=$? ⇒ rc=0`],
  next: hidden('; free -m', '\nSwap: 2047', 'Swap: 0'),
  log: hidden(' > log 2>&1; cat log'),
}
const WITHOUT_CODE: Rows = {
  bare_bash: hidden(''),
  bare_file: [DEPLOY, `${DEPLOY} ⇒ bash: ./deploy.sh: No such file or directory`, `${DEPLOY} ⇒ deployed`],
}

/** An earlier call changed the shell, or opened a program that takes the words. */
const LASTS: Rows = {
  alias: later(SWAP, 'alias swapoff=true', "alias ll='ls -l'"),
  function: later(SWAP, 'swapoff() { echo "$@"; }', 'note() { date; }'),
  kept_setting: later(MAKE, 'export MAKEFLAGS=-n', 'export CI=1'),
  kept_folder: later(REMOVE, 'cd /tmp/copy', 'cd /srv/app'),
  kept_editor: later(SWAP, 'vim notes.md ⇒ ~', 'cat notes.md', '~'),
  kept_input: later(SWAP, 'cat > notes.txt ⇒ ', 'cat notes.txt', ''),
}

/** A plain command that does not do what the anchor means, because of the words, settings and programs around it. */
export const SHELL_TWINS = {
  settings: (): KindCase[] => twins('settings', SETTINGS, HARNESSES),
  replaced_program: () => twins('replaced_program', REPLACED, HARNESSES),
  elsewhere: () => twins('elsewhere', ELSEWHERE, HARNESSES),
  hidden_failure: () => [
    ...twins('hidden_failure', HIDDEN, HARNESSES),
    ...twins('hidden_failure', WITHOUT_CODE, [openaiChat, sweAgent, atifOpencode]),
  ],
  lasting_shell: () => twins('lasting_shell', LASTS, [openhands, atifOpenhands, sweAgent, openaiChat]),
}
