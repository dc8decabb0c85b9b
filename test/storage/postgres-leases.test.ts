import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createListener } from '../../src/storage/postgres/connection/listen.ts'
import { leasesOf, takeSurely } from './postgres-lease-tools.ts'
import { describePostgres } from './postgres-tools.ts'

const HOLDER = fileURLToPath(new URL('postgres-lease-holder.ts', import.meta.url))

describePostgres('leases of PostgreSQL', (tools) => {
  const SECONDS = 2

  async function openTwo(seconds = SECONDS) {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const [one, other] = [
      await open(schema, { lease_seconds: seconds }),
      await open(schema, { lease_seconds: seconds }),
    ]
    const query = (text: string) => server.query(text.replaceAll('leases', `"${schema}".leases`))
    const close = async () => {
      await one.close()
      await other.close()
    }
    return { one, other, a: leasesOf(one), b: leasesOf(other), query, close, schema }
  }

  test('one holder at a time; what is given back can be taken, under another token', async () => {
    const { a, b, close } = await openTwo()
    const lease = await takeSurely(a, 'x')
    expect(await b.take('x')).toBeNull()
    expect(await a.take('x')).toBeNull()
    await a.release(lease)
    const next = await b.take('x')
    expect(next).toMatchObject({ name: 'x' })
    expect(next?.token).not.toBe(lease.token)
    // What was given back before is nobody’s to give back.
    await a.release(lease)
    expect(await a.take('x')).toBeNull()
    await close()
  })

  test('many that all want the same: each name goes to one', async () => {
    const { a, b, query, close } = await openTwo(30)
    const names = Array.from({ length: 300 }, (_, at) => `many:${at}`)
    const taken = await Promise.all([
      a.takeMany(names),
      b.takeMany([...names].reverse()),
      a.takeMany(names),
      b.takeMany(names),
    ])
    const all = taken.flat()
    expect(all.map(({ name }) => name).sort()).toEqual([...names].sort())
    expect(new Set(all.map(({ token }) => token)).size).toBe(names.length)
    expect(taken[0].map(({ name }) => name)).toEqual(names.filter((one) => taken[0].some(({ name }) => name === one)))
    const rows = await query("SELECT token FROM leases WHERE name LIKE 'many:%'")
    expect(new Set(rows.map(({ token }) => token))).toEqual(new Set(all.map(({ token }) => token)))
    await close()
  })

  test('a lease is renewed for as long as its holder lives, far beyond its time', async () => {
    const { a, b, close } = await openTwo(1)
    const lease = await takeSurely(a, 'x')
    for (let at = 0; at < 25; at++) {
      await delay(100)
      expect(await b.take('x')).toBeNull()
    }
    expect(lease.lost.aborted).toBe(false)
    await close()
  })

  test('who closes gives everything back, and takes nothing more', async () => {
    const { one, a, b, close } = await openTwo(30)
    const lease = await takeSurely(a, 'x')
    await one.close()
    expect(lease.lost.aborted).toBe(true)
    expect(await b.take('x')).not.toBeNull()
    await expect(a.take('y')).rejects.toMatchObject({ code: 'storage_error' })
    await expect(a.wait('x')).rejects.toMatchObject({ code: 'storage_error' })
    await close()
  })

  test('a lease that was taken over is lost to its holder, who cannot give it back', async () => {
    const { a, b, query, close } = await openTwo()
    const lease = await takeSurely(a, 'x')
    const kept = await takeSurely(a, 'y')
    await query("UPDATE leases SET until = clock_timestamp() - interval '1 ms' WHERE name = 'x'")
    const taken = await takeSurely(b, 'x')
    const reason = await new Promise((lost) => lease.lost.addEventListener('abort', () => lost(lease.lost.reason)))
    expect(reason).toMatchObject({ name: 'StorageError', code: 'lease_lost' })
    expect(kept.lost.aborted).toBe(false)
    await a.release(lease, 'old')
    expect(await a.take('x')).toBeNull()
    expect(taken.lost.aborted).toBe(false)
    await close()
  })

  test('who waits hears of a release, with what the holder left to say', async () => {
    const { a, b, close } = await openTwo(600)
    for (const result of ['grd_1', 'grd_\0', undefined]) {
      const lease = await takeSurely(a, 'x')
      const waiting = [b.wait('x'), b.wait('x'), a.wait('x')]
      await delay(100)
      await a.release(lease, result)
      for (const released of await Promise.all(waiting)) expect(released).toEqual({ result: result ?? null })
    }
    expect(await b.wait('never')).toEqual({ result: null })
    await close()
  })

  test('who waits may be called away, and hears of a death when the lease runs out', async () => {
    const { a, b, query, close } = await openTwo(600)
    await takeSurely(a, 'x')
    const away = new AbortController()
    const [called, waiting] = [b.wait('x', away.signal), b.wait('x')]
    away.abort()
    expect(await called).toBeNull()
    expect(await b.wait('x', AbortSignal.abort())).toBeNull()
    await query("UPDATE leases SET until = clock_timestamp() + interval '300 ms' WHERE name = 'x'")
    expect(await waiting).toEqual({ result: null })
    expect(await b.take('x')).not.toBeNull()
    await close()
  })

  test('the lease of a neighbour that was killed is free at once', async () => {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const [one, other] = [await open(schema), await open(schema)]
    const holder = spawn(process.execPath, [HOLDER, server.url, schema, '600'], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    const [a, b] = [leasesOf(one), leasesOf(other)]
    expect(await a.take('x')).toBeNull()
    const waiting = a.wait('x')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(await waiting).toEqual({ result: null })
    expect(await b.take('x')).not.toBeNull()
    for (const stores of [one, other]) await stores.close()
  })

  test('without its connection a release is found by looking, and the connection is made anew', async () => {
    const { a, b, close } = await openTwo(600)
    const { server } = tools()
    const listeners = async () =>
      (await server.query("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")).map(({ pid }) => pid)
    const first = await takeSurely(a, 'x')
    const waiting = b.wait('x')
    while ((await listeners()).length === 0) await delay(20)
    const [lost] = await listeners()
    await server.query(`SELECT pg_terminate_backend(${lost})`)
    await a.release(first, 'grd_1')
    expect(await waiting).toEqual({ result: 'grd_1' })
    while ((await listeners()).filter((pid) => pid !== lost).length === 0) await delay(20)
    const second = await takeSurely(a, 'x')
    const again = b.wait('x')
    await delay(100)
    await a.release(second, 'grd_2')
    expect(await again).toEqual({ result: 'grd_2' })
    await close()
  })

  test('what is in flight under live leases is counted over all processes', async () => {
    const { a, b, query, close } = await openTwo(600)
    a.note(await takeSurely(a, 'slice:bat_1:0'), 3)
    b.note(await takeSurely(b, 'slice:bat_1:16'), 4)
    b.note(await takeSurely(b, 'slice:bat_2:0'), 50)
    while ((await b.inFlight('slice:bat_')) < 57) await delay(20)
    expect(await a.inFlight('slice:bat_1:')).toBe(7)
    expect(await a.inFlight('slice:bat_3:')).toBe(0)
    await query("UPDATE leases SET until = clock_timestamp() WHERE name = 'slice:bat_1:0'")
    expect(await a.inFlight('slice:bat_1:')).toBe(4)
    await close()
  })

  test('what was given back while the server was away is free once it is there again', async () => {
    const { a, b, close } = await openTwo(600)
    const { server } = tools()
    const lease = await takeSurely(a, 'x')
    await server.stop()
    const released = a.release(lease, 'grd_1')
    await expect(a.take('y')).rejects.toMatchObject({ code: 'storage_busy' })
    await server.start()
    await released
    expect(await b.wait('x')).toEqual({ result: 'grd_1' })
    expect((await b.takeMany(['x', 'y'])).map(({ name }) => name)).toEqual(['x', 'y'])
    await close()
  })

  test('a server that is away: the holder knows by its own clock that the lease has run out', async () => {
    const { a, b, close } = await openTwo(1)
    const { server } = tools()
    const lease = await takeSurely(a, 'x')
    const waiting = b.wait('x')
    await server.stop()
    await new Promise((lost) => lease.lost.addEventListener('abort', lost))
    expect(lease.lost.reason).toMatchObject({ code: 'lease_lost' })
    await expect(a.take('y')).rejects.toMatchObject({ code: 'storage_busy' })
    await server.start()
    expect(await waiting).toEqual({ result: null })
    await takeSurely(b, 'x')
    await close()
  })

  test('notices are heard; a connection that is lost is made anew, and that is told', async () => {
    const { server } = tools()
    const listener = createListener(server.url, 5_000)
    const heard: (string | null)[] = []
    const other: (string | null)[] = []
    listener.on('veridict_one', (words) => heard.push(words))
    listener.on('veridict_two', (words) => other.push(words))
    const until = async (words: (string | null)[], expected: (string | null)[]) => {
      while (JSON.stringify(words.slice(-expected.length)) !== JSON.stringify(expected)) await delay(20)
    }
    for (const round of ['a', 'b']) {
      await until(heard, [null])
      await until(other, [null])
      await server.query(`SELECT pg_notify('veridict_one', '${round}1'), pg_notify('veridict_two', '${round}2')`)
      await until(heard, [`${round}1`])
      await until(other, [`${round}2`])
      await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    }
    await until(heard, [null])
    await listener.close()
    expect(heard.filter((words) => words !== null)).toEqual(['a1', 'b1'])
    expect(await server.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN \"veridict_one%'")).toEqual([])
  })

  test('of many that cannot all be asked for, none is kept', async () => {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const [one, other] = [await open(schema, { lease_seconds: 2 }), await open(schema, { lease_seconds: 2 })]
    // More than one statement takes: the last of them fails.
    await server.query(`
      CREATE FUNCTION "${schema}".refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.name = 'last' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refused BEFORE INSERT ON "${schema}".leases FOR EACH ROW EXECUTE FUNCTION "${schema}".refuse()`)
    const names = [...Array.from({ length: 600 }, (_, at) => `slice:bat_1:${at}`), 'last']
    await expect(one.cluster?.leases.takeMany(names)).rejects.toThrow()
    await delay(3000)
    const taken = await other.cluster?.leases.takeMany(names.slice(0, 600))
    expect(taken).toHaveLength(600)
    await one.close()
    await other.close()
  }, 30_000)
})
