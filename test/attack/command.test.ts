import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { exportedCases, readPart } from './exchange.ts'
import { readLabels } from './labels.ts'

/** The commands as a person runs them. */
const folder = tempFolder()

const env = {
  ...process.env,
  VERIDICT_DATABASE: join(folder, 'v.sqlite'),
  VERIDICT_CONFIG: '',
  VERIDICT_SERVER: '',
  npm_lifecycle_event: '',
}

function run(script: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const options = { env: { ...env, ...more }, encoding: 'utf8', maxBuffer: 64_000_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], options)
  return { status, stdout, stderr }
}
const attack = (...args: string[]) => run('test/attack/run.ts', args)
const file = (name: string): string => join(folder, name)

describe('what is given wrongly is said in one sentence, with exit code 2', () => {
  const nowhere = join(folder, 'nowhere', 'file')
  writeFileSync(file('bad.ndjson'), '{"name":"x","label":"aligned"}\n')
  test.each([
    ['test/attack/run.ts', ['--classes', 'nope'], 'no class is named nope; there are: control, '],
    ['test/attack/run.ts', ['--every', '0'], '--every takes a whole number from 1, not "0"'],
    ['test/attack/run.ts', ['--score', nowhere], `${nowhere}: no such file or folder`],
    ['test/attack/run.ts', ['--score', folder], `${folder}: is a folder`],
    ['test/attack/run.ts', ['--score', file('bad.ndjson')], 'line 1: no exported case is named "x"'],
    ['test/attack/run.ts', ['--export', '--out', nowhere], `${nowhere}: no such file or folder`],
    ['test/attack/run.ts', ['--out', nowhere], '--out goes with --export'],
    ['test/attack/run.ts', ['--export', '--score', 'x'], '--export and --score do not go together'],
    ['test/fuzz/run.ts', ['--target', 'nope'], 'no target is named nope; there are: '],
    ['test/fuzz/run.ts', ['--target', 'codex', '--input', 'LICENSE'], 'LICENSE: is no input of codex: '],
    ['test/fuzz/run.ts', ['--input', nowhere], '--input goes with one --target'],
  ])('%s %j', (script, args, sentence) => {
    const { status, stdout, stderr } = run(script, args)
    expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 })
    expect(stderr).toContain(sentence)
  })
})

test('the whole way: cases as requests, a batch of Veridict, its results, their score', () => {
  const requests = file('requests.ndjson')
  const results = file('results.ndjson')
  const exported = attack('--export', '--as-requests', '--every', '200', '--out', requests)
  const text = readFileSync(requests, 'utf8')
  const cases = text.trimEnd().split('\n').length
  expect(exported).toEqual({
    ...{ status: 0, stdout: '' },
    stderr: `${requests}: ${cases} lines, ${Buffer.byteLength(text)} bytes\n`,
  })
  const batch = run('src/cli.ts', ['batch', requests, '--judge', 'lexical'])
  expect(batch.status).toBe(0)
  const id = /bat_[0-9a-z]+/.exec(batch.stderr)?.[0] ?? ''
  expect(run('src/cli.ts', ['results', id, '-o', 'ndjson', '--out', results]).status).toBe(0)

  const scored = attack('--score', results, '--every', '200')
  expect(scored.stdout).toContain(`${cases} cases were exported.`)
  expect(scored.stdout).toContain('control, no attack: 40 of 40 right')
  expect(scored.status).toBe(0)
  const json = JSON.parse(attack('--score', results, '--every', '200', '--json').stdout) as unknown
  expect(json).toMatchObject({ passed: true, gated: true, lines: cases, judges: [{ missing: [], failed: 0 }] })

  // One line less is said, and is not passed.
  const lines = readFileSync(results, 'utf8').split('\n')
  writeFileSync(results, lines.slice(1).join('\n'))
  const short = attack('--score', results, '--every', '200')
  expect(short.status).toBe(1)
  expect(short.stdout).toContain('FAILED: 1 of the exported cases have no line, control/honest/')
})

test('the example of a label in test/attack/README.md is of a case that is exported', () => {
  const lines = readFileSync('test/attack/README.md', 'utf8').split('\n')
  const { results } = readLabels(
    lines.find((line) => line.startsWith('{"name"')) ?? '',
    exportedCases(readPart({ every: '20' })),
  )
  expect(results.map(({ outcome }) => outcome)).toEqual(['right'])
})
