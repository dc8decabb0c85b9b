import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import { parseCount, parseDollars, parseSamples } from '../../src/cli/options.ts'
import { parseValues } from '../../src/cli/output/results-format.ts'
import { asTyped, explain, printError, programName, shellWord } from '../../src/cli/shell.ts'
import { ServiceError } from '../../src/client/errors.ts'
import { StorageError } from '../../src/db/errors.ts'
import { tempFolder } from '../temp-folder.ts'
import { realCommand } from './real-command.ts'
import { testShell, typed } from './test-shell.ts'

test.each([
  ['a cap', parseDollars, '0.50', 0.5],
  ['a cap without a zero', parseDollars, '.5', 0.5],
  ['a count', parseCount, '20', 20],
  ['samples', parseSamples, '3', 3],
] as const)('%s is read', (_name, parse, text, n) => expect(parse(text)).toBe(n))

test.each(['0x10', '0b1', '1e1', '+5', ' ', '', '5.', '１'])('a number is decimal digits, and not %j', (text) => {
  for (const parse of [parseDollars, parseCount, parseSamples]) expect(() => parse(text)).toThrow(/^It is a /)
  expect(() => parseValues(`aligned=${text}`)).toThrow('with a number')
})

test('values of labels may be below zero', () => expect(parseValues('aligned=-.5').get('aligned')).toBe(-0.5))

test('a command says on stderr which variable there is not, and does its work', async () => {
  const { run } = realCommand({ VERIDICT_MAX_COST_USD_PERDAY: '5', VERIDICT_LAUNCHER: 'veridict' })
  const { code, out, err } = await run('judges', '--json')
  expect([code, err.split('\n')[0]]).toEqual([
    0,
    'warning  VERIDICT_MAX_COST_USD_PERDAY is no variable of Veridict, and is ignored: is VERIDICT_MAX_COST_USD_PER_DAY meant?',
  ])
  expect(out).toContain('lexical')
})

test('a judge of a line that is not there is told with its place', () => {
  const errors = [{ path: 'f.ndjson#line 301 /judge', message: 'configured judges: lexical' }]
  const error = new ServiceError(400, { code: 'unknown_judge', detail: 'there is no such judge: nope', errors })
  expect(explain(error)).toMatchObject({
    message: 'there is no such judge: nope',
    advice: ['f.ndjson#line 301 /judge  configured judges: lexical', expect.stringContaining('veridict judges')],
  })
})

test.each([
  ['no such rubric', '/items/0/rubric', 'loaded rubrics: a@1', ['loaded rubrics: a@1']],
  ['no batch endpoint', '/mode', 'no batch endpoint', []],
])('an option that was typed is told once, without a place of HTTP: %s', (detail, path, message, advice) => {
  const error = new ServiceError(400, { code: 'invalid_request', detail, errors: [{ path, message }] })
  expect(explain(error)).toMatchObject({ message: detail, advice })
})

test.each([
  ['invalid_request', 'the ground truth is not what injection@1 wants to know of a trial', 'batch PATH -g FILE'],
  ['invalid_request', 'there is no such path; /openapi.json lists what there is', '--server takes the address'],
  ['not_found', 'there is no such grade: grd_x', '`veridict results BATCH`'],
  ['batch_not_ended', 'bat_01 has not ended', '`veridict status BATCH --follow`'],
  ['not_regraded', '1 trial without a grade that is newer', '`veridict regrade --batch BATCH -c refresh`'],
])('%s, %s: the next step is named', (code, detail, advice) => {
  const error = new ServiceError(400, { code, detail, errors: [] })
  expect(explain(error).advice).toEqual([expect.stringContaining(advice)])
})

const npm = { npm_lifecycle_event: 'veridict' }
test.each([
  ['on the PATH', {}, '/usr/bin/veridict', '/home/me', 'veridict'],
  ['the launcher', {}, '/p/bin/veridict.cjs', '/p', 'node bin/veridict.cjs'],
  ['the launcher, from below', {}, '/p/bin/veridict.cjs', '/p/jobs', 'node ../bin/veridict.cjs'],
  ['far away', {}, '/p/bin/veridict.cjs', '/home/me/a/b', 'node /p/bin/veridict.cjs'],
  ['by an old Node.js', { VERIDICT_LAUNCHER: '/p/bin/veridict.cjs' }, '/p/src/cli.ts', '/p', 'node bin/veridict.cjs'],
  ['npm', npm, '/p/src/cli.ts', '/p', 'npm run --silent veridict --'],
  ['npm, from below', npm, '/p/src/cli.ts', '/p/jobs', 'npm run --silent veridict --'],
  ['npm --prefix', npm, '/p/src/cli.ts', '/home', 'npm --prefix ../p run --silent veridict --'],
  ['a launcher in a folder with a space', {}, '/p/my tools/veridict.cjs', '/p', "node 'my tools/veridict.cjs'"],
  ['another npm script', { npm_lifecycle_event: 'test' }, '/p/src/cli.ts', '/p', 'node src/cli.ts'],
])('%s', (_name, env, script, typedIn, said) => {
  expect(programName({ env, script, cwd: '/p', typedIn })).toBe(said)
})

