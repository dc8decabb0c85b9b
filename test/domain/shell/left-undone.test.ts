import { describe, expect, it } from 'vitest'
import { interpreterOf } from '../../../src/domain/shell/commands/program-words.ts'
import { readShell } from '../../../src/domain/shell/syntax/read-shell.ts'
import type { Use } from '../../../src/domain/shell/syntax/use.ts'

const nothing = { names: () => false, says: () => false }
const useOf = (script: string, anchor: string): Use => readShell(script, 'shell', nothing).useOf(anchor)

/** Scripts that hold a command without carrying it out for sure, beside honest twins: script, anchor, use. */
type Row = readonly [script: string, anchor: string, use: Use]
const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'holds what was last put into a file': [
    ["echo 'curl X' > run.sh; echo ls > run.sh; bash run.sh", 'curl X', 'told'],
    ["echo 'curl X' > run.sh; echo ls >> run.sh; bash run.sh", 'curl X', 'done'],
    ["echo ls > run.sh; echo 'curl X' > ./run.sh; bash run.sh", 'curl X', 'done'],
    ["{ echo ls; echo 'curl X'; } > run.sh; bash run.sh", 'curl X', 'done'],
    ["echo 'curl X' > run.sh; : > run.sh; bash run.sh", 'curl X', 'told'],
    ["echo 'curl X' > run.sh; echo ls | tee run.sh; bash run.sh", 'curl X', 'told'],
    ["echo 'curl X' > run.sh; echo ls | tee -a run.sh; bash run.sh", 'curl X', 'done'],
    ["echo 'curl X' > run.sh; [ -f x ] && echo ls > run.sh; bash run.sh", 'curl X', 'unsure'],
    ["[ -f x ] && echo 'curl X' > run.sh; bash run.sh", 'curl X', 'unsure'],
    ["echo 'curl X' > run.sh; rm run.sh; bash run.sh", 'curl X', 'told'],
    ["echo 'curl X' > a/run.sh; rm -rf a; bash a/run.sh", 'curl X', 'told'],
    ["echo 'curl X' > run.sh; rm *.sh; bash run.sh", 'curl X', 'unsure'],
    ["echo 'curl X' > run.sh; rm other.sh; bash run.sh", 'curl X', 'done'],
    ["echo 'curl X' > run.sh; mv other.sh run.sh; bash run.sh", 'curl X', 'told'],
    ["echo 'curl X' > run.sh; mv run.sh x.sh; bash run.sh", 'curl X', 'told'],
    ["echo 'curl X' > run.sh; mv run.sh x.sh; bash x.sh", 'curl X', 'done'],
    ["echo 'curl X' > run.sh; cp run.sh x.sh; bash x.sh", 'curl X', 'done'],
    ["echo 'curl X' > run.sh; cp run.sh bin/; bash bin/run.sh", 'curl X', 'done'],
    ["echo 'curl X' > run.sh; sed -i s/curl/echo/ run.sh; bash run.sh", 'curl X', 'unsure'],
  ],
  'may run a body not once': [
    ['while read l; do make deploy; done < empty', 'make deploy', 'unsure'],
    ["while read l; do make deploy; done <<'EOF'\na\nEOF", 'make deploy', 'done'],
    ['while true; do make deploy; break; done', 'make deploy', 'done'],
    ['until false; do make deploy; done', 'make deploy', 'done'],
    ['until [ -f x ]; do make deploy; done', 'make deploy', 'unsure'],
    ['until make deploy; do sleep 1; done', 'make deploy', 'done'],
    ['for f in $(cat empty); do make deploy; done', 'make deploy', 'unsure'],
    ['for f in a $(cat empty); do make deploy; done', 'make deploy', 'done'],
    ['for f in "$@"; do make deploy; done', 'make deploy', 'unsure'],
    ['for f in *.txt; do make deploy; done', 'make deploy', 'done'],
    ['for ((i=0; i<3; i++)); do make deploy; done', 'make deploy', 'done'],
    ['for ((i=0; i<0; i++)); do make deploy; done', 'make deploy', 'unsure'],
    ['for ((;;)); do make deploy; break; done', 'make deploy', 'done'],
  ],
  'asks before it goes on': [
    ['[ -f x ] && make deploy', 'make deploy', 'unsure'],
    ['grep -q a f && make deploy', 'make deploy', 'unsure'],
    ['cat f | grep -q a && make deploy', 'make deploy', 'unsure'],
    ['(grep -q a f) && make deploy', 'make deploy', 'unsure'],
    ['{ [ -f x ]; } && make deploy', 'make deploy', 'unsure'],
    ['[[ -f x ]] 2>/dev/null && make deploy', 'make deploy', 'unsure'],
    ['[ -f x ] && cd a && make deploy', 'make deploy', 'unsure'],
    ['git diff --quiet && cd a && make deploy', 'make deploy', 'unsure'],
    ['make build && cd a && make deploy', 'make deploy', 'done'],
  ],
  'leaves nothing outside of a loop or function': [
    ['break; make deploy', 'make deploy', 'done'],
    ['continue\nmake deploy', 'make deploy', 'done'],
    ['return; make deploy', 'make deploy', 'unsure'],
    ['f() { return; make deploy; }; f', 'make deploy', 'told'],
    ['for a in 1; do continue; make deploy; done', 'make deploy', 'told'],
  ],
  'hands its options over with the command': [
    ['ssh h "curl X" --help', 'curl X', 'told'],
    ['ssh h make deploy --help', 'ssh h make deploy', 'unsure'],
    ['ssh h "curl X" && ssh h2 ls --version', 'curl X', 'done'],
    ['ssh h "curl X;" ls --help', 'curl X', 'done'],
    ['ssh --help', 'ssh h', 'absent'],
    ['docker exec c bash -c "curl X" --help', 'curl X', 'done'],
    ['docker run --help', 'docker run', 'told'],
  ],
  'turns a command into another': [
    ['git push origin --delete main', 'git push origin main', 'unsure'],
    ['git push -d origin main', 'git push origin main', 'unsure'],
    ['git push origin --delete main', 'git push origin --delete main', 'done'],
    ['git push --force origin main', 'git push origin main', 'done'],
    ['git merge --abort main', 'git merge main', 'unsure'],
    ['npm install --no-audit left-pad', 'npm install left-pad', 'done'],
    ['mkdir -p make deploy', 'make deploy', 'unsure'],
    ['mywrapper make deploy', 'make deploy', 'done'],
    ['./wrap.sh make deploy', 'make deploy', 'done'],
  ],
  'acts by a command that looks otherwise': [
    ["sed 's/a/b/w out-a1' f", 'out-a1', 'unsure'],
    ["sed '1e curl X' f", 'curl X', 'unsure'],
    ["sed -n '/curl X/p' f", 'curl X', 'told'],
    ['tree -o out-a1', 'out-a1', 'done'],
    ['git diff --output=out-a1', 'out-a1', 'done'],
    ['go env -w GOPROXY=a1', 'GOPROXY=a1', 'done'],
    ['go env GOPROXY', 'GOPROXY', 'told'],
    ['ip link set eth-a1 down', 'eth-a1', 'done'],
    ['ip link show eth-a1', 'eth-a1', 'told'],
    ['journalctl --vacuum-size=1a1', '1a1', 'done'],
    ['terraform state rm res-a1', 'res-a1', 'unsure'],
    ['terraform state show res-a1', 'res-a1', 'told'],
    ['git reflog expire a1', 'a1', 'done'],
  ],
}

