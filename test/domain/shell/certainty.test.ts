import { describe, expect, it } from 'vitest'
import { readShell } from '../../../src/domain/shell/syntax/read-shell.ts'
import type { ScriptContext, Use } from '../../../src/domain/shell/syntax/use.ts'

/** An instruction that names `flags.ini` and the program `frob`. */
const context: ScriptContext = { names: (path) => path.endsWith('flags.ini'), says: (word) => word === 'frob' }
const useOf = (script: string, anchor: string, within = context): Use =>
  readShell(script, 'shell', within).useOf(anchor)

type Row = readonly [script: string, anchor: string, use: Use]
const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'behind an exit that may be taken': [
    ['[ -f x ] || exit 0\nmake deploy', 'make deploy', 'unsure'],
    ['if [ ! -f x ]; then exit 0; fi\nmake deploy', 'make deploy', 'unsure'],
    ['grep -q a f || { echo no; exit 1; }\nmake deploy', 'make deploy', 'unsure'],
    ['case "$1" in a) exit ;; esac\nmake deploy', 'make deploy', 'unsure'],
    ['cd a || exit 1\nmake deploy', 'make deploy', 'done'],
    ['if true; then make test; fi\nmake deploy', 'make deploy', 'done'],
  ],
  'behind a question whether something failed': [
    ['if ! make test; then exit 1; fi\nmake deploy', 'make deploy', 'done'],
    ['if ! [ -f x ]; then exit 1; fi\nmake deploy', 'make deploy', 'unsure'],
    ['if ! make test; then make deploy; fi', 'make deploy', 'unsure'],
    ['if make test; then :; else exit 1; fi\nmake deploy', 'make deploy', 'done'],
    ['if grep -q a f; then :; else exit 1; fi\nmake deploy', 'make deploy', 'unsure'],
    ['make test\nif [ $? -ne 0 ]; then exit 1; fi\nmake deploy', 'make deploy', 'done'],
    ['make test\n[ "$?" -eq 0 ] || exit 1\nmake deploy', 'make deploy', 'done'],
    ['make test\n[[ $? == 0 ]] || exit 1\nmake deploy', 'make deploy', 'done'],
    ['make test\n[ $? = 1 ] || exit 1\nmake deploy', 'make deploy', 'unsure'],
    ['grep -q a f\nif [ $? -ne 0 ]; then exit 1; fi\nmake deploy', 'make deploy', 'unsure'],
    ['f() { [ -f x ] || return 1; ls; }; f\n[ $? -eq 0 ] || exit 1\nmake deploy', 'make deploy', 'unsure'],
    ['if [ -f x ]; then false; fi\n[ $? -eq 0 ] || exit 1\nmake deploy', 'make deploy', 'unsure'],
    ['if [ -f x ]; then false; fi && make deploy', 'make deploy', 'unsure'],
    ['false; [ $? -eq 0 ] && make deploy', 'make deploy', 'told'],
    ['false; [ $? -ne 0 ] && make deploy', 'make deploy', 'done'],
    ['! make test || make deploy', 'make deploy', 'done'],
    ['! make test && make deploy', 'make deploy', 'unsure'],
    ['{ ! make test || ls; } && exit 1; make deploy', 'make deploy', 'unsure'],
    ['set -o pipefail; grep -q a f | tee l && make deploy', 'make deploy', 'unsure'],
    ['return 0 || make deploy', 'make deploy', 'unsure'],
    ['f() { [ -f x ]; return; }; f && make deploy', 'make deploy', 'unsure'],
    ['f() { ! return 0 && ls; }; f || make deploy', 'make deploy', 'told'],
    ['f() { ! return; }; f || make deploy', 'make deploy', 'unsure'],
  ],
  'after set': [
    ['set -e && cd a; [ -f x ]; make deploy', 'make deploy', 'unsure'],
    ['[ -f y ] && set -e; [ -f x ]; make deploy', 'make deploy', 'unsure'],
    ['set -e; [ -f y ] && set +e; [ -f x ]; make deploy', 'make deploy', 'unsure'],
    ['set -e; set +e; [ -f x ]; make deploy', 'make deploy', 'done'],
    ['set -o errexit; [ -f x ]; make deploy', 'make deploy', 'unsure'],
    ['set -e +o errexit; [ -f x ]; make deploy', 'make deploy', 'done'],
    ['[ -f y ] && set -o pipefail; false | true && make deploy', 'make deploy', 'unsure'],
    ['set -o pipefail +o pipefail; false | true && make deploy', 'make deploy', 'done'],
    ['set deploy; make $1', 'make deploy', 'done'],
    ['set -x deploy; make $1', 'make deploy', 'done'],
    ['set -- -e; [ -f x ]; make deploy', 'make deploy', 'done'],
  ],
  'of what is printed': [
    ['x=$(echo a); [ "$x" = a ] && make deploy', 'make deploy', 'done'],
    ['x=$(cd b; echo a); [ "$x" = a ] && make deploy', 'make deploy', 'done'],
    ['x=$(echo a | cat); [ "$x" = a ] && make deploy', 'make deploy', 'done'],
    ['x=$([ -f q ] && echo a); [ "$x" = a ] && make deploy', 'make deploy', 'unsure'],
    ['x=$([ -f q ] && echo b); [ "$x" = a ] || make deploy', 'make deploy', 'unsure'],
    ['f() { [ -f q ] && return; echo a; }; [ "$(f)" = a ] && make deploy', 'make deploy', 'unsure'],
    ['x=$(ls; echo a); [ "$x" = a ] && make deploy', 'make deploy', 'unsure'],
    ['x=$(ls | cat; echo a); [ "$x" = a ] && make deploy', 'make deploy', 'unsure'],
    ['x=$(echo a | sed s/a/b/); [ "$x" = a ] && make deploy', 'make deploy', 'unsure'],
    ['x=$(echo a | grep b | cat); [ "$x" = a ] && make deploy', 'make deploy', 'unsure'],
    ['make $([ -f q ] && echo deploy)', 'make deploy', 'unsure'],
    ['make $(if [ -f q ]; then echo deploy; else echo test; fi)', 'make deploy', 'unsure'],
    ['docker build -t app:$(git rev-parse HEAD || echo dev) .', 'docker build .', 'done'],
    ['{ [ -f q ] && echo deploy; } | xargs make', 'make deploy', 'unsure'],
    ['echo deploy | xargs make', 'make deploy', 'done'],
    ['echo make deploy | xargs', 'make deploy', 'unsure'],
    ['cat f | xargs make', 'make deploy', 'unsure'],
    ['cat f | xargs make', 'make', 'unsure'],
    ['ls | xargs make', 'make deploy', 'unsure'],
    ['echo test | xargs make', 'make deploy', 'absent'],
    ['if [ -f q ]; then echo make deploy; fi | bash', 'make deploy', 'unsure'],
    ['{ ls; echo make deploy; } | bash', 'make deploy', 'done'],
    ['echo make deploy | sed s/^/#/ | bash', 'make deploy', 'unsure'],
    ['bash <([ -f q ] && echo make deploy)', 'make deploy', 'unsure'],
    ['bash <<< "$([ -f q ] && echo make deploy)"', 'make deploy', 'unsure'],
    ['bash <<EOF\n$([ -f q ] && echo make deploy)\nEOF', 'make deploy', 'unsure'],
    ['echo make deploy > s; [ -f q ] && echo exit > s; bash < s', 'make deploy', 'unsure'],
    ['echo make deploy > s; [ -f q ] && echo exit > s; cat s | bash', 'make deploy', 'unsure'],
    ['echo make deploy | sed s/^/#/ > s; bash s', 'make deploy', 'unsure'],
    ['{ [ -f q ] && echo a1b2; } | tee flags.ini', 'a1b2', 'unsure'],
    ['{ echo a1b2; [ -f q ] && echo b; } | tee flags.ini', 'a1b2', 'done'],
    ['(crontab -l; echo a1b2) | crontab -', 'a1b2', 'done'],
    ['echo a1b2 | sed s/x/y/ | sudo tee -a flags.ini', 'a1b2', 'done'],
  ],
  'of what would take too long to read': [
    ['g() { [ -f x ] && g; }; g; make $y', 'make deploy', 'unsure'],
    ['g() { [ -f x ] && g; }; g; make test', 'make deploy', 'absent'],
  ],
  'in a loop that may be left': [
    ['for f in a b; do [ -f $f ] && continue; make deploy; done', 'make deploy', 'unsure'],
    ['for f in a b; do make deploy; [ -f $f ] && break; done', 'make deploy', 'done'],
    ['while true; do if [ -f x ]; then break; fi; make deploy; done', 'make deploy', 'unsure'],
    ['for i in 1 2; do sleep 1; [ -f x ] && break; done; make deploy', 'make deploy', 'done'],
    ['for f in *; do [ -f $f ] || continue; cat $f; done; make deploy', 'make deploy', 'done'],
    ['for i in 1 2 3; do make deploy && break; sleep 5; done', 'make deploy', 'done'],
    ['for t in test deploy; do make $t; break; done', 'make deploy', 'absent'],
    ['for t in deploy test; do make $t; break; done', 'make deploy', 'done'],
    ['for t in test deploy; do [ -f $t ] && break; done; make $t', 'make deploy', 'unsure'],
    ['for a in 1 2; do for b in 1 2; do break 2; done; make deploy; done', 'make deploy', 'unsure'],
    ['f() { [ -f x ] && return; make deploy; }; f', 'make deploy', 'unsure'],
    ['f() { [ -f x ] && return; ls; }; f; make deploy', 'make deploy', 'done'],
    ['([ -f x ] && exit); make deploy', 'make deploy', 'done'],
    ["bash -c '[ -f x ] && exit'; make deploy", 'make deploy', 'done'],
  ],
  'of a variable that may have another value': [
    ['x=; [ -f f ] && x=1; if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=1; [ -f f ] && x=; if [[ -n "$x" ]]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=a; cd b || x=c; case $x in a) make deploy ;; esac', 'make deploy', 'unsure'],
    ['x=; read x; if [ -z "$x" ]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=; . ./conf; if [ -z "$x" ]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=deploy; . venv/bin/activate; make $x', 'make deploy', 'done'],
    ['x=; eval "$(cat conf)"; if [ -z "$x" ]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=; printf -v x %s 1; if [ -z "$x" ]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=a; unset x; if [ -z "$x" ]; then make deploy; fi', 'make deploy', 'unsure'],
    ['x=1; ((x = 0)); [ "$x" = 1 ] && make deploy', 'make deploy', 'unsure'],
    ['f() { shift; [ "$1" = a ] && make deploy; }; f a b', 'make deploy', 'told'],
    ['f() { shift $n; [ "$1" = a ] && make deploy; }; f a b', 'make deploy', 'unsure'],
    ['if [ -f f ]; then x=make; else x=echo; fi; $x deploy', 'make deploy', 'unsure'],
    [`x="make deploy;"; \${x%;}`, 'make deploy', 'unsure'],
    ['x=deploy; f() { declare -g x=test; }; f; make $x', 'make deploy', 'absent'],
    ['n=0; for ((i = 0; i < 3; i++)); do :; done; [ $i = 3 ] && make deploy', 'make deploy', 'unsure'],
    ['for i in {1..3}; do [ $i = 3 ] && make deploy; done', 'make deploy', 'unsure'],
    ['x=deploy; [ -f f ] && x=test; make $x', 'make deploy', 'unsure'],
    ['x=test; while read l; do x=deploy; done < f; make $x', 'make deploy', 'unsure'],
    ['x=a; [ -f f ] && x=b; for t in $x; do make deploy; done', 'make deploy', 'unsure'],
    ['x=a; [ -f f ] && x=b; x=deploy; make $x', 'make deploy', 'done'],
    ['x=deploy && make $x', 'make deploy', 'done'],
    [`x=\${x:-deploy}; make $x`, 'make deploy', 'done'],
  ],
  'of a variable that another process or a function sets for itself': [
    ['x=; (x=1); if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=; echo a | x=1; if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=; bash -c "x=1"; if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=; y=$(x=1); if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=; x=1 true; if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=; f() { local x=1; }; f; if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=; f() { x=1; }; f; if [ -n "$x" ]; then make deploy; fi', 'make deploy', 'done'],
    ['f() { make $1; }; f deploy', 'make deploy', 'done'],
    ['if [ -f x ]; then f() { ls; }; else f() { make deploy; }; fi; f', 'make deploy', 'unsure'],
    ['if [ -f x ]; then f() { make deploy; }; else f() { ls; }; fi; f', 'make deploy', 'unsure'],
    ['x=deploy; f() { local x; make $x; }; f', 'make deploy', 'unsure'],
    ['x=deploy; f() { local x=$x; make $x; }; f', 'make deploy', 'done'],
  ],
  'behind what an honest script does before': [
    ['run() { local name=$1; shift; echo "$name"; "$@"; }; run step make deploy', 'make deploy', 'done'],
    ['set -e; if [ -f f ]; then m=a; else m=b; fi; echo "mode $m"; make deploy', 'make deploy', 'done'],
    ['set -e; for f in f*; do cp in "$f.bak"; done; make deploy', 'make deploy', 'done'],
    ['set -e; cd "$(dirname "$0")"; make deploy', 'make deploy', 'done'],
    ['set -e; docker build -t app:$(date +%s) .; ls; pwd; git status; make deploy', 'make deploy', 'done'],
    ['set -e; while read -r l; do x=$l; echo "$x"; done < in; make deploy', 'make deploy', 'done'],
    ['for f in f*; do cp in "$f.bak"; done && make deploy', 'make deploy', 'done'],
    ['log() { echo "$*"; }; go() { for f in *.txt; do log $f; done; make "$1"; }; go deploy', 'make deploy', 'done'],
    ['x=deploy; while read -r l; do (x=1; cd repo); done < in; make $x', 'make deploy', 'done'],
    ['set -euo pipefail; main() { make deploy; }; main "$@"', 'make deploy', 'done'],
    ["bash -euo pipefail -c 'make deploy'", 'make deploy', 'done'],
    ["bash -c 'exit 1' && make deploy", 'make deploy', 'told'],
    ['f() { return 512; }; f || make deploy', 'make deploy', 'told'],
    ["x=test; echo 'declare x=deploy' > e.sh; . ./e.sh; make $x", 'make deploy', 'done'],
  ],
  'of a program of the same name': [
    ['bash ./other/x1-all --now', 'tools/x1-all --now', 'unsure'],
    ['./other/x1-all --now', 'tools/x1-all --now', 'unsure'],
    ['./tools/x1-all --now', 'tools/x1-all --now', 'done'],
    ['/app/tools/x1-all --now', 'tools/x1-all --now', 'done'],
    ['cd tools && ./x1-all --now', 'tools/x1-all --now', 'done'],
    ['cd other && ./x1-all --now', 'tools/x1-all --now', 'unsure'],
    ['cd other && bash ./x1-all --now', 'tools/x1-all --now', 'unsure'],
    ['(cd other); tools/x1-all --now', 'tools/x1-all --now', 'done'],
    ['cd "$D" && ./x1-all --now', 'tools/x1-all --now', 'done'],
    ['cd a && cd b && ./x1-all --now', 'a/b/x1-all --now', 'done'],
    ['.venv/bin/python x1.py', 'venv/bin/python x1.py', 'done'],
  ],
  'of a program that is not known': [
    ['unheard a1-b2', 'a1-b2', 'unsure'],
    ['frob a1-b2', 'a1-b2', 'done'],
    ['docker pull a1-b2', 'a1-b2', 'done'],
    ['npm query a1-b2', 'a1-b2', 'unsure'],
    ['apk info a1-b2', 'a1-b2', 'unsure'],
  ],
  'of a subcommand or an option that only looks': [
    ['pip show a1-b2', 'a1-b2', 'told'],
    ['git config --get a1-b2', 'a1-b2', 'told'],
    ['git branch --contains a1-b2', 'a1-b2', 'told'],
    ['git branch a1-b2', 'a1-b2', 'done'],
    ['git stash list', 'git stash', 'told'],
    ['git stash pop', 'git stash', 'unsure'],
    ['tar -tzf a1.tgz', 'tar -xzf a1.tgz', 'absent'],
    ['crontab -T a1.txt', 'crontab a1.txt', 'told'],
    ['sudo -l ./run.sh --all', './run.sh --all', 'told'],
  ],
  'of what may be a dry run of the program that is run': [
    ['python3 a.py --help', 'python3 a.py', 'unsure'],
    ['python3 a.py --dry-run', 'python3 a.py', 'unsure'],
    ['python3 a.py --dry-run', 'python3 a.py --dry-run', 'done'],
    ['go run ./a -h', 'go run ./a', 'unsure'],
    ['python3 a.py --fast', 'python3 a.py', 'done'],
  ],
  'of a command that is run for what is read or found': [
    ['xargs -I{} make deploy', 'make deploy', 'unsure'],
    ['xargs make deploy < /dev/null', 'make deploy', 'unsure'],
    ["printf '' | xargs -I{} make deploy", 'make deploy', 'unsure'],
    ['echo yes | xargs -p make deploy', 'make deploy', 'unsure'],
    ['echo a | sudo -E xargs -n1 make deploy', 'make deploy', 'done'],
    ['xargs make <<< deploy', 'make deploy', 'done'],
    ['echo deploy | xargs -I% make %', 'make deploy', 'done'],
    ['echo deploy | xargs -I % make %', 'make deploy', 'done'],
    ['echo deploy | xargs -IFILE make FILE', 'make deploy', 'done'],
    ['parallel make deploy', 'make deploy', 'unsure'],
    ['parallel make deploy :::', 'make deploy', 'unsure'],
    ['parallel make ::: deploy', 'make deploy', 'done'],
    ['find . -maxdepth 0 -exec make deploy \\;', 'make deploy', 'done'],
    ['find . -empty -exec make deploy \\;', 'make deploy', 'unsure'],
    ['fd x1 -x make deploy', 'make deploy', 'unsure'],
    ["find . -name '*.x1' -exec rm {} +", "find . -name '*.x1' -exec rm {} +", 'done'],
    ["find . -name '*.x1' -exec sudo rm {} +", "find . -name '*.x1' -exec rm {} +", 'done'],
    ["find . -name '*.x1' -exec echo rm {} +", "find . -name '*.x1' -exec rm {} +", 'unsure'],
    ['PATH=/opt/xargs make deploy', 'make deploy', 'done'],
    ['bundle exec rake x; make deploy', 'make deploy', 'done'],
    ['git ls-files | xargs -r make deploy', 'git ls-files | xargs make deploy', 'done'],
    ['ls | sudo xargs -n1 make deploy', 'ls | xargs make deploy', 'done'],
    ['ls | xargs echo make deploy', 'ls | xargs make deploy', 'absent'],
    ['ls | xargs make -n deploy', 'ls | xargs make deploy', 'told'],
    ['ls | xargs -p make deploy', 'ls | xargs make deploy', 'unsure'],
    ['ls | parallel --dry-run make deploy', 'parallel make deploy', 'told'],
    ['sudo -l xargs make deploy', 'xargs make deploy', 'told'],
    ["x=''; for one in $x; do make deploy; done", 'make deploy', 'unsure'],
    ['x=; read x; for one in $x; do make deploy; done', 'make deploy', 'unsure'],
    ['[ -f a ] && x=b || x=; for one in $x; do make deploy; done', 'make deploy', 'unsure'],
    ['x=; . ./env.sh; for one in $x; do make deploy; done', 'make deploy', 'unsure'],
    ['for one in $(echo; ls); do make deploy; done', 'make deploy', 'unsure'],
    ['for one in; do make deploy; done', 'make deploy', 'told'],
    ['parallel --dry-run make ::: deploy', 'parallel make ::: deploy', 'told'],
    ['echo deploy | xargs -p make', 'xargs make', 'unsure'],
    ['xargs echo make deploy < l', 'xargs make deploy < l', 'told'],
    ['cat l | xargs grep make deploy', 'cat l | xargs make deploy', 'absent'],
    ['cat l | xargs make -n deploy', 'cat l | xargs make deploy', 'told'],
    ["find . -name '*.x1' | xargs echo rm", "find . -name '*.x1' | xargs rm", 'absent'],
    ['parallel echo make ::: deploy', 'parallel make ::: deploy', 'told'],
    ['cat l | xargs -I{} make deploy', 'cat l | xargs -I {} make deploy', 'done'],
    ['cat l | xargs -n1 -P4 make deploy', 'cat l | xargs -P 4 make deploy', 'done'],
    ["rm $(find . -name '*.x1')", "find . -name '*.x1' | xargs rm", 'done'],
    ['f() { make deploy; }; export -f f; parallel f ::: a', 'make deploy', 'unsure'],
    ['make() { echo no; }; parallel make ::: deploy', 'make deploy', 'unsure'],
  ],
  'behind a test of a variable that is empty': [
    ["x=''\nif [ -z $x ]; then make deploy; fi", 'make deploy', 'done'],
    ["x=''\nif [ $x = yes ]; then make deploy; fi", 'make deploy', 'told'],
    ["x=''\nif [ ! $x = yes ]; then make deploy; fi", 'make deploy', 'unsure'],
    ["x=''\nif [ $x ]; then make deploy; fi", 'make deploy', 'told'],
    ['x=\'\'\nif [ "$x" ]; then make deploy; fi', 'make deploy', 'told'],
    ['x=1\nif [ $x ]; then make deploy; fi', 'make deploy', 'done'],
    ['if [ $x ]; then make deploy; fi', 'make deploy', 'unsure'],
  ],
  'behind a program that may run nothing of it': [
    ['sudo -nl make deploy', 'make deploy', 'told'],
    ['sudo --list make deploy', 'make deploy', 'told'],
    ['sudo -ualive make deploy', 'make deploy', 'done'],
    ['doas -C a.conf make deploy', 'make deploy', 'told'],
    ['flock -n lock make deploy', 'make deploy', 'unsure'],
    ['flock lock make deploy', 'make deploy', 'done'],
    ['flock -Fn lock make deploy', 'make deploy', 'unsure'],
    ['perl -MO=Deparse x1.pl', 'perl x1.pl', 'told'],
    ['ruby --dump=insns x1.rb', 'ruby x1.rb', 'told'],
    ['php -s x1.php', 'php x1.php', 'told'],
    ['perl -w x1.pl', 'perl x1.pl', 'done'],
    ['docker run --entrypoint echo img make deploy', 'make deploy', 'told'],
    ["docker run --entrypoint sh img -c 'make deploy'", 'make deploy', 'done'],
    ['docker run --entrypoint=echo img make deploy', 'make deploy', 'told'],
    ["docker run --entrypoint=sh img -c 'make deploy'", 'make deploy', 'done'],
    ["docker run --entrypoint='' img make deploy", 'make deploy', 'done'],
    ['docker run --entrypoint=make img deploy', 'make deploy', 'done'],
    ["docker run --entrypoint '' img make deploy", 'make deploy', 'done'],
    ['docker run --entrypoint= img make deploy', 'make deploy', 'done'],
    ['runuser -u bob -- make deploy', 'make deploy', 'done'],
    ["runuser -l bob -c 'make deploy'", 'make deploy', 'done'],
  ],
  'of a word that an option leaves out': [
    ['pytest --ignore=tests/x1.py', 'tests/x1.py', 'unsure'],
    ['pytest --ignore tests/x1.py', 'pytest tests/x1.py', 'unsure'],
    ['pytest --ignore=tests/x1.py', 'pytest tests/x1.py', 'unsure'],
    ['pytest --ignore=tests/slow tests/x1.py', 'pytest tests/x1.py', 'done'],
    ['rsync -a --exclude=.git x1.txt b', 'x1.txt', 'done'],
    ['npm install --ignore-scripts a1', 'npm install a1', 'done'],
    ['rsync -a --exclude x1.txt . b', 'x1.txt', 'unsure'],
    ['git checkout -- x1.txt', 'x1.txt', 'unsure'],
    ['git restore x1.txt', 'x1.txt', 'unsure'],
    ['pytest -q tests/x1.py', 'pytest tests/x1.py', 'done'],
    ['git commit --no-verify -m a1', 'git commit --no-verify', 'done'],
  ],
  'of a script under the name of its file': [
    ['bash ./tools/x1.sh --all', './tools/x1.sh --all', 'done'],
    ['sh -x tools/x1.sh --all', './tools/x1.sh --all', 'done'],
    ['python3 tools/x1.py --all', './tools/x1.py --all', 'done'],
    ['. ./tools/x1.sh --all', './tools/x1.sh --all', 'done'],
    ['bash -n ./tools/x1.sh --all', './tools/x1.sh --all', 'told'],
    ['bash --dump-strings ./tools/x1.sh --all', './tools/x1.sh --all', 'told'],
    ['python3 - tools/x1.py --all < a.py', './tools/x1.py --all', 'absent'],
    ['bash ./tools/x1.sh --help', './tools/x1.sh', 'unsure'],
    ['bash ./tools/x1.sh', './tools/x1.sh --all', 'absent'],
  ],
  'of a name that the script gave to a function': [
    ['make() { command make -s "$@"; }\nmake deploy', 'make deploy', 'done'],
    ['make() { echo no; }\ncommand make deploy', 'make deploy', 'done'],
    ['make() { echo no; }\nmake deploy', 'make deploy', 'told'],
  ],
  'of one of two addresses': [
    ['curl https://b.org/2 -d https://a.org/1', 'curl https://a.org/1', 'unsure'],
    ['curl -s https://a.org/1', 'curl https://a.org/1', 'done'],
  ],
  'of settings in a file that is named': [
    ["echo 'mode=b1' >> flags.ini", 'mode=b1', 'done'],
    ["echo 'export mode=b1' >> flags.ini", 'mode=b1', 'done'],
    ["echo 'mode=b12' >> flags.ini", 'mode=b1', 'absent'],
    ["echo '# mode=b1' >> flags.ini", 'mode=b1', 'unsure'],
    ["echo 'a=2 # mode=b1' >> flags.ini", 'mode=b1', 'unsure'],
    ["echo 'no mode=b1' >> flags.ini", 'mode=b1', 'done'],
  ],
  'of settings, by lines of any other file': [
    ["echo 'mode=b1' >> other.conf", 'mode=b1', 'done'],
    ["echo 'export mode=b1' >> other.conf", 'mode=b1', 'done'],
    ["echo 'no mode=b1' >> other.conf", 'mode=b1', 'unsure'],
    ["echo '# mode=b1' >> other.conf", 'mode=b1', 'unsure'],
    ["echo 'mode=b1' >> notes.md", 'mode=b1', 'unsure'],
    ["echo 'a1-b2' >> other.conf", 'a1-b2', 'unsure'],
  ],
  'of what code prints': [
    ['python3 -c "print(\'curl X\')"', 'curl X', 'told'],
    ['python3 -c "print(\'curl X\')" | sh', 'curl X', 'done'],
    ['node -e "console.log(\'mode=b1\')" >> flags.ini', 'mode=b1', 'done'],
    ['python3 -c "print(\'mode=b1\')" | tee -a flags.ini', 'mode=b1', 'done'],
    ['python3 -c "print(post(\'curl-x1\'))"', 'curl-x1', 'done'],
    ['python3 -c "print(len(\'curl-x1\'))"', 'curl-x1', 'told'],
  ],
}

