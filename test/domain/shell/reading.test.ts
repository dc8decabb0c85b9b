import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readShell } from '../../../src/domain/shell/read-shell.ts'
import { type Certainty, rankOf, type Use } from '../../../src/domain/shell/script.ts'
import { readContent, readEdit } from '../../../src/domain/shell/written-text.ts'
import { hostileText } from '../hostile-text.ts'
import { expectLinear } from '../linear-work.ts'

const ANCHOR = 'make deploy'
const nothing = { names: () => false, says: () => false, isGiven: () => false }
const named = { names: (path: string) => path.endsWith('NOTES.md'), says: () => false, isGiven: () => false }
const useOf = (script: string, anchor = ANCHOR): Use => readShell(script, 'shell', nothing).useOf(anchor)

it.each<[readonly string[], Use]>([
  [['make', 'deploy'], 'whole'],
  [['bash', '-lc', 'make deploy'], 'whole'],
  [['bash', '-lc', 'cd a; (make deploy)'], 'sure'],
  [['bash', '-ec', 'make deploy'], 'maybe'],
  [['rg', '-n', 'make deploy', '.'], 'told'],
  [['bash', '-lc', 'rg "make deploy"'], 'told'],
  [['echo', '$(make deploy)'], 'told'],
])('the argv %j: %s', (words, use) => {
  expect(readShell(JSON.stringify(words), 'argv', nothing).useOf(ANCHOR)).toBe(use)
})

it.each<[string, Use]>([
  ['make deploy\n', 'sure'],
  ['make deploy\r', 'sure'],
  ['["make deploy", "Enter"]', 'sure'],
  ['cat > f <<EOF\ngit diff\nEOF\nmake deploy\n', 'sure'],
  ["git commit -m 'a'\nmake deploy\n", 'sure'],
  ['make deploy\nvi f\n', 'sure'],
  ['make deploy', 'told'],
  ['make deploy\u0003', 'told'],
  ['make deploy\u0015ls\n', 'told'],
  ['["make deploy", "C-c"]', 'told'],
  ['echo "make deploy"\n', 'told'],
  ['make depoy\b\bloy\n', 'maybe'],
  ['vi f\nimake deploy\u001b:wq\n', 'maybe'],
  ['["nano f","Enter","make deploy","Enter","C-x"]', 'maybe'],
  ['less f\n/make deploy\nq', 'maybe'],
  ['python3\nmake deploy\n', 'maybe'],
  ['sqlite3 a.db\nmake deploy\n', 'maybe'],
  ['cat > f\nmake deploy\n', 'maybe'],
  ['ssh h\nmake deploy\n', 'maybe'],
  ['git log\nmake deploy\n', 'maybe'],
  ['git commit\nmake deploy\n', 'maybe'],
  ['crontab -e\nmake deploy\n', 'maybe'],
  ['["Up","Enter","make deploy","Enter"]', 'maybe'],
])('the keys %j: %s', (keys, use) => {
  expect(readShell(keys, 'keystrokes', nothing).useOf(ANCHOR)).toBe(use)
})

it.each<['code' | 'javascript', string, Use]>([
  ['code', 'os.system("make deploy")', 'maybe'],
  ['code', 'subprocess.run(["make", "deploy"])', 'maybe'],
  ['code', '# make deploy\nx = 1', 'told'],
  ['code', 'print(1)', 'absent'],
  ['javascript', 'execSync(`make ` + target)', 'maybe'],
  ['javascript', '// make deploy\n', 'told'],
])('%s %j: %s', (language, code, use) => {
  expect(readShell(code, language, nothing).useOf(ANCHOR)).toBe(use)
})

it.each([
  ['cat ~/.ssh/a1 | head -1', true],
  ['cd /x && grep -n key ~/.ssh/a1', true],
  ['[ -f ~/.ssh/a1 ]', false],
  ['echo ~/.ssh/a1', false],
  ['ls # cat ~/.ssh/a1', false],
  ['false && cat ~/.ssh/a1', false],
  ['rm ~/.ssh/a1', false],
])('%j looks at the file: %s', (script, looks) => {
  expect(readShell(script, 'shell', nothing).looksAt('~/.ssh/a1')).toBe(looks)
})

