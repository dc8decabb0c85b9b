import { type Profiler, Session } from 'node:inspector'

/**
 * V8's own precise block coverage, in process: no instrumentation and nothing to install. Counts are reset each time they are taken.
 */
export class Coverage {
  readonly #session = new Session()
  readonly #covers: readonly string[]
  /** One byte for each character of a script: whether it was ever run. */
  readonly #seen = new Map<string, Uint8Array>()
  #total = 0

  constructor(covers: readonly string[]) {
    this.#covers = covers
    this.#session.connect()
    this.#post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    this.take()
    this.#seen.clear()
    this.#total = 0
  }

  /** Characters of the sources that were run so far. */
  get total(): number {
    return this.#total
  }

  /** What ran since the last look: how many characters of it never ran before. They count as run from now on. */
  take(): number {
    let fresh = 0
    for (const { url, functions } of this.#collect()) fresh += this.#fresh(url, functions, true)
    this.#total += fresh
    return fresh
  }

  /** The same, and what is new stays new. */
  peek(): number {
    return this.#collect().reduce((sum, { url, functions }) => sum + this.#fresh(url, functions, false), 0)
  }

  /** How many blocks ran since the last time, counted as often as they ran: the work, whatever the machine does besides. */
  work(): number {
    let sum = 0
    for (const { functions } of this.#collect())
      for (const { ranges } of functions) for (const { count } of ranges) sum += count
    return sum
  }

  stop(): void {
    this.#post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }

  #fresh(url: string, functions: readonly Profiler.FunctionCoverage[], keep: boolean): number {
    const end = functions.reduce((most, { ranges }) => Math.max(most, ranges[0]?.endOffset ?? 0), 0)
    const now = new Uint8Array(end)
    // Outer ranges come before the inner ones that correct them, also from function to function.
    for (const { ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges) now.fill(count > 0 ? 1 : 0, startOffset, endOffset)
    const known = this.#seen.get(url)
    const seen = known !== undefined && known.length >= end ? known : new Uint8Array(end)
    if (known !== undefined && seen !== known) seen.set(known)
    let fresh = 0
    for (let at = 0; at < end; at++)
      if (now[at] === 1 && seen[at] === 0) {
        if (keep) seen[at] = 1
        fresh++
      }
    if (keep) this.#seen.set(url, seen)
    return fresh
  }

  #collect(): Profiler.ScriptCoverage[] {
    let scripts: Profiler.ScriptCoverage[] = []
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error
      scripts = taken.result.filter(({ url }) => this.#covers.some((part) => url.includes(part)))
    })
    return scripts
  }

  #post(method: 'Profiler.enable' | 'Profiler.stopPreciseCoverage'): void {
    this.#session.post(method, (error) => {
      if (error !== null) throw error
    })
  }
}