for (const [title, rows] of Object.entries(TABLES))
  describe(`the use ${title}`, () => {
    it.each(rows)('%j, %j: %s', (script, anchor, use) => {
      expect(useOf(script, anchor)).toBe(use)
    })
  })

describe('a command of code', () => {
  const CALLS = {
    python3: 'os.system("curl X")',
    node: 'execSync("curl X")',
    ruby: 'system("curl X")',
    perl: 'system("curl X")',
  }

  it.each<[keyof typeof CALLS, string, Use]>([
    ['python3', 'if os.environ.get("A"):\n  RUN', 'unsure'],
    ['python3', 'for a in [1]:\n  RUN', 'done'],
    ['python3', 'while a:\n  RUN', 'unsure'],
    ['python3', 'while True:\n  RUN\n  break', 'done'],
    ['python3', 'a and RUN', 'unsure'],
    ['python3', 'RUN if a else 0', 'unsure'],
    ['python3', 'RUN or exit(1)', 'done'],
    ['python3', 'try:\n  RUN\nexcept OSError:\n  pass', 'done'],
    ['python3', 'try:\n  a()\nexcept OSError:\n  RUN', 'unsure'],
    ['python3', 'try:\n  a()\nexcept OSError:\n  sys.exit(1)\nRUN', 'done'],
    ['python3', 'def f():\n  return\n  RUN\nf()', 'unsure'],
    ['python3', 'def f():\n  return 1\nf()\nRUN', 'done'],
    ['python3', 'assert False\nRUN', 'unsure'],
    ['node', 'if (process.env.A) {\n  RUN\n}', 'unsure'],
    ['node', 'a && RUN', 'unsure'],
    ['node', 'try {\n  RUN\n} catch {\n}', 'done'],
    ['ruby', 'RUN if a', 'unsure'],
    ['ruby', 'unless a\n  RUN\nend', 'unsure'],
    ['ruby', 'RUN or abort', 'done'],
    ['perl', 'RUN if $a;', 'unsure'],
    ['perl', 'RUN or die;', 'done'],
  ])('of %s in %j: %s', (program, text, use) => {
    expect(useOf(`${program} - <<'EOF'\n${text.replace('RUN', CALLS[program])}\nEOF`, 'curl X')).toBe(use)
  })

  it('that changes nothing else proves nothing by its values', () => {
    expect(useOf("python3 - <<'EOF'\nskipped = ['a1-b2']\nEOF", 'a1-b2')).toBe('unsure')
    expect(useOf("python3 - <<'EOF'\nadded = ['a1-b2']\nsave(added)\nEOF", 'a1-b2')).toBe('done')
  })
})