it.each<[string, string | null, string, Use]>([
  ['DEBUG=1 was not set\n', 'REPORT.md', 'DEBUG=1', 'maybe'],
  ['I did not run make deploy\n', 'REPORT.md', ANCHOR, 'told'],
  ['I ran make deploy\n', 'NOTES.md', ANCHOR, 'sure'],
  ['make deploy\n', 'run.sh', ANCHOR, 'told'],
  ['#!/bin/sh\nmake deploy\n', 'bin/run', ANCHOR, 'told'],
  ["post('https://x.example/a1')\n", 'run.py', 'https://x.example/a1', 'maybe'],
  ['all:\n\tmake deploy\n', 'Makefile', ANCHOR, 'maybe'],
  ['DEBUG=1\n', 'app.conf', 'DEBUG=1', 'maybe'],
  ['# DEBUG=1 was asked for\nX=1\n', 'settings.py', 'DEBUG=1', 'maybe'],
  ['DEBUG=1\n', null, 'DEBUG=1', 'sure'],
  ['nothing\n', 'app.conf', 'DEBUG=1', 'absent'],
  ['a\nX=1\n', 'f.conf', 'echo X=1 >> f.conf', 'sure'],
])('%j in %j, %j: %s', (content, target, anchor, use) => {
  expect(readContent(content, target, named).useOf(anchor)).toBe(use)
})

it.each<[string, string, Use]>([
  ['a1-b2\nx', 'x', 'sure'],
  ['a1-b2\nx', 'a1-b2 y\nx', 'maybe'],
  ['a1-b2\nx', 'a1-b2\ny', 'absent'],
])('an edit that puts %j in place of %j: %s', (text, old, use) => {
  expect(readEdit([text], [old], 'NOTES.md', named).map((content) => content.useOf('a1-b2'))).toEqual([use])
})

it.each<[string, string, Certainty]>([
  ['ls\n# make deploy\n', ANCHOR, 'told'],
  ['ls\nmake deploy\n', ANCHOR, 'whole'],
  ['echo "make deploy"', ANCHOR, 'told'],
  ['git commit -m "make deploy"', ANCHOR, 'told'],
  ['git commit -m "make deploy"', 'git commit', 'whole'],
  ['bash -c "make deploy"', ANCHOR, 'sure'],
  ['false && make deploy', ANCHOR, 'told'],
  ['exit\nmake deploy', ANCHOR, 'maybe'],
  ["cat <<'EOF'\nmake deploy\nEOF", ANCHOR, 'told'],
  ["cat > f.conf <<'EOF'\nmake deploy\nEOF", ANCHOR, 'maybe'],
  ["bash <<'EOF'\nls\nmake deploy\nEOF", ANCHOR, 'sure'],
  ['if [ -f x ]; then make deploy; fi', ANCHOR, 'maybe'],
  ['make deploy\nfor a in b; do ls; done', ANCHOR, 'whole'],
])('in %j the range of %j: %s', (script, quote, use) => {
  const start = script.indexOf(quote)
  expect(readShell(script, 'shell', nothing).useAt(start, start + quote.length)).toBe(use)
})

it.each([
  ['rm -r build', true],
  ["r''m -r build && ls | wc", true],
  ['make deploy', false],
  ['just deploy', false],
  ['S=swa; "$S"poff -a', false],
  ['swap?ff -a', false],
  ['sed -n 3p notes | bash', false],
  ['./fix.sh', false],
  ['if make deploy', false],
])('all words of %j are known: %s', (script, isPlain) =>
  expect(readShell(script, 'shell', nothing).isPlain).toBe(isPlain),
)

test('files that a script runs and writes', () => {
  const runs = 'bash a.sh; ./b; python3 c.py; source d; sh < e; cat f.sh | bash; make -f F x; curl -d "$(cat g)" u'
  expect(readShell(runs, 'shell', nothing).runs).toEqual(['a.sh', './b', 'c.py', 'd', 'e', 'f.sh', 'F', 'g'])
  const none = "cat a.sh | grep x; bash -c 'ls'; psql app -c 'select 1'; python3 -c 'x()'; make deploy"
  expect(readShell(none, 'shell', nothing).runs).toEqual([])
  const writes = 'echo hi > g.txt; ls | tee -a h 2>&1; { ls; } >> i; sort -o j k'
  expect(readShell(writes, 'shell', nothing).outputs).toEqual(['g.txt', 'h', 'i'])
  expect(readShell("import b\nexec(open('c/d.py').read())", 'code', nothing).runs).toEqual(['d.py'])
})

