import { type Profiler, Session } from 'node:inspector'

/** Counts the blocks of some sources that ran, as often as they ran, by V8's own coverage: the work, whatever the machine does besides. */
export class BlockCount {
  readonly #session = new Session()
  readonly #part: string

  /** `part`: of the paths of the sources. */
  constructor(part: string) {
    this.#part = part
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Since the last time. */
  take(): number {
    let scripts: Profiler.ScriptCoverage[] = []
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error
      scripts = taken.result.filter(({ url }) => url.includes(this.#part))
    })
    const ranges = scripts.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
    return ranges.reduce((sum, { count }) => sum + count, 0)
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }
}
