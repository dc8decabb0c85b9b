import { describe, expect, it } from 'vitest'
import { readShell } from '../../../src/domain/shell/read-shell.ts'

/** A reading tells the truth of a script, or `maybe`. RUN stands for the command; whether it runs is known of the first and the last list. */
const TRUTHS = {
  runs: [
    ...['cd a || exit 1\nRUN', 'if true; then make test; fi\nRUN', 'false; [ $? -ne 0 ] && RUN', 'RUN\nexit 0'],
    ...['f() { RUN; }; f', 'for t in test deploy; do make $t; done', 'eval "RUN"', 'RUN || exit 1', 'set -e; RUN'],
    ...['x=deploy && make $x', 'CMD="RUN"; $CMD', 'run() { "$@"; }; run RUN', 'echo deploy | xargs make', 'time RUN'],
    ...["ssh host 'RUN'", 'echo "RUN" | bash', 'bash <<< "RUN"', 'echo "RUN" > r.sh; bash r.sh', 'mywrapper RUN'],
    ...['while true; do RUN; break; done', 'until false; do RUN; done', 'case x in x) RUN;; esac', 'false || RUN'],
    ...["bash -euo pipefail -c 'RUN'", 'break; RUN', '(exit 1)\nRUN', 'echo x | sed s/x/y/ | RUN', 'RUN # note'],
    ...['systemd-cat -t x RUN', 'docker run --entrypoint=make img deploy', 'find . -maxdepth 0 -exec RUN \\;'],
    ...['make() { command make -s "$@"; }\nRUN', 'export -f f; RUN', 'false && ls || RUN', 'true || ls && RUN'],
    ...['parallel make ::: deploy', 'sudo -ualive RUN', 'git commit -m "$(RUN)"', 'ls "$(echo; RUN)" | cat'],
  ],
  'may run': [
    ...['[ -f x ] || exit 0\nRUN', 'case "$1" in a) exit ;; esac\nRUN', 'if ! make test; then RUN; fi', 'cd a || RUN'],
    ...[
      '{ ! make test || ls; } && exit 1; RUN',
      'return 0 || RUN',
      'f() { ! return; }; f || RUN',
      '! make test && RUN',
    ],
    ...['set -e; [ -f x ]; RUN', 'set -o errexit; [ -f x ]; RUN', '[ -f x ] && RUN', '(grep -q a f) && RUN'],
    ...['cat f | grep -q a && RUN', '[[ -f x ]] 2>/dev/null && RUN', '[ -f x ] && cd a && RUN', 'alias x="RUN"'],
    ...[
      'git diff --quiet && cd a && RUN',
      "bash -c '[ -f x ]' && RUN",
      'trap "RUN" EXIT',
      'make $(cat f)',
      'exec $x; RUN',
    ],
    ...['x=$([ -f q ] && echo a); [ "$x" = a ] && RUN', '{ [ -f q ] && echo deploy; } | xargs make', 'ls | xargs make'],
    ...[
      '{ ls; echo RUN; } | bash',
      "printf 'exit\\nRUN\\n' > s.sh; tac s.sh | bash",
      'echo make test | sed s/t.*/x/ | sh',
    ],
    ...['echo RUN | sed s/^/#/ | bash', 'bash <([ -f q ] && echo RUN)', 'bash <<EOF\n$([ -f q ] && echo RUN)\nEOF'],
    ...[
      'x=true; [ -f a ] && x=exit; $x; RUN',
      'x=true; [ -f a ] && x=exit; bash -c "$x; RUN"',
      'f() { $1; }; f "$x"; RUN',
    ],
    ...[
      'x=exit; command $x; RUN',
      'for f in a b; do [ -f $f ] && continue; RUN; done',
      'f() { return; RUN; }; g() { f; }; g',
    ],
    ...['. ./conf; RUN', 'x=; read x; if [ -z "$x" ]; then RUN; fi', 'if [ -f f ]; then x=make; fi; $x deploy'],
    ...['xargs make test < f\ntrue || RUN', 'xargs make < f; echo RUN'],
    ...['xargs RUN < /dev/null', 'parallel RUN', 'fd x1 -x RUN', 'for one in $x; do RUN; done', 'flock -n lock RUN'],
    ...['while read l; do RUN; done < f', 'make() { echo no; }; RUN', 'echo "RUN" | crontab -', 'ls\nfor (( RUN'],
    ...[
      "sed '1e RUN' f",
      'awk \'BEGIN { system("RUN") }\'',
      'echo "all: ; RUN" > Makefile',
      'PATH=/x; RUN',
      'coproc RUN',
    ],
    ...[
      'kill $$; RUN',
      'if exit 0; then ls; fi\nRUN > f',
      '[ -f x ] && RUN < f',
      '(sleep 600; RUN) & kill %1',
      'printf -v PATH x; RUN',
      'export PATH=x; RUN',
      'logout; RUN',
      'bash -e -c "RUN"',
      'source a.sh\nRUN',
      'RUN() { :; }',
      'echo "open\nRUN',
      'make {deploy,test}',
    ],
  ],
  'never runs': [
    ...['exit 0\nRUN', 'if false; then RUN; fi', 'while false; do RUN; done', 'f() { RUN; }', 'set -n\nRUN', ': RUN'],
    ...[
      'set -e\nfalse\nRUN',
      'exec ls\nRUN',
      'case x in y) RUN;; esac',
      'echo RUN > /dev/null',
      'select x in "RUN"; do :; done',
    ],
    ...[
      'f() { shift; [ "$1" = a ] && RUN; }; f a b',
      'make() { echo no; }\nRUN',
      'VAR="RUN"; echo "$VAR"',
      'make -q deploy',
    ],
    ...['echo RUN | cat f | bash', 'sudo -l RUN', 'docker run --entrypoint echo img RUN', "bash -o noexec -c 'RUN'"],
    ...[
      "cat > run.sh <<'EOF'\nRUN\nEOF\ncat run.sh",
      'read -p "run RUN?" x',
      'python3 -c "print(\'RUN\')"',
      'false && ls && RUN',
    ],
  ],
} as const
const ALLOWED = { runs: ['whole', 'sure', 'maybe'], 'may run': ['maybe'], 'never runs': ['told', 'maybe', 'absent'] }

const nothing = { names: () => false, says: () => false, isGiven: () => false }
for (const [truth, scripts] of Object.entries(TRUTHS) as [keyof typeof ALLOWED, readonly string[]][])
  describe(`a reading agrees that the command ${truth}`, () => {
    it.each(scripts)('in %j', (script) => {
      const use = readShell(script.replaceAll('RUN', 'make deploy'), 'shell', nothing).useOf('make deploy')
      expect(ALLOWED[truth]).toContain(use)
    })
  })
