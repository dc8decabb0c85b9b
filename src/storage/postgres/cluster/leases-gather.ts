interface Waiting<A, B> {
  readonly given: A
  readonly resolve: (answer: B) => void
  readonly reject: (error: unknown) => void
}

/** Of one statement. */
const MOST = 500

/**
 * One statement at a time for all who ask meanwhile: what comes while one is under way goes into the next; with `isSerial` false, what is
 * asked in one turn alone goes together. `work` answers in the order of what it is given; what it rejects with, all of them hear.
 */
export function gather<A, B>(
  work: (given: readonly A[]) => Promise<readonly B[]>,
  isSerial = true,
): (one: A) => Promise<B> {
  let waiting: Waiting<A, B>[] = []
  let isBusy = false

  async function runOnce(batch: readonly Waiting<A, B>[]): Promise<void> {
    try {
      const answers = await work(batch.map(({ given }) => given))
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as B)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function run(): Promise<void> {
    isBusy = true
    // Those of the same turn come along.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      const ran = runOnce(batch)
      if (isSerial) await ran
    }
    isBusy = false
  }

  return (given) =>
    new Promise((resolve, reject) => {
      waiting.push({ given, resolve, reject })
      if (!isBusy) void run()
    })
}
