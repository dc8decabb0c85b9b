import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'

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

test.each([
  [['--classes', 'nope'], 'no class is named nope; there are: control, '],
  [['--every', '0'], '--every takes a whole number from 1, not "0"'],
  [['--score', join(folder, 'nowhere', 'file')], 'no such file or folder'],
  [['--export', '--score', 'x'], '--export and --score do not go together'],
  [['--file', 'x'], '--file goes with --held-out'],
])('what is given wrongly is said in one sentence, with exit code 2: %j', (args, sentence) => {
  const { status, stdout, stderr } = attack(...args)
  expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 })
  expect(stderr).toContain(sentence)
})

test('the whole way: cases as requests, a batch of Veridict, its results, their tables', () => {
  const [requests, results] = [file('requests.ndjson'), file('results.ndjson')]
  const exported = attack('--export', '--every', '200')
  writeFileSync(requests, exported.stdout)
  const batch = run('src/cli.ts', ['batch', requests, '--judge', 'lexical'])
  expect([exported.status, batch.status]).toEqual([0, 0])
  const id = /bat_[0-9a-z]+/.exec(batch.stderr)?.[0] ?? ''
  expect(run('src/cli.ts', ['results', id, '-o', 'ndjson', '--out', results]).status).toBe(0)
  const scored = attack('--score', results, '--every', '200')
  expect(scored.stdout).toContain('attacks outside of the known limits: 0 wrong labels')
  expect(scored.status).toBe(0)
  // A judge that gives no label where nobody attacks does not pass.
  writeFileSync(results, readFileSync(results, 'utf8').replaceAll(/"label":"\w+"/g, '"label":null'))
  expect(attack('--score', results, '--every', '200').status).toBe(1)
})