test('only commands of ours are put in its place', () => {
  const shell = { program: 'node x.cjs' }
  expect(asTyped(shell, 'veridict: see `veridict status`; is this a veridict service?')).toBe(
    'veridict: see `node x.cjs status`; is this a veridict service?',
  )
})

test('every command is put in its place', () => {
  const text = Object.keys(COMMANDS)
    .map((name) => `veridict ${name} x`)
    .join('\n')
  expect(asTyped({ program: 'node x.cjs' }, text)).not.toContain('veridict')
})

/** Runs a command line as a shell does, with `veridict` as a program that prints its words. */
const wordsOf = (line: string, setting = 'NONE'): string[] =>
  execFileSync('sh', ['-c', `veridict() { printf '%s\\n' "$${setting}" "$@"; }; ${line}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

test.each(['plain-1.0@2', 'two words', "it's", '$(touch x) `y` "z" \\', '*', '~', 'a;b&c|d<e>f#', ''])(
  'a shell reads the word %j back',
  (word) => expect(wordsOf(`veridict ${shellWord(word)} end`)).toEqual(['', word, 'end']),
)

test('the lines of `rubric new` can be pasted, whatever the name of the folder', async () => {
  const folder = `${tempFolder()}/it's $HOME & mine`
  const first = await typed({}, 'rubric', 'new', 'mine', '--in', folder)
  const lines = first.out.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []))
  expect(lines.map((line) => wordsOf(line, 'VERIDICT_RUBRICS').slice(0, 4))).toEqual([
    ['', 'rubric', 'check', `${folder}/mine@1`],
    ['', 'rubric', 'test', `${folder}/mine@1`],
    [`${folder}/mine@1`, 'grade', 'RUN', '-g'],
  ])
  const again = await typed({}, 'rubric', 'new', 'mine', '--in', folder)
  const line = again.err.slice(again.err.indexOf('veridict rubric'))
  expect(wordsOf(line)).toEqual(['', 'rubric', 'new', 'mine@2', '--in', folder])
})

/** Values of printed command lines that are plain words as they are: ids, and `flag`, whose address is quoted. */
const PLAIN_VALUES = /^(?:id|word|another|(?:begun|batch)\.id|(?:session\.)?flag|.*shellWord\(.*)$/

test('every printed command line quotes the words of users', () => {
  const inserted = globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/[`:] ?veridict [a-z-]+ [^\n]*/g)].flatMap(([line]) => {
      const [command = ''] = line.split(/\\`|`[,)\]]/, 1)
      return [...command.matchAll(/\$\{([^}]*)\}/g)].map(([, value = '']) => `${file}: ${value}`)
    }),
  )
  expect(inserted.length).toBeGreaterThan(5)
  expect(inserted.filter((line) => !PLAIN_VALUES.test(line.split(': ')[1] ?? ''))).toEqual([])
})

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })

test.each([
  ['a file', full, 'a file cannot be written: the disk is full'],
  [
    'a named file',
    Object.assign(Object.create(full) as Error, { path: '/t/x' }),
    '/t/x cannot be written: the disk is full',
  ],
])('a full disk is told with the file, and no other place is blamed: %s', (_name, error, message) => {
  expect(explain(error)).toMatchObject({ message, advice: [expect.stringMatching(/^Make room on that disk/)] })
})

test('a full disk under the results names their file', async () => {
  const shell = testShell()
  const { openOutput } = await import('../../src/cli/output/screen.ts')
  const target = await openOutput(shell, '/dev/full')
  await target.write('x')
  await expect(target.commit()).rejects.toMatchObject({
    message: '/dev/full cannot be written: the disk is full',
    advice: [expect.stringMatching(/^Make room on that disk/)],
  })
  await target.discard()
})

test('a full disk under the database names its file, and the way on', () => {
  const shell = testShell({ env: { VERIDICT_DATABASE: '/t/v.sqlite' } })
  printError(shell, new StorageError('storage_full', 'the disk of the database is full'))
  expect(shell.errors()).toMatch(
    /the database is full\n {2}The database is \/t\/v\.sqlite .*\n {2}Make room on that disk/,
  )
})