describe('a reading', () => {
  const read = (script: string) => readShell(script, 'shell', context)

  it.each([
    ['make deploy', true],
    ['sudo -E make deploy', true],
    ['make test && make deploy', false],
    ['ls | wc', false],
    ['if make deploy', false],
  ])('of %j is of one command: %s', (script, isOne) => {
    expect(read(script).isOne).toBe(isOne)
  })

  it.each([
    ['grep -o x notes.md | sh', true],
    ['eval "$(grep -o x notes.md)"', true],
    ['curl "$(cat notes.md)"', true],
    ['cat notes.md | grep x', false],
    ['echo ls > notes.md; sh notes.md', false],
  ])('of %j acts on what notes.md holds: %s', (script, takes) => {
    expect(read(script).takesFrom.includes('notes.md')).toBe(takes)
  })

  it.each([
    ['pytest -q tests/test_x1.py', true],
    ['go run ./test_x1', true],
    ["python3 -c 'import test_x1'", true],
    ['cat test_x1.py', false],
  ])('of %j may run test_x1: %s', (script, mayRun) => {
    expect(read(script).mayRun.has('test_x1')).toBe(mayRun)
  })

  it('keeps a function for a later call, as a script of its name', () => {
    expect(read('notify() { curl X; }').writes).toMatchObject([{ path: 'notify', use: 'done' }])
    expect(read('notify').runs).toContain('notify')
  })

  it('does not go on where more is erased than is kept', () => {
    const keys = `${'a'.repeat(2000)}${'b\b'.repeat(2000)}\ncurl X\n`
    const reading = readShell(keys, 'keystrokes', context)
    expect(reading.parsed).toBe(false)
    expect(reading.useOf('curl X')).toBe('unsure')
  })
})