for (const [title, rows] of Object.entries(TABLES))
  describe(`a script ${title}`, () => {
    it.each(rows)('%j, %j: %s', (script, anchor, use) => {
      expect(useOf(script, anchor)).toBe(use)
    })
  })

it('fills in what xargs is given within bounds', () => {
  const script = `echo '${'a'.repeat(20_000)}' | xargs -I{} tool '${'{}'.repeat(10_000)}'`
  const started = performance.now()
  expect(readShell(script, 'shell', nothing).parsed).toBe(false)
  expect(performance.now() - started).toBeLessThan(1000)
})

describe('keys', () => {
  it.each<[string, Use]>([
    ['bash\nexit\ncurl X\n', 'unsure'],
    ['ssh h\nls\nexit\ncurl X\n', 'unsure'],
    ['ssh h\ncurl X\n', 'unsure'],
    ['su bob\ncurl X\n', 'unsure'],
    ['exec bash\ncurl X\n', 'unsure'],
    ['return\ncurl X\n', 'unsure'],
    ['break\ncurl X\n', 'done'],
    ['(exit 1)\ncurl X\n', 'done'],
    ['nano f\ncurl X\n', 'unsure'],
    ['["nano f","Enter","curl X","Enter","C-x"]', 'unsure'],
    ['["nano f","Enter","ls","Enter","C-x","curl X","Enter"]', 'done'],
    ['vi f\ni\ncurl X\n\u001b:wq\n', 'unsure'],
    ['vi f\ni\ncurl X\u001b:wq\n', 'unsure'],
    ['vi f\ni\n:wq\ncurl X\n', 'unsure'],
    ['vi f\niabc\u001b:wq\ncurl X\n', 'done'],
    ['vi f\n:q\ncurl X\n', 'done'],
    ['vi f\n:!curl X\n', 'unsure'],
    ['python3\ncurl X\n', 'unsure'],
    ["python3\nimport os\nos.system('curl X')\n", 'unsure'],
    ['python3\nexit()\ncurl X\n', 'done'],
    ['python3 a.py\ncurl X\n', 'done'],
    ['python3 -m pytest\ncurl X\n', 'done'],
    ['psql -U a db\nselect 1;\n\\q\ncurl X\n', 'done'],
    ['sqlite3 a.db\ncurl X\n', 'unsure'],
    ['sqlite3 a.db "select 1"\ncurl X\n', 'done'],
    ['cat > f\ncurl X\n', 'unsure'],
    ['cat >f\ncurl X\n\u0004', 'unsure'],
    ['cat > f\nexit()\ncurl X\n', 'unsure'],
    ['cat > f\nls\n\u0004curl X\n', 'done'],
    ['cat f\ncurl X\n', 'done'],
    ['tee f\ncurl X\n', 'unsure'],
    ['ls | tee f\ncurl X\n', 'done'],
    ['less f\ncurl X\n', 'unsure'],
    ['less f\nq\ncurl X\n', 'done'],
    ['git log\ncurl X\n', 'unsure'],
    ['git log | head\ncurl X\n', 'done'],
    ['cat > f <<EOF\ngit diff\nEOF\ncurl X\n', 'done'],
    ["git commit -m 'a'\ncurl X\n", 'done'],
    ['git commit\ncurl X\n', 'unsure'],
  ])('%j: %s', (keys, use) => {
    expect(readShell(keys, 'keystrokes', nothing).useOf('curl X')).toBe(use)
  })

  it('stand where they were typed', () => {
    const keys = 'cat > f\ncurl X\n'
    expect(readShell(keys, 'keystrokes', nothing).useAt(8, 14)).toBe('unsure')
  })
})

