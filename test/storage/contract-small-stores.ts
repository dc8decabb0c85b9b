import { describe, expect, test } from 'vitest'
import { createIdempotency } from '../../src/db/keys.ts'
import { unpackText } from '../../src/db/text.ts'
import { digestBytes, digestValue } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'

const AT = '2026-11-21T00:00:00.000Z'

export function describeSmallStores(current: Current): void {
  test('idempotency keys: the first write wins', async () => {
    const first = { request_digest: 'd1', status: 201, body: '{"a":"中文\\u0000"}' }
    expect(await current().idempotency.find('key')).toBeNull()
    await current().idempotency.put('key', first, AT)
    await current().idempotency.put('key', { request_digest: 'd2', status: 200, body: '{}' }, AT)
    expect(await current().idempotency.find('key')).toEqual(first)
  })

  test('an idempotency key is of one request at a time, until the request has died or is answered', async () => {
    const { idempotency } = current()
    const at = (second: number) => `2026-11-21T00:00:0${second}.000Z`
    const take = (second: number, lost = at(0)) => idempotency.take('key', 'd1', at(second), lost)
    expect([await take(1), await take(2), await idempotency.find('key')]).toEqual([true, false, null])
    expect([await take(3, at(2)), await take(4, at(2))]).toEqual([true, false])
    await idempotency.release('key')
    expect(await take(5)).toBe(true)
    const answer = { request_digest: 'd1', status: 201, body: '{}' }
    await idempotency.put('key', answer, at(6))
    await idempotency.release('key')
    expect([await take(9, at(9)), await idempotency.find('key')]).toEqual([false, answer])
  })

  test('an idempotency key is neither given back nor renewed by a process that has lost the key', async () => {
    const { db, idempotency } = current()
    const other = createIdempotency({ ...db, process: 'prc_other 1 elsewhere' })
    const at = (second: number) => `2026-11-21T00:00:0${second}.000Z`
    expect(await other.take('key', 'd1', at(1), at(0))).toBe(true)
    expect(await idempotency.take('key', 'd1', at(3), at(2))).toBe(true)
    await other.release('key')
    await other.renew('key', at(8))
    expect(await other.take('key', 'd1', at(9), at(2))).toBe(false)
    expect(await other.take('key', 'd1', at(9), at(4))).toBe(true)
  })

  test('a good answer that the database refuses is replayed by its process, and stored when the key is given back', async () => {
    const { db, idempotency } = current()
    let isFull = false
    const own = createIdempotency({
      ...db,
      write: (work) => (isFull ? Promise.reject(new Error('full')) : db.write(work)),
    })
    const answer = { request_digest: 'd1', status: 201, body: '{}' }
    expect(await own.take('key', 'd1', AT, AT)).toBe(true)
    isFull = true
    await expect(own.put('key', answer, AT)).rejects.toThrow('full')
    await expect(own.release('key')).rejects.toThrow('full')
    expect([await own.find('key'), await idempotency.find('key')]).toMatchObject([answer, null])
    isFull = false
    await own.release('key')
    expect(await idempotency.find('key')).toEqual(answer)
  })

  test('rubrics: the first digest under a name stays', async () => {
    const [one, two] = [digestBytes('one'), digestBytes('two')]
    expect(await current().settings.registerRubric('r@1', one, 'content')).toBe(one)
    expect(await current().settings.registerRubric('r@1', two, 'changed')).toBe(one)
    expect(await current().settings.registerRubric('r@1', one, 'content')).toBe(one)
    expect(await current().settings.registerRubric('r@2', two, 'changed')).toBe(two)
  })

  describe('secrets', () => {
    test('are made once and then stable', async () => {
      let calls = 0
      const make = () => new Uint8Array(32).fill(++calls)
      const first = await current().settings.renderingSecret(make)
      const second = await current().settings.renderingSecret(make)
      expect([...first]).toEqual(new Array(32).fill(1))
      expect([...second]).toEqual([...first])
      expect(calls).toBe(1)
    })

    test('a maker that throws stores nothing', async () => {
      const broken = () => {
        throw new Error('no randomness')
      }
      await expect(current().settings.renderingSecret(broken)).rejects.toThrow('no randomness')
      expect([...(await current().settings.renderingSecret(() => Uint8Array.of(7)))]).toEqual([7])
    })
  })
}

const LATER = '2026-11-22T00:00:00.000Z'

const DOCUMENTS: readonly [string, Record<string, unknown>][] = [
  ['empty', {}],
  ['non-Latin', { text: 'Ελληνικά, 中文, עברית, 🧪👩‍🔬, e\u0301' }],
  ['NUL and control characters', { text: 'a\0b\u0001\u001b[31mred\u2028\ufeff', 'key\0': '\0' }],
  ['a lone surrogate', { text: 'cut \ud83d here' }],
  ['nesting, numbers and nulls', { steps: [{ id: 1, args: { deep: [[[null, true, 1.5e-7]]] } }], none: null }],
  ['1 MB', { steps: Array.from({ length: 1000 }, (_, id) => ({ id, text: `${id} ${'λ line\n'.repeat(150)}` })) }],
]

export function describeTrajectories(current: Current): void {
  describe('trajectories', () => {
    test.each(DOCUMENTS)(
      'come back as they were, also where they are opened elsewhere: %s',
      async (_name, document) => {
        const id = digestValue(document)
        expect(await current().trajectories.put({ id, format: 'steps', document }, AT)).toBe(true)
        const stored = await current().trajectories.get(id)
        expect(stored).toEqual({ id, format: 'steps', document, created_at: AT })
        expect(digestValue(stored?.document)).toBe(id)
        const packed = await current().trajectories.getPacked(id)
        expect(JSON.parse(unpackText(packed ?? new Uint8Array()))).toEqual(document)
      },
    )

    test('keep the order of keys', async () => {
      const document = JSON.parse('{"z":1,"a":{"__proto__":2,"b":3}}') as Record<string, unknown>
      await current().trajectories.put({ id: digestValue(document), format: 'steps', document }, AT)
      const stored = await current().trajectories.get(digestValue(document))
      expect(JSON.stringify(stored?.document)).toBe('{"z":1,"a":{"__proto__":2,"b":3}}')
    })

    test('are stored once: the first stays', async () => {
      const document = { text: 'same' }
      const id = digestValue(document)
      const puts = [AT, LATER].map((at) => current().trajectories.put({ id, format: 'steps', document }, at))
      const added = await Promise.all(puts)
      expect(added.toSorted()).toEqual([false, true])
      expect((await current().trajectories.get(id))?.created_at).toBe(added[0] ? AT : LATER)
      expect(await current().trajectories.put({ id, format: 'other', document }, LATER)).toBe(false)
      expect((await current().trajectories.get(id))?.format).toBe('steps')
    })

    test('that are unknown are null', async () => {
      expect(await current().trajectories.get(digestValue('nothing'))).toBeNull()
      expect(await current().trajectories.getPacked(digestValue('nothing'))).toBeNull()
    })
  })
}
