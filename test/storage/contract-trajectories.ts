import { describe, expect, test } from 'vitest'
import { unpackText } from '../../src/db/text.ts'
import { digestValue } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'

const AT = '2026-11-21T00:00:00.000Z'
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
