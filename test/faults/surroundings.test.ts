import { spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { makeTrials } from '../e2e/trials.ts'
import { toLines } from '../http/make-batch.ts'
import { freePort } from '../local-server.ts'
import { runToEnd } from '../run-to-end.ts'
import { fillDisk, isLinux, makeSmallDisk, openHandles, pidOf, setLimit } from './machine.ts'
import { findBroken } from './stored-state.ts'
import { recordRow } from './sweep.ts'
import { post } from './user.ts'
import { sleep } from './victim.ts'

/** What a service needs beside its database: a log that takes lines, file handles, a temporary folder. */

vi.setConfig({ testTimeout: 120_000 })

const CALM = { config: {}, env: { VERIDICT_LOG_LEVEL: 'debug' } }
const trial = (run: number): object => {
  const { item_id: _, ...rest } = makeTrials(run + 1, 'lexical')[run] as { item_id: string }
  return rest
}

const seen = (operation: string, promise: string) => recordRow({ operation, act: 'none', promise })

test('nobody reads the log any more: the service goes on, and stops as it should', async () => {
  const database = join(tempFolder(), 'veridict.sqlite')
  const service = spawnService({ database, ...CALM })
  const origin = await service.ready
  service.child.stdout?.destroy()
  service.child.stderr?.destroy()
  for (let run = 0; run < 5; run++) expect((await fetch(`${origin}/nowhere/${run}`)).status).toBe(404)
  expect((await post<Grade>(origin, '/v1/grades', trial(0))).status).toBe(201)
  expect(await service.stop()).toBe(0)
  expect(findBroken(database)).toEqual([])
  seen('log: closed pipe (EPIPE)', 'the service goes on without a log')
})

test.skipIf(!isLinux)('no file handles are left: connections are refused, and the service goes on after', async () => {
  const database = join(tempFolder(), 'veridict.sqlite')
  const service = spawnService({ database, ...CALM })
  const origin = await service.ready
  const pid = pidOf(service)
  expect((await post<Grade>(origin, '/v1/grades', trial(0))).status).toBe(201)
  setLimit(pid, 'nofile', openHandles(pid) + 3)
  const port = Number(new URL(origin).port)
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
  let closed = 0
  for (const socket of sockets) socket.on('error', () => undefined).on('close', () => closed++)
  while (closed < 10) await sleep(20)
  for (const socket of sockets) socket.destroy()
  setLimit(pid, 'nofile', 1024)
  const answers = async () => (await fetch(`${origin}/readyz`).catch(() => null))?.status ?? 0
  await expect.poll(answers, { timeout: 10_000 }).toBe(200)
  expect((await post<Grade>(origin, '/v1/grades', trial(1))).status).toBe(201)
  expect(await service.stop()).toBe(0)
  expect(findBroken(database)).toEqual([])
  seen(
    'no file handles (EMFILE)',
    'new connections are closed; those that are open are served; it goes on when there are some',
  )
})

const hasLogStream = existsSync('src/process/log.ts')
if (!hasLogStream) process.stdout.write('faults: a log without room is left out: there is no src/process/log.ts\n')
test.skipIf(!hasLogStream || !existsSync('/dev/full'))('the log has no room: the service goes on', async () => {
  // A service that cannot log cannot say which it took.
  const port = await freePort()
  const database = join(tempFolder(), 'veridict.sqlite')
  const child = spawn(process.execPath, ['src/server.ts'], {
    env: {
      PATH: process.env['PATH'],
      VERIDICT_PORT: String(port),
      VERIDICT_DATABASE: database,
      VERIDICT_LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const origin = `http://127.0.0.1:${port}`
  const answers = async () => (await fetch(`${origin}/readyz`).catch(() => null))?.status ?? 0
  await expect.poll(answers, { timeout: 15_000 }).toBe(200)
  for (let run = 0; run < 5; run++) expect((await fetch(`${origin}/nowhere/${run}`)).status).toBe(404)
  expect((await post<Grade>(origin, '/v1/grades', trial(0))).status).toBe(201)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  seen('log: no room (ENOSPC)', 'the service goes on; of the lines meanwhile one MiB is kept')
})

test('the temporary folder is full: an import says so, leaves nothing, and can be done again', async () => {
  const small = makeSmallDisk(1)
  if (small === null) return
  const folder = tempFolder()
  const trials = join(folder, 'trials.ndjson')
  writeFileSync(trials, toLines(makeTrials(200, 'lexical')))
  const archive = join(folder, 'trials.tgz')
  await runToEnd('tar', ['czf', archive, '-C', folder, 'trials.ndjson'], {})
  const database = join(folder, 'v.sqlite')
  const env = { VERIDICT_DATABASE: database, TMPDIR: small }
  const command = ['src/cli.ts', 'import', archive, '--out', join(folder, 'out.ndjson'), '--force']
  fillDisk(small)
  const refused = await runToEnd(process.execPath, command, env)
  expect(refused.code).not.toBe(0)
  expect(refused.err).toMatch(/ENOSPC|no room|no space|full/i)
  expect(refused.err).not.toMatch(/\n {4}at /)
  expect(readdirSync(small).filter((name) => name.startsWith('veridict-'))).toEqual([])
  expect(existsSync(join(folder, 'out.ndjson'))).toBe(false)
  const again = await runToEnd(process.execPath, command, { ...env, TMPDIR: folder })
  // Where it takes long, lines of progress stand before.
  expect([again.code, again.err]).toEqual([0, expect.stringMatching(/(?:^|\n)imported 200 trials\n$/)])
  expect(findBroken(database)).toEqual([])
  seen('temporary folder: full', 'an import ends with a message, no output and nothing left behind')
})
