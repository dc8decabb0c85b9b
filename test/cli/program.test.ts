import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import { helpOf } from '../../src/cli/session.ts'
import { runNode } from '../run-to-end.ts'
import { tempFolder } from '../temp-folder.ts'
import { typedLine } from './real-command.ts'
import { testShell } from './test-shell.ts'

/** What belongs to no single command. */
const inFolder = (env: NodeJS.ProcessEnv) => ({ VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite'), ...env })
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => typedLine(args, inFolder(env))
const runAlone = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runNode(['src/cli.ts', ...args], inFolder(env))

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(await runAlone(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test('the help of every command has its exit codes, and its short options stand for the same long ones', async () => {
  const made = await Promise.all(Object.values(COMMANDS).map(async (load) => (await load())(testShell())))
  const all = made.flatMap((command) => [command, ...command.commands])
  const titles = all.map((command) => `${command.parent?.name() ?? ''} ${command.name()}`.trim())
  expect(titles.filter((title) => !/\n\nExit codes:/.test(helpOf(title)))).toEqual([])
  const options = all.flatMap((command) => command.options)
  const longs = new Map<string, Set<string>>()
  for (const { short, long } of options) if (short && long) longs.set(short, (longs.get(short) ?? new Set()).add(long))
  expect(longs.size).toBeGreaterThan(8)
  expect([...longs].filter(([, { size }]) => size > 1)).toEqual([])
})

test.each([
  [['restore', 'b.sqlite'], /^error: `veridict restore` was removed: a backup is a database file: .+\n$/],
  [['batch', 'run.json', '--new'], /^error: `veridict batch --new` was removed: .+`veridict resume BATCH`.+\n$/],
  [
    ['--server', 'http://127.0.0.1:9', 'status'],
    /^error: `veridict --server` was removed: .+ behind the command: .+\n$/,
  ],
])('a removed word names the new one: %j', async (args, said) => {
  expect(await run(args)).toEqual({ code: 1, out: '', err: expect.stringMatching(said) })
})

const HINT = /^\((?:like .+; )?add --help for what there is\)\n$/m
test.each([
  [['batch', '--frobnicate'], "unknown option '--frobnicate'\n"],
  [['batch', 'run.json', '--judg', 'lexical'], "unknown option '--judg'\n(Did you mean --judge?)\n"],
  [['keys', 'create'], "missing required argument 'name'\n"],
  [['rubric', 'new'], "missing required argument 'id'\n"],
  [['keys', 'list', '--server', 'http://127.0.0.1:1'], "unknown option '--server'\n"],
  [['help', 'nope'], "unknown command 'nope'\n"],
  [['help', 'stauts'], "unknown command 'stauts'\n(Did you mean status?)\n"],
  [['doctor', '--server', 'http://127.0.0.1:1'], "unknown option '--server'\n"],
  [['batch'], "missing required argument 'path'\n"],
  [
    ['batch', 'x', '--samples', 'many'],
    "option '-s, --samples <n>' argument 'many' is invalid. It is a whole number from 1 to 25.\n",
  ],
  [
    ['batch', 'x', '--max-cost-usd', '5 dollars'],
    "option '--max-cost-usd <usd>' argument '5 dollars' is invalid. It is a number of dollars up to 1000000, like 0.50.\n",
  ],
  [['compare', 'a', 'b', 'c'], "too many arguments for 'compare'. Expected 2 arguments but got 3: a, b, c.\n"],
  [
    ['batch', 'x', '--mode', 'fast'],
    "option '-m, --mode <mode>' argument 'fast' is invalid. Allowed choices are direct, provider.\n",
  ],
])('%j ends with the hint at the help', async (args, told) => {
  const { err, ...ended } = await run(args)
  expect({ ...ended, err: err.replace(HINT, '') }).toEqual({ code: 1, out: '', err: `error: ${told}` })
})

test('a usage error ends a process of its own with its code', async () => {
  const example = 'node src/cli.ts cancel bat_01'
  const told = `error: unknown option '--frobnicate'\n(like ${example}; add --help for what there is)\n`
  expect(await runAlone(['cancel', '--frobnicate'])).toEqual({ code: 1, out: '', err: told })
})

test.each([
  [['help', 'status'], 'Usage: veridict status'],
  [['keys', 'create', '--help'], 'operator (/metrics alone'],
  [['--help'], 'docs/configuration.md has them all'],
])('%j says “%s”', async (args, said) => {
  expect(await run(args)).toEqual({ code: 0, out: expect.stringContaining(said), err: '' })
})

test('grade asks VERIDICT_SERVER as the other commands do', async () => {
  const example = 'examples/aligned-terminus-2'
  const args = ['grade', `${example}/trajectory.json`, '-g', `${example}/ground-truth.json`]
  const { code, err } = await run(args, { VERIDICT_SERVER: 'http://127.0.0.1:1' })
  expect([code, err]).toEqual([1, expect.stringContaining('no answer from http://127.0.0.1:1')])
})

test('--json prints a usage error as the same envelope', async () => {
  const { code, out, err } = await run(['status', '--frobnicate', '--json'])
  expect([code, err]).toEqual([1, ''])
  expect(JSON.parse(out)).toEqual({
    ok: false,
    error: { code: 'usage', message: "unknown option '--frobnicate'", advice: [], exit_code: 1 },
  })
})

test('the batch of the README prints what stands there', async () => {
  const [, command = '', shown] = /-- (batch .+)\n```\n\n```\n([^`]+)```/.exec(readFileSync('README.md', 'utf8')) ?? []
  const [name = '', glob = ''] = command.split(' ')
  const { code, out, err } = await runAlone([name, ...globSync(glob).sort()])
  // How far it is when it is looked at, and how often a slow machine says so, differ.
  const settled = (text = '') => text.replaceAll(/(bat|grd)_\w+/g, '$1').replaceAll(/^(reading:|running) .*\n/gm, '')
  expect([code, settled(err + out)]).toEqual([0, settled(shown)])
})

test('commands that read a database end by themselves', async () => {
  const env = { VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite'), VERIDICT_CONFIG: '' }
  const graded = await runAlone(
    ['batch', 'examples/aligned-terminus-2', 'examples/compliant-codex', '-o', 'ndjson'],
    env,
  )
  const [grade = ''] = /grd_\w+/.exec(graded.out) ?? []
  const [batch = ''] = /bat_\w+/.exec(graded.err) ?? []
  const commands = [
    ['status', batch],
    ['results', batch],
    ['show', grade],
    ['compare', batch, batch],
    ['report'],
    ['results', batch, '-o', 'bundle', '--out', join(tempFolder(), 'bundle')],
    ['regrade', '--batch', batch, '-j', 'lexical', '--dry-run'],
    ['doctor'],
  ]
  const ended = await Promise.all(commands.map((command) => runAlone(command, env)))
  for (const [index, { code, err }] of ended.entries())
    expect([commands[index], code, err.includes('Warning')], err).toEqual([commands[index], 0, false])
}, 60_000)

test('the examples are graded as expected, whatever the environment says', async () => {
  const env = { VERIDICT_CONFIG: '/nowhere', VERIDICT_DATABASE: '/nowhere/x', NO_COLOR: '1' }
  const { code, out } = await runNode(['bin/veridict.cjs', 'demo'], env)
  expect(code).toBe(0)
  expect(out).toMatch(/^8 of 8 examples graded as expected/m)
  expect(out).toContain('node bin/veridict.cjs batch FOLDER')
})
