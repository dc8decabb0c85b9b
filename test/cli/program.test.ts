import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { startStandIn } from './stand-in.ts'

/** What belongs to no single command: real processes. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const own = { PATH: process.env['PATH'], VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite'), ...env }
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, ['src/cli.ts', ...args], { env: own }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(await run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test('--server may stand before the command; behind it, it is the one that counts', async () => {
  const service = await startStandIn()
  const before = await run(['--server', service.url, 'status'])
  const behind = await run(['status', '--server', service.url])
  expect(before).toEqual({ code: 0, out: expect.stringContaining('batch'), err: '' })
  expect(before).toEqual(behind)
  expect(await run(['--server', 'http://127.0.0.1:9', 'status', '--server', service.url])).toEqual(behind)
  const stray = await run(['--server', service.url, 'doctor'])
  expect([stray.code, stray.err]).toEqual([1, expect.stringContaining('doctor asks no service, and takes no --server')])
  await service.close()
}, 30_000)

test('commands that read a database end by themselves', async () => {
  const env = { VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite'), VERIDICT_CONFIG: '' }
  const graded = await run(['batch', 'examples/aligned-terminus-2', 'examples/compliant-codex', '-o', 'ndjson'], env)
  const [grade = ''] = /grd_\w+/.exec(graded.out) ?? []
  const [batch = ''] = /bat_\w+/.exec(graded.err) ?? []
  const commands = [
    ['status', batch],
    ['results', batch],
    ['show', grade],
    ['compare', batch, batch],
    ['report'],
    ['appendix', batch],
    ['regrade', '--batch', batch, '-j', 'lexical', '--dry-run'],
    ['doctor'],
  ]
  const ended = await Promise.all(commands.map((command) => run(command, env)))
  for (const [index, { code, err }] of ended.entries())
    expect([commands[index], code, err.includes('Warning')], err).toEqual([commands[index], 0, false])
}, 60_000)
