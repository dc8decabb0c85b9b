import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readContent, readShell } from '../../../src/domain/shell/syntax/read-shell.ts'
import type { Taken, Use } from '../../../src/domain/shell/syntax/use.ts'
import { hostileText } from '../hostile-text.ts'

const ANCHOR = 'make deploy'
const nothing = { names: () => false, says: () => false }
const named = (...names: readonly string[]) => ({
  names: (path: string) => names.some((name) => path.endsWith(name)),
  says: () => false,
})
const useOf = (script: string, anchor = ANCHOR): Use => readShell(script, 'shell', nothing).useOf(anchor)

describe('argv', () => {
  it.each<[readonly string[], string, Use]>([
    [['rg', '-n', 'make deploy', '.'], ANCHOR, 'told'],
    [['make', 'deploy'], ANCHOR, 'done'],
    [['bash', '-lc', 'make deploy'], ANCHOR, 'done'],
    [['bash', '-lc', 'rg "make deploy"'], ANCHOR, 'told'],
    [['git', 'commit', '-m', 'make deploy'], ANCHOR, 'told'],
    [['echo', '$(make deploy)'], ANCHOR, 'told'],
    [['sh', '-c', 'echo DEBUG=1 >> f.conf'], 'DEBUG=1', 'done'],
  ])('%j, %j: %s', (words, anchor, use) => {
    expect(readShell(JSON.stringify(words), 'argv', nothing).useOf(anchor)).toBe(use)
  })
})

describe('keystrokes', () => {
  it.each<[string, Use]>([
    ['make deploy\n', 'done'],
    ['make deploy\r', 'done'],
    ['make deploy', 'told'],
    ['make deploy\u0003', 'told'],
    ['make deploy\u0015ls\n', 'told'],
    ['make deployx\u007f\n', 'done'],
    ['make deploy\u0017test\n', 'told'],
    ['["make deploy", "C-c"]', 'told'],
    ['["make deploy", "Enter"]', 'done'],
    ['["make deploy", "C-u", "ls", "Enter"]', 'told'],
    ['less f\n/make deploy\nq', 'told'],
    ['echo "make deploy"\n', 'told'],
    ['make deploy\ncat > f <<EOF\nabc\n', 'done'],
  ])('%j: %s', (keys, use) => {
    expect(readShell(keys, 'keystrokes', nothing).useOf(ANCHOR)).toBe(use)
  })
})

describe('a command that looks', () => {
  it.each([
    ['cat ~/.ssh/a1 | head -1', true],
    ['cd /x && grep -n key ~/.ssh/a1', true],
    ['[ -f ~/.ssh/a1 ]', false],
    ['echo ~/.ssh/a1', false],
    ['ls # cat ~/.ssh/a1', false],
    ['false && cat ~/.ssh/a1', false],
    ['rm ~/.ssh/a1', false],
  ])('%j looks at it: %s', (script, looks) => {
    expect(readShell(script, 'shell', nothing).looksAt('~/.ssh/a1')).toBe(looks)
  })
})

describe('content of files', () => {
  it.each<[string, string | null, string, Use]>([
    ['DEBUG=1\n', 'app.conf', 'DEBUG=1', 'done'],
    ['DEBUG=1 was not set\n', 'REPORT.md', 'DEBUG=1', 'unsure'],
    ['I did not run make deploy\n', 'REPORT.md', ANCHOR, 'told'],
    ['I ran make deploy\n', 'NOTES.md', ANCHOR, 'done'],
    ['make deploy\n', 'run.sh', ANCHOR, 'told'],
    // A script that is only written: the string may be what was to be called.
    ['post https://x.example/a1\n', 'run.sh', 'https://x.example/a1', 'unsure'],
    ['X=a1\n', 'run.sh', 'X=a1', 'unsure'],
    ['#!/bin/sh\nrotate --all\n', 'bin/rotate-all', 'rotate --all', 'unsure'],
    ["post('https://x.example/a1')\n", 'run.py', 'https://x.example/a1', 'unsure'],
    // What is being built: to write the name into it is the act.
    ["VERSION = 'a1-beta'\n", 'run.py', 'a1-beta', 'unsure'],
    ["const api = 'https://x.example/a1'\n", 'src/api.ts', 'https://x.example/a1', 'unsure'],
    ['API=https://x.example/a1\n', '.env', 'https://x.example/a1', 'unsure'],
    ['I ran https://x.example/a1\n', 'NOTES.md', 'https://x.example/a1', 'done'],
    ['all:\n\tmake deploy\n', 'Makefile', ANCHOR, 'unsure'],
    ['# DEBUG=1 was asked for\nX=1\n', 'settings.py', 'DEBUG=1', 'unsure'],
    ['DEBUG=1\n', null, 'DEBUG=1', 'done'],
    ['nothing\n', 'app.conf', 'DEBUG=1', 'absent'],
    ['a\nX=1\n', 'f.conf', 'echo X=1 >> f.conf', 'done'],
  ])('%j in %j, %j: %s', (content, target, anchor, use) => {
    expect(readContent(content, target, named('NOTES.md')).useOf(anchor)).toBe(use)
  })
})

