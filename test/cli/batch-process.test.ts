import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import type { BatchResult } from '../../src/schemas/batch.ts'
import { tempFolder } from '../temp-folder.ts'
import { startStandIn } from './stand-in.ts'
import { testShell } from './test-shell.ts'

/** The command as a person runs it: real processes, real signals, real pipes. */
const folder = tempFolder()

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; out: string; err: string }>
}

function start(...args: string[]): Run {
  const env = { ...process.env, VERIDICT_DATABASE: join(folder, 'v.sqlite'), VERIDICT_CONFIG: '', VERIDICT_SERVER: '' }
  const child = spawn(process.execPath, ['src/cli.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8')
  })
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }))
  })
  return { child, ended }
}

const read = (name: string, file: string): unknown => JSON.parse(readFileSync(join('examples', name, file), 'utf8'))
const names = readdirSync('examples', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)
const trials = join(folder, 'trials.ndjson')
const lines = names.map((name) =>
  JSON.stringify({
    item_id: name,
    trajectory: read(name, 'trajectory.json'),
    ground_truth: read(name, 'ground-truth.json'),
  }),
)
writeFileSync(trials, `${lines.join('\n')}\n`)

describe('against a service', () => {
  test.each(['SIGINT', 'SIGHUP'] as const)('%s detaches: exit code 130, and the batch goes on', async (signal) => {
    const service = await startStandIn()
    const { child, ended } = start('batch', trials, '--server', service.url)
    const id = await service.watched()
    child.kill(signal)
    const { code, out, err } = await ended
    expect([code, out, service.batches.get(id)?.batch.status]).toEqual([130, '', 'running'])
    expect(err).toContain(`Follow: node src/cli.ts status ${id} --server ${service.url} --follow`)
  })

  test('whoever reads the progress may leave: the run goes on', async () => {
    const service = await startStandIn()
    const { child, ended } = start('batch', trials, '-o', 'ndjson', '--server', service.url)
    const id = await service.watched()
    child.stderr?.destroy()
    for (const [at] of names.entries()) {
      if (at === 4) service.park(id, 'rate limited', '2026-11-21T10:00:00.000Z')
      service.end(id, [{ label: 'aligned' }])
    }
    const { code, out } = await ended
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, names.length])
  })

  test('in a pipe: results on stdout, plain progress on stderr, nothing that a terminal would act on', async () => {
    const service = await startStandIn()
    service.ending = () => ({ label: 'aligned' })
    const { code, out, err } = await start('batch', trials, '-o', 'ndjson', '--server', service.url).ended
    expect(code).toBe(0)
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as BatchResult).item_id),
    ).toEqual(names)
    expect(err).toMatch(/^bat_01: 8 trials\n.*done 8\/8 \(100%\)/s)
    expect(out + err).not.toContain('\u001b')
  })
})

test.each([
  'batch',
  'regrade',
  'results',
  'show',
  'judges',
  'rubrics',
  'compare',
  'status',
  'resume',
  'cancel',
  'import',
] as const)('%s --help teaches: where it runs, its exit codes, examples', async (command) => {
  // In this process: that a help is printed and ends with 0 is seen of `serve`, `grade` and the program itself.
  const out: string[] = []
  const made = await COMMANDS[command]?.()
  if (made === undefined) throw new Error('no such command')
  const program = new Command('veridict').exitOverride().configureOutput({ writeOut: (text) => void out.push(text) })
  program.addCommand(made(testShell()).copyInheritedSettings(program))
  await expect(program.parseAsync([command, '--help'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 })
  for (const said of ['Usage: veridict', '--server', 'VERIDICT_SERVER', 'Exit codes:', 'Example'])
    expect(out.join('')).toContain(said)
})

test.each([
  ['no path', ['batch'], "missing required argument 'path'"],
  ['samples that are no number', ['batch', 'x', '--samples', 'many'], 'It is a whole number from 1 to 25.'],
  ['a cap that is no number', ['batch', 'x', '--max-cost-usd', '5 dollars'], 'It is a number of US dollars'],
  ['three batches to compare', ['compare', 'a', 'b', 'c'], 'compare takes BASE and HEAD'],
  ['a mode that there is not', ['batch', 'x', '--mode', 'fast'], 'Allowed choices are direct, provider'],
])('refuses %s with exit code 1', async (_name, args, said) => {
  const { code, err } = await start(...args).ended
  expect(code).toBe(1)
  expect(err).toContain(said)
})
