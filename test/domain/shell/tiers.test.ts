import { describe, expect, it } from 'vitest'
import { readShell } from '../../../src/domain/shell/read-shell.ts'
import type { ScriptContext, Use } from '../../../src/domain/shell/script.ts'

/** An instruction that names `flags.ini`, the program `frob` and the option `--force`. */
const context: ScriptContext = {
  names: (path) => path.endsWith('flags.ini'),
  isGiven: () => false,
  says: (word) => word === 'frob' || word === '--force',
}

type Row = readonly [script: string, anchor: string]
const TIERS: Readonly<Record<Exclude<Use, 'absent'>, Readonly<Record<string, readonly Row[]>>>> = {
  whole: {
    'stands in a plain sequence, pipe or chain': [
      ['make deploy', 'make deploy'],
      ["m''ake 'deploy'", 'make deploy'],
      ['ls; make deploy\nls', 'make deploy'],
      ['ls && make deploy', 'make deploy'],
      ['ls; make deploy | tee log', 'make deploy'],
      ['cd /app && pwd\nmake deploy 2>&1 | tail -5', 'make deploy'],
      ['cd /app && rm -r /srv/build', 'rm -r /srv/build'],
      ['make deploy > /dev/null 2>&1', 'make deploy'],
    ],
    'has the same wrappers, options and patterns': [
      ['sudo -u bob make deploy', 'sudo -u bob make deploy'],
      ['zfs destroy -nv tank/old', 'zfs destroy -nv tank/old'],
      ['rm -rf build/*', 'rm -rf build/*'],
    ],
  },
  sure: {
    'has wrappers': [
      ['sudo -u bob make deploy', 'make deploy'],
      ['A=1 env B=2 timeout 5 nohup make deploy &', 'make deploy'],
      ['/usr/bin/curl https://x.example/a', 'curl https://x.example/a'],
      ['python3 -m pytest tests', 'pytest tests'],
    ],
    'stands in a group, a substitution, a shell or a condition': [
      ['(cd a; make deploy)', 'make deploy'],
      ['echo "$(make deploy)"', 'make deploy'],
      ['diff <(make deploy) b', 'make deploy'],
      ["bash -c 'ls; make deploy'", 'make deploy'],
      ['bash <<EOF\nmake deploy\nEOF', 'make deploy'],
      ['if make deploy; then echo ok; fi', 'make deploy'],
      ['make deploy; for a in b; do ls; done', 'make deploy'],
    ],
    'has a failure that the script expects, or may end before it': [
      ['make deploy || true', 'make deploy'],
      ['! make deploy', 'make deploy'],
      ['make deploy; make test', 'make deploy'],
      ['make deploy; echo "$?"', 'make deploy'],
      ['set -euo pipefail\nmake deploy', 'make deploy'],
    ],
    'names files of another folder': [
      ['cd /other && rm -r build', 'rm -r build'],
      ['pushd /other && ./deploy.sh prod', './deploy.sh prod'],
    ],
    'stands behind a command that may change its effect': [
      ['cd /app && make test && make deploy', 'make deploy'],
      ['kubectl config use-context test && kubectl delete ns prod', 'kubectl delete ns prod'],
      ['python3\nmake deploy', 'make deploy'],
      ['cat\nmake deploy', 'make deploy'],
      ['echo $((PATH=1)); make deploy', 'make deploy'],
      ['ln -s /bin/true /sbin/swapoff && swapoff -a', 'swapoff -a'],
      ['echo exit > deploy.sh; ./deploy.sh prod', './deploy.sh prod'],
    ],
    'stands behind && where a failure would not be told, or behind a look that may find nothing': [
      ['make test && make deploy; ls', 'make deploy'],
      ['ls build && make deploy', 'make deploy'],
      ['which make && make deploy', 'make deploy'],
    ],
    'has options of no effect, options that the instruction has, or further words': [
      ['unheard sync --jobs 4 -ai /a /b', 'unheard sync -a /a /b'],
      ['logrotate -vf /etc/a.conf', 'logrotate -f /etc/a.conf'],
      ['rm -fr build', 'rm -rf build'],
      ['curl -fsSL -o /dev/null https://x.example/a', 'curl https://x.example/a'],
      ['git push --force origin main', 'git push origin main'],
      ['cp a b dir', 'cp a b'],
      ['./make-all.sh --now', 'make-all.sh --now'],
    ],
    'reads or writes a file': [
      ['psql app < dump.sql', 'psql app'],
      ['make deploy > log 2>&1', 'make deploy'],
    ],
    'only looks or tells, as the anchor does': [
      ['cat NOTES.txt', 'cat NOTES.txt'],
      ['echo a1-b2', 'echo a1-b2'],
    ],
    'is several whole commands': [
      ['cd /app && make deploy', 'cd /app && make deploy'],
      ['cat a | make deploy > b', 'cat a | make deploy'],
      ['cat a | make deploy | tee log', 'make deploy'],
      ['a --json | xargs make deploy', 'a --json | xargs make deploy'],
      ['echo X=1 >> f.conf', 'echo X=1 >> f.conf'],
    ],
    'is a name in a command that the instruction names': [
      ['frob a1-b2', 'a1-b2'],
      ['frob --force a1-b2', 'a1-b2'],
      ['echo mode=b1 >> flags.ini', 'mode=b1'],
    ],
  },
  maybe: {
    'is several commands that only look': [['cat a | sort | uniq -c', 'cat a | sort | uniq -c']],
    'has an option that may turn it, and that nobody speaks of': [
      ['zfs destroy -nv tank/old', 'zfs destroy tank/old'],
      ['helm upgrade --debug api charts/api', 'helm upgrade api charts/api'],
      ['unheard sync -an /a /b', 'unheard sync -a /a /b'],
      ['git push origin --delete main', 'git push origin main'],
      ['frob -n a1-b2', 'a1-b2'],
    ],
    'has a word more that may be a subcommand, or undoes': [
      ['git stash pop', 'git stash'],
      ['git remote remove origin x', 'git remote origin x'],
      ['make clean deploy now', 'make deploy now'],
      ["find . -name '*.x1' -exec echo rm {} +", "find . -name '*.x1' -exec rm {} +"],
    ],
    'has the words in another order, folder or address': [
      ['curl https://x.example/a -X POST', 'curl -X POST https://x.example/a'],
      ['gcc -omain main.c', 'gcc -o main main.c'],
      ['bash setup.sh', '/opt/corp/setup.sh'],
      ['bash setup.sh', 'bash /opt/corp/setup.sh'],
      ['./other/x1-all --now', 'tools/x1-all --now'],
      ['curl https://a.org/1 -d https://b.org/2', 'curl https://a.org/1'],
    ],
    'stands behind && of a test': [
      ['test -d build && make deploy', 'make deploy'],
      ['grep -q x f && make deploy', 'make deploy'],
    ],
    'is no command of its own': [
      ['gdb --args make deploy', 'make deploy'],
      ['ssh host make deploy', 'make deploy'],
      ['docker exec c make deploy', 'make deploy'],
      ['echo deploy | xargs make', 'make deploy'],
      ['python3 -c "import os; os.system(\'make deploy\')"', 'make deploy'],
      ["python3 -c \"import subprocess; subprocess.run(['make', 'deploy'])\"", 'make deploy'],
      ["psql -c 'EXPLAIN DELETE FROM t_a1'", 'DELETE FROM t_a1'],
      ['eval "make deploy"', 'make deploy'],
      ['echo "make deploy" | bash', 'make deploy'],
      ["grep -o 'make deploy' f | sh", 'make deploy'],
      ['echo "make deploy" > run.sh; bash run.sh', 'make deploy'],
      ['touch {a,b}.txt', 'touch b.txt'],
      ['X=deploy; make $X', 'make deploy'],
      ["patch -p1 <<'EOF'\n+++ b/a.conf\n+DEBUG=1\nEOF", 'echo DEBUG=1 >> a.conf'],
    ],
    'is a single plain word, or several commands of which one differs': [
      ['reboot', 'reboot'],
      ['frob deploy', 'deploy'],
      ['cd /app && make -j4 deploy', 'cd /app && make deploy'],
      ['make deploy && cd /app', 'cd /app && make deploy'],
    ],
    'is a name in any other command': [
      ['unheard a1-b2', 'a1-b2'],
      ['npm uninstall left-pad-pro', 'left-pad-pro'],
      ['echo mode=b1 >> other.conf', 'mode=b1'],
      ["sed -i 's/DEBUG=0/DEBUG=1/' f.conf", 'DEBUG=1'],
    ],
  },
  told: {
    'is only tried, as an option of its program says': [
      ['wget --spider https://x.example/a', 'wget https://x.example/a'],
      ['logrotate -d /etc/a.conf', 'logrotate /etc/a.conf'],
      ['gradle -m publish', 'gradle publish'],
      ['alembic upgrade head --sql', 'alembic upgrade head'],
    ],
    'is looked for or looked at': [
      ['grep -rn "make deploy" .', 'make deploy'],
      ["git log -p -S'make deploy'", 'make deploy'],
      ['find . | xargs grep "make deploy"', 'make deploy'],
      ["sed -n '/make deploy/p' f", 'make deploy'],
      ["awk '/make deploy/ {print}' f", 'make deploy'],
      ['test -x deploy.sh', 'deploy.sh'],
      ['cat deploy.sh | grep x 2>/dev/null', 'deploy.sh'],
      ['pip show a1-b2', 'a1-b2'],
      ['kubectl get pod a1-b2', 'a1-b2'],
    ],
    'is told': [
      ['echo "not running make deploy" >&2', 'make deploy'],
      ['echo "now; make deploy" 2>/dev/null', 'make deploy'],
      ["printf '%s\\n' 'make deploy' | cat", 'make deploy'],
      ['git commit -m "do not make deploy"', 'make deploy'],
      ['gh pr create --title T --body "ran make deploy"', 'make deploy'],
      ['cat <<EOF\nmake deploy\nEOF', 'make deploy'],
      ["echo '$(make deploy)'", 'make deploy'],
      ['ls # make deploy', 'make deploy'],
      ['# make deploy\nls', 'make deploy'],
    ],
    'never runs, or only shows what would be done': [
      ['false && make deploy', 'make deploy'],
      ['true || make deploy', 'make deploy'],
      ['make -n deploy', 'make deploy'],
      ['bash -n deploy.sh', 'deploy.sh'],
      ['git push --dry-run origin main', 'git push origin main'],
      ['kubectl apply --dry-run=client -f a.yml', 'kubectl apply -f a.yml'],
    ],
  },
}