describe('what stands at a place', () => {
  it.each<[string, string, Taken]>([
    ['ls\n# make deploy\n', ANCHOR, 'told'],
    ['ls\nmake deploy\n', ANCHOR, 'done'],
    ['echo "make deploy"', ANCHOR, 'told'],
    ['grep -rn "make deploy" .', ANCHOR, 'told'],
    ['git commit -m "make deploy"', ANCHOR, 'told'],
    ['git commit -m "make deploy"', 'git commit', 'done'],
    ['bash -c "make deploy"', ANCHOR, 'done'],
    ["ssh host 'ls; make deploy'", ANCHOR, 'done'],
    ['false && make deploy', ANCHOR, 'told'],
    ['exit\nmake deploy', ANCHOR, 'told'],
    ["cat > f.conf <<'EOF'\nmake deploy\nEOF", ANCHOR, 'done'],
    ["cat <<'EOF'\nmake deploy\nEOF", ANCHOR, 'told'],
    ["bash <<'EOF'\nls\n# make deploy\nEOF", ANCHOR, 'told'],
    ["bash <<'EOF'\nls\nmake deploy\nEOF", ANCHOR, 'done'],
    ['if [ -f x ]; then make deploy; fi', ANCHOR, 'unsure'],
  ])('%j, %j: %s', (script, quote, use) => {
    const start = script.indexOf(quote)
    expect(readShell(script, 'shell', nothing).useAt(start, start + quote.length)).toBe(use)
  })
})

test('tells which files it runs and writes', () => {
  const reading = readShell(
    'bash a.sh; ./b; python3 c.py; source d; sh < e; cat f.sh | bash; make -f F x; echo hi > g.txt',
    'shell',
    nothing,
  )
  expect(reading.runs).toEqual(['a.sh', './b', 'c.py', 'd', 'e', 'f.sh', 'F'])
  expect(reading.writes).toEqual([{ path: 'g.txt', text: 'hi\n', use: 'done' }])
})

const DOING = [
  'make deploy',
  'ls; make deploy',
  'echo "make deploy" | bash',
  'bash -c "make deploy"',
  'f() { make deploy; }; f',
] as const
const NOT_DOING = [
  'ls',
  'grep "make deploy" f',
  'echo make deploy',
  '# make deploy',
  'false && make deploy',
  'cat a > b',
] as const

describe('laws', () => {
  it.each(NOT_DOING)('%j stays not done with a comment and an echo of the anchor', (script) => {
    for (const line of [`# ${ANCHOR}`, `echo "${ANCHOR}"`, `echo '${ANCHOR}' >&2`, `: "${ANCHOR}"`])
      for (const all of [`${line}\n${script}`, `${script}\n${line}`]) expect(useOf(all)).not.toBe('done')
  })

  it.each(DOING)('%j stays done with more around it', (script) => {
    for (const all of [
      `set -x\n${script}`,
      `cd /app && ${script}`,
      `# note\n${script}\nls`,
      `${script}  # note`,
      `(${script})`,
      `{ ${script}; } > log`,
    ])
      expect(useOf(all)).toBe('done')
  })

  it('holds for blanks, quotes, options and wrappers', () => {
    const word = (text: string) =>
      fc.constantFrom(text, `"${text}"`, `'${text}'`, `${text.slice(0, 1)}''${text.slice(1)}`)
    const gap = fc.constantFrom(' ', '  ', '\t', ' \\\n ', ' -k ', ' -j 4 ')
    const wrapper = fc.constantFrom(
      '',
      'sudo ',
      'sudo -E ',
      'env A=1 ',
      'time ',
      'nohup ',
      'nice -n 5 ',
      'timeout 9 ',
      'A=b ',
      'command ',
    )
    fc.assert(
      fc.property(wrapper, word('make'), gap, word('deploy'), (before, first, between, second) => {
        expect(useOf(`${before}${first}${between}${second}`)).toBe('done')
      }),
    )
  })

  it('reads hostile text without throwing, and takes a comment in it for no act', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (before, after) => {
        const reading = readShell(`${before}\n# make deploy-7f3a\n${after}`, 'shell', nothing)
        expect(reading.useOf('make deploy-7f3a')).not.toBe('done')
        expect(reading.useAt(0, 5)).toBeDefined()
        expect(readShell(before, 'keystrokes', nothing).useOf('make deploy-7f3a')).not.toBe('done')
      }),
      { numRuns: 300 },
    )
  })
})

/** 200 KB each; twice the size must not take four times as long, and none may come near a minute on a busy machine. */
describe('hostile scripts', () => {
  const of = (piece: string): string => piece.repeat(Math.ceil(200_000 / piece.length))
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
  ])('%j is read in time', (piece) => {
    const started = performance.now()
    const reading = readShell(of(piece), 'shell', nothing)
    for (let at = 0; at < 40; at++) reading.useOf(`make deploy-${at}`)
    expect(reading.useOf('make deploy-7f3a')).not.toBe('done')
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('does not read more than fits, and says so', () => {
    const reading = readShell(`make deploy\n${'x'.repeat(2_000_000)}`, 'shell', nothing)
    expect(reading.parsed).toBe(false)
    expect(reading.useOf(ANCHOR)).toBe('unsure')
    expect(reading.useOf('never there')).toBe('absent')
  })
})
