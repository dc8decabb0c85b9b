import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import { finishOk, planAttempt } from './make-attempt.ts'
import { AT, openBatch, readBatch } from './make-batch.ts'
import { answered, BATCH, LIMITS, makeRequest } from './make-request.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('processes on one PostgreSQL', (tools) => {
  /** Stores with a batch and a call that another process holds, whose row is as given. */
  async function openBeside(row: { host: string; pid: number; silent_s: number } | null) {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    const stores = await open(schema)
    await openBatch(stores, 'bat_1', 0)
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    const [me] = (await server.query(`SELECT host FROM "${schema}".processes`)) as { host: string }[]
    if (row !== null)
      await server.query(
        `INSERT INTO "${schema}".processes VALUES ('prc_other', $1, $2, clock_timestamp() - make_interval(secs => $3))`,
        [row.host === 'here' ? me?.host : row.host, row.pid, row.silent_s],
      )
    await server.query(`
      UPDATE "${schema}".batches SET process = 'prc_other'; UPDATE "${schema}".attempts SET process = 'prc_other'`)
    return stores
  }

  const ROWS: readonly [string, Parameters<typeof openBeside>[0], boolean][] = [
    ['of another machine that was seen', { host: 'elsewhere', pid: process.pid, silent_s: 50 }, true],
    ['of this machine', { host: 'here', pid: process.ppid, silent_s: 0 }, true],
    ['of this machine, the first one', { host: 'here', pid: 1, silent_s: 0 }, true],
    ['of our own number under another id', { host: 'here', pid: process.pid, silent_s: 0 }, false],
    ['of our own number on another machine', { host: 'elsewhere', pid: process.pid, silent_s: 0 }, true],
    ['of a number that no process has', { host: 'here', pid: 2 ** 31 - 1, silent_s: 0 }, false],
    [
      'of another machine that fell silent while the server was down',
      { host: 'elsewhere', pid: 7, silent_s: 3600 },
      true,
    ],
    ['that nobody knows', null, false],
  ]
  test.each(ROWS)('a process %s', async (_name, row, lives) => {
    const stores = await openBeside(row)
    expect(await stores.batches.listUnclaimed()).toEqual(lives ? [] : ['bat_1'])
    expect(await stores.attempts.markInterrupted()).toBe(lives ? 0 : 1)
    expect(await stores.batches.claim('bat_1')).toBe(!lives)
    await stores.close()
  })

  test('a process of another machine that fell silent is dead, and lives again once it is heard', async () => {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    const silent = await open(schema)
    await openBatch(silent, 'bat_1', 0)
    expect(await silent.batches.claim('bat_1')).toBe(true)
    await server.query(`UPDATE "${schema}".processes SET host = 'elsewhere'`)
    const other = await open(schema, { silence_s: 1 })
    expect(await other.batches.listUnclaimed()).toEqual([])
    await delay(1100)
    expect(await other.batches.listUnclaimed()).toEqual(['bat_1'])
    await silent.cluster?.beat()
    expect(await other.batches.claim('bat_1')).toBe(false)
    await delay(1100)
    expect(await other.batches.claim('bat_1')).toBe(true)
    for (const stores of [silent, other]) await stores.close()
  })

  test('a call that was taken for lost and ends after all is counted by its end', async () => {
    const { newSchema, open } = tools()
    const schema = newSchema()
    const first = await open(schema)
    await openBatch(first, 'bat_1', 0)
    for (const id of ['att_1', 'att_2'])
      await first.attempts.begin(planAttempt(id, { batch: 'bat_1', reserved_usd: 2 }), NO_CAPS)
    // The same number under another id: to the second, the first is dead.
    const second = await open(schema)
    expect(await second.attempts.markInterrupted()).toBe(2)
    expect(await second.attempts.markInterrupted()).toBe(0)
    await first.attempts.finish({ ...finishOk('att_1'), cost_usd: 0.5 })
    expect(await readBatch(second, 'bat_1')).toMatchObject({
      calls: { made: 2, unknown: 1 },
      cost_usd: 0.5,
      uncertain_usd: 2,
    })
    for (const stores of [first, second]) await stores.close()
  })

  test('drafts of the dead are forgotten; of two that claim a batch one has it', async () => {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    const stores = await open(schema)
    for (const id of ['bat_1', 'bat_2']) await openBatch(stores, id, 2)
    await server.query(`UPDATE "${schema}".batches SET status = 'draft', process = 'prc_gone' WHERE id = 'bat_2'`)
    expect(await stores.batches.discardAbandoned()).toBe(1)
    expect(await stores.batches.discardAbandoned()).toBe(0)
    expect(await stores.batches.claim('bat_1')).toBe(true)
    await server.query(`
      UPDATE "${schema}".processes SET id = 'prc_other', host = 'elsewhere';
      UPDATE "${schema}".batches SET process = 'prc_other'`)
    expect(await stores.batches.claim('bat_1')).toBe(false)
    await stores.cluster?.beat()
    await stores.close()
  })

  test('two that end the last two questions of an item at the same time wake it', async () => {
    const { newSchema, open } = tools()
    const schema = newSchema()
    const both = [await open(schema), await open(schema)] as const
    const rounds = 25
    await openBatch(both[0], BATCH, rounds)
    for (let index = 0; index < rounds; index++) {
      for (const sample of [0, 1]) {
        await both[0].provider.enqueue(makeRequest(`att_${index}_${sample}`, index, { sample }), NO_CAPS)
        await both[0].provider.record({ id: `prb_${index}_${sample}`, batch: BATCH, judge: 'openai', at: AT }, LIMITS)
      }
      const ends = [0, 1].map((sample) =>
        both[sample === 0 ? 0 : 1].provider.storeEnds(
          `prb_${index}_${sample}`,
          [answered(`att_${index}_${sample}`)],
          AT,
        ),
      )
      expect(await Promise.all(ends)).toEqual([1, 1])
    }
    expect((await readBatch(both[0], BATCH)).counts).toMatchObject({ pending: rounds, running: 0 })
    for (const stores of both) await stores.close()
  })

  test('the same ends, read by two at the same time, count once', async () => {
    const { newSchema, open } = tools()
    const schema = newSchema()
    const both = [await open(schema), await open(schema)] as const
    await openBatch(both[0], BATCH, 30)
    for (let index = 0; index < 30; index++) await both[0].provider.enqueue(makeRequest(`att_${index}`, index), NO_CAPS)
    const taken = await Promise.all(
      both.map((stores, at) =>
        stores.provider.record({ id: `prb_${at}`, batch: BATCH, judge: 'openai', at: AT }, LIMITS),
      ),
    )
    const id = taken.find((one) => one?.requests === 30)?.id ?? ''
    expect(taken.filter((one) => one !== null)).toHaveLength(1)
    const ends = Array.from({ length: 30 }, (_, index) => answered(`att_${index}`))
    const counted = await Promise.all(both.map((stores) => stores.provider.storeEnds(id, ends, AT)))
    expect(counted.sort()).toEqual([0, 30])
    expect(await readBatch(both[1], BATCH)).toMatchObject({ calls: { made: 30 }, cost_usd: 7.5 })
    for (const stores of both) await stores.close()
  })
})