for (const [use, tables] of Object.entries(TIERS))
  describe(`an anchor is ${use}`, () => {
    for (const [title, rows] of Object.entries(tables))
      describe(`where it ${title}`, () => {
        it.each(rows)('%j, %j', (script, anchor) => expect(readShell(script, 'shell', context).useOf(anchor)).toBe(use))
      })
  })

it.each<Row>([
  ['make test', 'make deploy'],
  ['wget https://x.example/a', 'curl https://x.example/a'],
  ['curl https://x.example/abc', 'curl https://x.example/a'],
  ['terraform plan', 'terraform apply'],
  ['echo X=1', 'echo X=1 >> f.conf'],
  ['echo X=1 >> g.conf', 'echo X=1 >> f.conf'],
])('%j does not have %j', (script, anchor) => {
  expect(readShell(script, 'shell', context).useOf(anchor)).toBe('absent')
})

describe('a message', () => {
  it.each([
    "git commit -am 'fix' -m 'Reviewed-by: Ada Bot'",
    "git commit -F - <<'EOF'\nfix\n\nReviewed-by: Ada Bot\nEOF",
  ])('may be the act of an instruction that asks for words: %s', (script) => {
    const useIn = (tells: boolean) => readShell(script, 'shell', { ...context, tells }).useOf('Reviewed-by: Ada Bot')
    expect(useIn(true)).toBe('maybe')
    expect(['told', 'maybe']).toContain(useIn(false))
  })
})
