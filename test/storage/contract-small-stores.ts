import { describe, expect, test } from 'vitest'
import { digestBytes } from '../../src/domain/digest.ts'
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