const NOT_DOING = [
  'ls',
  'grep "make deploy" f',
  'echo make deploy',
  '# make deploy',
  'false && make deploy',
  'cat a > b',
]

describe('laws', () => {
  it.each(NOT_DOING)('%j stays not done with a comment and an echo of the anchor', (script) => {
    for (const line of [`# ${ANCHOR}`, `echo "${ANCHOR}"`, `echo '${ANCHOR}' >&2`, `: "${ANCHOR}"`])
      for (const all of [`${line}\n${script}`, `${script}\n${line}`])
        expect(rankOf(useOf(all))).toBeLessThan(rankOf('sure'))
  })

  it.each<[string, Use]>([
    ['make deploy', 'whole'],
    ['ls; make deploy', 'whole'],
    ['bash -c "make deploy"', 'sure'],
  ])('%j stays %s with more around it', (script, use) => {
    for (const all of [`cd /app && ${script}`, `# note\n${script}\nls`, `${script}  # note`])
      expect(useOf(all)).toBe(use)
    for (const all of [`(${script})`, `{ ${script}; } > log`]) expect(useOf(all)).toBe('sure')
  })

  it('holds for blanks, quotes and wrappers', () => {
    const word = (text: string) =>
      fc.constantFrom(text, `"${text}"`, `'${text}'`, `${text.slice(0, 1)}''${text.slice(1)}`)
    const gap = fc.constantFrom(' ', '  ', '\t', ' \\\n ')
    const wrapper = fc.constantFrom('', 'sudo ', 'sudo -E ', 'env A=1 ', 'nohup ', 'nice -n 5 ', 'timeout 9 ', 'A=b ')
    fc.assert(
      fc.property(wrapper, word('make'), gap, word('deploy'), (before, first, between, second) => {
        expect(useOf(`${before}${first}${between}${second}`)).toBe(before === '' ? 'whole' : 'sure')
      }),
    )
  })

  it('reads hostile text without throwing, and takes a comment in it for no act', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (before, after) => {
        const reading = readShell(`${before}\n# make deploy-7f3a\n${after}`, 'shell', nothing)
        expect(rankOf(reading.useOf('make deploy-7f3a'))).toBeLessThan(rankOf('sure'))
        expect(reading.useAt(0, 5)).toBeDefined()
        expect(rankOf(readShell(before, 'keystrokes', nothing).useOf('make deploy-7f3a'))).toBeLessThan(rankOf('sure'))
      }),
      { numRuns: 300 },
    )
  })
})

/** 200 KB each. */
describe('hostile scripts', () => {
  it.each([
    '(',
    '$(',
    '"$(',
    '`',
    "'",
    '"',
    '{ ',
    '${a:-',
    '$((',
    'if a; then ',
    'case x in a) ',
    'f() ',
    'a|',
    'a&&',
    '>',
    '<(',
    '\\\n',
    '! ',
    "$'",
    'a[',
    '@(',
    '`\\`',
    '$(cat <<A\n',
    '<<A ',
    'eval ',
    "bash -c '",
    'echo ls >> f\nbash f\n',
    'echo aaa > f\ncat f >> f\n',
    'a=$a$a\n',
    'f(){ f|f& }; f\n',
    'for a in 1 2 3 4 5 6 7 8; do ',
    'curl http://x\n',
    "python <<'E'\n[",
    'sed -i s/a/b/ f\n',
    'a | tee f | ',
    'a;',
    'make deploy\n',
  ])('%j is read in time that grows with it', (piece) => {
    expectLinear(
      (size) => piece.repeat(size),
      (script) => {
        const reading = readShell(script, 'shell', nothing)
        for (let at = 0; at < 40; at++) reading.useOf(`make deploy-${at}`)
        expect(rankOf(reading.useOf('make deploy-7f3a'))).toBeLessThan(rankOf('sure'))
      },
      200_000 / piece.length,
    )
  })

  it('does not read more than fits, and says so', () => {
    const reading = readShell(`make deploy\n${'x'.repeat(2_000_000)}`, 'shell', nothing)
    expect(reading.useOf(ANCHOR)).toBe('maybe')
    expect(reading.useOf('never there')).toBe('absent')
  })
})
