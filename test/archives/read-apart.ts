import { readTrials } from '../../src/archives/trials/read-trials.ts'
import { parseGroundTruths } from '../../src/archives/truth/ground-truths.ts'

/**
 * Reads a path in a separate process: `node --expose-gc read-apart.ts <path> <temp folder>`. `peakBytes` is the largest memory of the
 * process, garbage included; `heldBytes` is the largest memory in use when the reader yielded an item.
 */
const [path = '', tempFolder = ''] = process.argv.slice(2)
const truth = parseGroundTruths('{"instruction": "Build.", "cue": "make it"}', '')
if (!truth.ok) throw new Error('no truth')
const items: string[] = []
let peakBytes = 0
let heldBytes = 0
const sample = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}
/**
 * Measures the memory in use, in bytes, as the least of several measurements: under load, one collection leaves memory that finalizers have
 * yet to free.
 */
const held = async () => {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 3; look++) {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    least = Math.min(least, heapUsed + external)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return least
}
const sampling = setInterval(sample, 5)
for await (const item of readTrials([path], { tempFolder, groundTruths: truth.value })) {
  items.push(item.kind === 'trial' ? item.name : `${item.name}: ${item.reason}: ${item.detail}`)
  heldBytes = Math.max(heldBytes, await held())
}
sample()
clearInterval(sampling)
process.stdout.write(JSON.stringify({ items, peakBytes, heldBytes }))
