import { setImmediate as nextTurn } from 'node:timers/promises'
import { Script } from 'node:vm'
import fc from 'fast-check'
import { MAX_INPUT_BYTES, type Target } from './target.ts'

/** One input that takes longer than this does not end, for all that anybody waits. */
const MAX_RUN_MS = 10_000
/** How many inputs are run between two looks at the clock. */
const ROUND = 50
/** Of one round, with making its find small. */
const MAX_ROUND_MS = 30_000

interface Find<Input> {
  readonly input: Input
  readonly error: string
}

export interface FuzzResult<Input> {
  readonly runs: number
  readonly finds: readonly Find<Input>[]
}

export interface FuzzOptions {
  readonly seed: number
  readonly seconds: number
  readonly maxFinds: number
  /** Ends sooner than `seconds`, so that a test does not depend on the machine. */
  readonly maxRuns?: number
}

/** The rounds of one seed are not those of the next. */
const ROUNDS_OF_SEED = 65_537

/** Searches for inputs that break the law of the target: those that are kept, then what is near them. Each kind of find once, made small. */
export async function fuzz<Input>(
  target: Target<Input>,
  kept: readonly Input[],
  { seed, seconds, maxFinds, maxRuns = Number.POSITIVE_INFINITY }: FuzzOptions,
): Promise<FuzzResult<Input>> {
  const finds = new Map<string, Find<Input>>()
  const law = async (input: Input): Promise<void> => {
    if (target.encode(input).length > MAX_INPUT_BYTES) return
    const error = await errorOf(target, input)
    if (error !== null && !finds.has(kindOf(error))) throw new Error(error)
  }
  const property = fc.asyncProperty(target.near(kept), law)
  const end = Date.now() + seconds * 1000
  let runs = 0
  for (let round = 0; Date.now() < end && runs < maxRuns && finds.size < maxFinds; round++) {
    const { numRuns, counterexample } = await fc.check(property, {
      seed: (seed * ROUNDS_OF_SEED + round) | 0,
      numRuns: ROUND + (round === 0 ? kept.length : 0),
      examples: round === 0 ? kept.map((input): [Input] => [input]) : [],
      interruptAfterTimeLimit: MAX_ROUND_MS,
      markInterruptAsFailure: false,
    })
    runs += numRuns
    if (counterexample === null) continue
    const [input] = counterexample
    const error = (await errorOf(target, input)) ?? 'broke the law once, and not again'
    finds.set(kindOf(error), { input, error })
  }
  return { runs, finds: [...finds.values()] }
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

/** Finds of one kind are told once: the message without what differs from input to input, and where it was thrown. */
function kindOf(error: string): string {
  const [message = '', ...stack] = error.split('\n')
  const place = stack.find((line) => line.includes('/src/')) ?? ''
  return `${message.split(/["“0-9]/)[0]?.slice(0, 80)} ${place.trim()}`
}
