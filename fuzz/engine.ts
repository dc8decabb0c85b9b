import { setImmediate as nextTurn } from 'node:timers/promises'
import { Script } from 'node:vm'
import { Coverage } from './coverage.ts'
import { Random } from './random.ts'
import { MAX_INPUT_BYTES, type Target } from './target.ts'

/** How many inputs are run between two looks at the coverage: a look costs more than a run. */
const BATCH = 25
/** One input that takes longer than this does not end, for all that anybody waits. */
const MAX_RUN_MS = 10_000
const MAX_SHRINK_RUNS = 4000
const MAX_SHRINK_MS = 20_000

export interface Find<Input> {
  readonly input: Input
  readonly error: string
}

export interface FuzzResult<Input> {
  readonly runs: number
  /** Characters of source that ran: by the seeds, and at the end. */
  readonly covered: { readonly seeds: number; readonly end: number }
  /** The inputs that ran something new, the seeds among them. */
  readonly corpus: readonly Input[]
  /** How many of the corpus are not seeds. */
  readonly fresh: number
  readonly finds: readonly Find<Input>[]
}

export interface FuzzOptions {
  readonly seed: number
  readonly seconds: number
  readonly maxFinds: number
  /** Ends sooner than `seconds`, so that a test does not depend on the machine. */
  readonly maxRuns?: number
}

/** Searches for an input that breaks the law of the target: changes what ran something new, and keeps what does so again. */
export async function fuzz<Input>(
  target: Target<Input>,
  seeds: readonly Input[],
  { seed, seconds, maxFinds, maxRuns = Number.POSITIVE_INFINITY }: FuzzOptions,
): Promise<FuzzResult<Input>> {
  const random = new Random(seed)
  const coverage = new Coverage(target.covers)
  const corpus: Input[] = [...seeds]
  const finds = new Map<string, Find<Input>>()
  const learn = async (inputs: readonly Input[]): Promise<void> => {
    for (const { input, error } of await runAll(target, inputs)) {
      const kind = kindOf(error)
      if (!finds.has(kind)) finds.set(kind, { input: await shrink(target, input, kind), error })
    }
  }
  await learn(seeds)
  coverage.take()
  const covered = coverage.total
  let runs = seeds.length
  const end = Date.now() + seconds * 1000
  while (Date.now() < end && runs < maxRuns && finds.size < maxFinds && corpus.length > 0) {
    const batch = Array.from({ length: BATCH }, () => nextInput(target, corpus, random))
    await learn(batch)
    runs += batch.length
    if (coverage.peek() === 0) continue
    // Each is run again, by itself, to know which of them it was.
    for (const input of batch) {
      await errorOf(target, input)
      if (coverage.take() > 0) corpus.push(input)
    }
  }
  coverage.stop()
  const result = { runs, covered: { seeds: covered, end: coverage.total }, corpus, fresh: corpus.length - seeds.length }
  return { ...result, finds: [...finds.values()] }
}

function nextInput<Input>(target: Target<Input>, corpus: readonly Input[], random: Random): Input {
  // What came last is what is understood least.
  const late = corpus.length - 1 - Math.floor(random.next() ** 3 * corpus.length)
  const base = corpus[random.chance(0.5) ? random.below(corpus.length) : Math.max(0, late)] as Input
  const input = target.mutate(base, random, corpus)
  return target.encode(input).length <= MAX_INPUT_BYTES ? input : base
}

/** Why an input breaks the law; null where it holds. */
export async function errorOf<Input>(target: Target<Input>, input: Input): Promise<string | null> {
  const guarded = globalThis as { fuzzRun?: () => unknown }
  guarded.fuzzRun = () => target.check(input)
  try {
    // Ends what loops for ever, which nothing else in this process can.
    const running = GUARD.runInThisContext({ timeout: MAX_RUN_MS }) as undefined | Promise<void>
    if (running !== undefined) await withoutStrays(running)
    return null
  } catch (error) {
    if (!(error instanceof Error)) return 'threw something that is no error'
    const places = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '))
    return [`${error.constructor.name}: ${error.message.replaceAll('\n', ' ')}`, ...places].join('\n')
  }
}

/** What is thrown where nobody waits for it would end a service, so it is a find as well. */
async function withoutStrays(running: Promise<void>): Promise<void> {
  const strays: unknown[] = []
  const hear = (error: unknown): void => {
    strays.push(error)
  }
  process.on('uncaughtException', hear)
  try {
    await running
    await nextTurn()
  } finally {
    process.off('uncaughtException', hear)
  }
  if (strays.length > 0) throw strays[0]
}

const GUARD = new Script('globalThis.fuzzRun()')

async function runAll<Input>(target: Target<Input>, inputs: readonly Input[]): Promise<Find<Input>[]> {
  const finds: Find<Input>[] = []
  for (const input of inputs) {
    const error = await errorOf(target, input)
    if (error !== null) finds.push({ input, error })
  }
  return finds
}

/** Finds of one kind are told once: the message without what differs from input to input, and where it was thrown. */
function kindOf(error: string): string {
  const [message = '', ...stack] = error.split('\n')
  const place = stack.find((line) => line.includes('/src/')) ?? ''
  return `${message.split(/["“0-9]/)[0]?.slice(0, 80)} ${place.trim()}`
}

/** The smallest input that is found to break the law in the same way. */
async function shrink<Input>(target: Target<Input>, input: Input, kind: string): Promise<Input> {
  const end = Date.now() + MAX_SHRINK_MS
  let best = input
  let runs = 0
  for (let improved = true; improved; ) {
    improved = false
    for (const smaller of target.smaller(best)) {
      if (++runs > MAX_SHRINK_RUNS || Date.now() > end) return best
      if (target.encode(smaller).length >= target.encode(best).length) continue
      const error = await errorOf(target, smaller)
      if (error === null || kindOf(error) !== kind) continue
      best = smaller
      improved = true
      break
    }
  }
  return best
}