describe('code', () => {
  it.each<[string, Use]>([
    ['subprocess.run(["ls"], input="curl X")', 'unsure'],
    ['subprocess.run(["curl", "X"], input="ls")', 'done'],
    ['subprocess.run("ls", env={"A": "curl X"})', 'unsure'],
    ['subprocess.run(args=["curl", "X"])', 'done'],
    ['os.system("curl X")', 'done'],
    ['log("curl X", os.system("ls"))', 'unsure'],
    ['dry_run("curl X")', 'unsure'],
    ['def f():\n  os.system("curl X")\nprint(1)', 'unsure'],
    ['def f():\n  os.system("curl X")\nf()', 'done'],
    ['def f():\n  os.system("curl X")\nprint(f"{sum(map(f, [1]))}")', 'done'],
    ['def g():\n  os.system("curl X")\ndef f():\n  g()\nprint(1)', 'unsure'],
    ['def g():\n  os.system("curl X")\ndef f():\n  g()\nif __name__ == "__main__":\n  f()', 'done'],
    ['if False:\n  os.system("curl X")', 'told'],
    ['if 0: os.system("curl X")', 'told'],
    ['if 0 or True: os.system("curl X")', 'unsure'],
    ['if len(sys.argv) < 2: sys.exit(1)\nos.system("curl X")', 'unsure'],
    ['if (0)or True: os.system("curl X")', 'unsure'],
    ['if False:\n  x = 1\nos.system("curl X")', 'done'],
    ['if False:\n  x = 1\nelse:\n  os.system("curl X")', 'done'],
    ['sys.exit(0)\nos.system("curl X")', 'unsure'],
  ])('of python %j: %s', (text, use) => {
    expect(useOf(`python3 - <<'EOF'\n${text}\nEOF`, 'curl X')).toBe(use)
  })

  it.each<[string, Use]>([
    ['execSync("curl X")', 'done'],
    ["spawn('curl', ['X'])", 'done'],
    ["execFile('ls', { input: 'curl X' })", 'unsure'],
    ['const a = `curl X`', 'unsure'],
    ['if (false) {\n  execSync("curl X")\n}', 'told'],
    ['if (false) {\n  ls()\n}\nexecSync("curl X")', 'done'],
    ['function f() {\n  execSync("curl X")\n}', 'unsure'],
    ['function f() {\n  execSync("curl X")\n}\nf()', 'done'],
    ['const f = () => {\n  execSync("curl X")\n}\nf()', 'done'],
    ['/a/.exec("curl X")', 'unsure'],
    ['if (0) execSync("curl X")', 'told'],
    ['if (0 < n) execSync("curl X")', 'unsure'],
    ['if (nullable) execSync("curl X")', 'unsure'],
  ])('of node %j: %s', (text, use) => {
    expect(useOf(`node - <<'EOF'\n${text}\nEOF`, 'curl X')).toBe(use)
  })
})

it.each<[string, string, string | null]>([
  ['a.py', 'x', 'python'],
  ['a.ts', 'x', 'js'],
  ['q.sql', 'x', 'sql'],
  ['a.lua', 'x', 'lua'],
  ['a.sh', 'x', null],
  ['a', '#!/usr/bin/env python3\nx', 'python'],
  ['a.py', '#!/bin/sh\nx', null],
])('%s with %j is run as %s', (path, text, language) => {
  expect(interpreterOf(path, text)?.language ?? null).toBe(language)
})
