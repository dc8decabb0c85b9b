import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { generateStore } from '../../bench/move/generated-store.ts'
import { makeRandom } from '../e2e/random.ts'
import { differences, move, newDatabase, tempStore } from './move-tools.ts'
import { describePostgres } from './postgres-tools.ts'

const RUNNER = fileURLToPath(new URL('move-runner.ts', import.meta.url))

interface Run {
  readonly lines: readonly string[]
  readonly errors: string
  readonly killed: boolean
}

/** A move in a process of its own; killed so many milliseconds after so many of its steps. */
async function run(from: string, url: string, steps: number, pause_ms: number): Promise<Run> {
  const child = spawn(process.execPath, [RUNNER, from, url], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8')
  })
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    if (lines.filter((one) => one.startsWith('move')).length === steps)
      setTimeout(() => child.kill('SIGKILL'), pause_ms)
  })
  await once(child, 'close')
  return { lines, errors, killed: child.signalCode === 'SIGKILL' }
}

describePostgres('a move', (tools) => {
  test('that is killed at any point goes on, and ends with what there was', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 400, projects: { b: 30 } })
    const url = await newDatabase(tools().server)
    const random = makeRandom(7)
    let kills = 0
    for (let runs = 1; ; runs++) {
      expect(runs).toBeLessThan(60)
      // The last ones are killed while they verify, or not at all.
      const { lines, errors, killed } = await run(from, url, 1 + Math.floor(random() * 30), Math.floor(random() * 12))
      expect(errors).toBe('')
      if (killed) kills += 1
      else {
        expect(lines.at(-1)).toMatch(/^end (moved|already)$/)
        break
      }
    }
    expect(kills).toBeGreaterThan(5)
    const report = await move(from, url, { mode: 'verify' })
    expect(differences(report)).toEqual([])
    expect(report.outcome).toBe('equal')
  }, 120_000)

  test('waits for a server that is away, once stopped and once killed, and loses nothing', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 400 })
    const { server } = tools()
    const url = await newDatabase(server)
    const waited: string[] = []
    let [steps, outage] = [0, Promise.resolve()]
    const report = await move(from, url, {
      chunk_bytes: 8 * 1024,
      onProgress: ({ step }) => {
        if (step === 'wait') waited.push(step)
        else steps += 1
        if (steps !== 20 && steps !== 60) return
        const end = steps === 20 ? server.stop : server.kill
        steps += 1
        outage = outage
          .then(end)
          .then(() => delay(1500))
          .then(server.start)
      },
    })
    await outage
    expect(waited.length).toBeGreaterThan(1)
    expect(report.outcome).toBe('moved')
    expect(differences(report)).toEqual([])
  }, 60_000)

  test('gives a server up that stays away, and the next run goes on', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 100 })
    const { server } = tools()
    const url = await newDatabase(server)
    let outage: Promise<void> | undefined
    const broken = move(from, url, {
      patience_ms: 1500,
      onProgress: ({ step, done }) => {
        if (step === 'move' && done > 150) outage ??= server.kill()
      },
    })
    await expect(broken).rejects.toThrow(/database server/)
    await outage
    await server.start()
    expect(differences(await move(from, url))).toEqual([])
  }, 60_000)
})
