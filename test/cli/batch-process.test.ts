import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import type { BatchResult } from '../../src/schemas/batch.ts'
import { tempFolder } from '../temp-folder.ts'
import { ndjson } from './real-command.ts'
import { startStandIn } from './stand-in.ts'
import { makeCommand, testShell } from './test-shell.ts'

/** The command as a person runs it: real processes, real signals, real pipes. */
const folder = tempFolder()

function start(...args: string[]) {
  const env = { ...process.env, VERIDICT_DATABASE: join(folder, 'v.sqlite'), VERIDICT_CONFIG: '', VERIDICT_SERVER: '' }
  const child = spawn(process.execPath, ['src/cli.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString('utf8')))
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    out: out.join(''),
    err: err.join(''),
  }))
  return { child, ended }
}

const read = (name: string, file: string): unknown => JSON.parse(readFileSync(join('examples', name, file), 'utf8'))
const folders = readdirSync('examples', { withFileTypes: true }).filter((entry) => entry.isDirectory())
const names = folders.map(({ name }) => name)
const trials = join(folder, 'trials.ndjson')
const requests = names.map((name) => ({
  ...{ item_id: name, trajectory: read(name, 'trajectory.json'), ground_truth: read(name, 'ground-truth.json') },
}))
writeFileSync(trials, ndjson(requests))

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
    child.stderr.destroy()
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
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as BatchResult).item_id)).toEqual(names)
    expect(err).toMatch(/^(?:reading: .*\n)*bat_01: 8 trials\n.*done 8\/8 \(100%\)/s)
    expect(out + err).not.toContain('\u001b')
  })
})

test.each([
  ...['batch', 'regrade', 'results', 'show', 'judges', 'rubrics', 'compare', 'status', 'resume', 'cancel', 'import'],
])('%s --help teaches: where it runs, its exit codes, examples', async (command) => {
  // In this process: that a help is printed and ends with 0 is seen of `serve`, `grade` and the program itself.
  const out: string[] = []
  const program = new Command('veridict').exitOverride().configureOutput({ writeOut: (text) => void out.push(text) })
  program.addCommand((await makeCommand(command, testShell())).copyInheritedSettings(program))
  await expect(program.parseAsync([command, '--help'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 })
  for (const said of ['Usage: veridict', '--server', 'VERIDICT_SERVER', 'Exit codes:', 'Example'])
    expect(out.join('')).toContain(said)
})
