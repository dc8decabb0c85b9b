import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeRandom } from '../../bench/random.ts'
import { openPostgresStores } from '../../src/storage/postgres/postgres.ts'
import type { ProjectStores } from '../../src/storage/stores/stores.ts'
import { generateStore } from './generated-store.ts'
import { ask, differences, move, NO_SCHEMA, newDatabase, tempStore } from './move-tools.ts'
import { SETTINGS } from './postgres-settings.ts'
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
  test('that is killed at any point leaves nothing, and the next one ends with what there was', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 200, projects: { b: 30 } })
    const url = await newDatabase(tools().server)
    const random = makeRandom(7)
    for (let kills = 0; kills < 8; kills++) {
      const { lines, errors, killed } = await run(from, url, 1 + Math.floor(random() * 40), Math.floor(random() * 12))
      expect([errors, killed, lines.some((line) => line.startsWith('end'))]).toEqual(['', true, false])
    }
    const report = await move(from, url)
    expect([report.outcome, differences(report)]).toEqual(['moved', []])
    expect((await move(from, url, { mode: 'verify' })).outcome).toBe('equal')
  }, 120_000)

  test.each(['stop', 'kill'] as const)(
    'whose server is away (%s) has written nothing, and can be made again',
    async (end) => {
      const from = tempStore()
      await generateStore(from, { grades: 100 })
      const { server } = tools()
      const url = await newDatabase(server)
      let outage: Promise<void> | undefined
      const broken = move(from, url, {
        onProgress: ({ step, done }) => {
          if (step === 'move' && done > 150) outage ??= server[end]()
        },
      })
      await expect(broken).rejects.toThrow(/database server/)
      await outage
      await server.start()
      expect(await ask(url, NO_SCHEMA)).toEqual([])
      expect((await move(from, url)).outcome).toBe('moved')
    },
    60_000,
  )

  test('of two at once one has it, and the other is refused', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 60 })
    const url = await newDatabase(tools().server)
    let other: Promise<unknown> | undefined
    const first = await move(from, url, {
      onProgress: () => {
        other ??= move(from, url).catch((error: Error) => error.message)
      },
    })
    expect(first.outcome).toBe('moved')
    expect(await other).toContain('the target holds rows of')
  })

  test('keeps a service waiting until it has ended', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20 })
    const url = await newDatabase(tools().server)
    let opening: Promise<ProjectStores> | undefined
    await move(from, url, {
      onProgress: () => {
        opening ??= openPostgresStores({ url, schema: 'veridict', ...SETTINGS })
      },
    })
    const stores = await opening
    expect((await stores?.grades.list({ limit: 100 }))?.length).toBe(20)
    await stores?.close()
  })

  test('that finds a difference writes nothing', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20 })
    const url = await newDatabase(tools().server)
    await (await openPostgresStores({ url, schema: 'veridict', ...SETTINGS })).close()
    await ask(
      url,
      `CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body := NEW.body || ' '; RETURN NEW; END $$;
       CREATE TRIGGER change BEFORE INSERT ON grades FOR EACH ROW EXECUTE FUNCTION change()`,
    )
    const report = await move(from, url)
    expect([report.outcome, differences(report)]).toEqual(['differs', ['default.grades']])
    await ask(
      url,
      `CREATE OR REPLACE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`,
    )
    await expect(move(from, url)).rejects.toThrow('grades: the database server answered P0001')
    await ask(url, 'DROP TRIGGER change ON grades')
    expect((await move(from, url)).outcome).toBe('moved')
  })
})
