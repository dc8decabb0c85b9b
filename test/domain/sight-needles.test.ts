import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { resolveAnchors } from '../../src/domain/anchors/anchors.ts'
import { prepareNeedles } from '../../src/domain/sights/needle-search.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const truthOf = (at: number) => {
  const text = Array.from({ length: 400 }, (_, word) => `w${at}${String.fromCodePoint(0x100 + word)}`).join(' ')
  return { cue: { text: `cue ${text}` }, distractor: { text: `other ${text}` } }
}

test('ground truths that are kept do not keep what they are searched for with', async () => {
  const kept = []
  for (let at = 0; at < 60; at++) {
    const truth = truthOf(at)
    kept.push({ truth, needles: prepareNeedles(resolveAnchors(truth)).all.length })
    await turn()
  }
  await turn()
  collect()
  const { arrayBuffers } = process.memoryUsage()
  expect(kept).toHaveLength(60)
  expect(arrayBuffers / 1024 / 1024).toBeLessThan(80)
})
