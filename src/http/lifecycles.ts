import type { Clock, Judge } from '../ports/ports.ts'
import type { Lifecycle } from '../schemas/judge-info.ts'

const PATIENCE_MS = 5000
const KEPT_MS = 60 * 60 * 1000

/** What providers say of how long their models can be asked. A provider is asked once an hour at most, however many callers want to know. */
export class Lifecycles {
  readonly #clock: Clock
  readonly #known = new Map<string, { readonly until: number; readonly answer: Promise<Lifecycle> }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Null: it is no model. */
  async of({ info, lifecycle }: Judge): Promise<Lifecycle | null> {
    if (lifecycle === undefined) return null
    const now = this.#clock.now().getTime()
    const known = this.#known.get(info.name)
    if (known !== undefined && known.until > now) return await known.answer
    const answer = lifecycle(AbortSignal.timeout(PATIENCE_MS)).then(
      ({ stage, retires_at }) => ({ stage, retires_at, reason: null }),
      () => UNKNOWN,
    )
    this.#known.set(info.name, { until: now + KEPT_MS, answer })
    return await answer
  }
}

const UNKNOWN: Lifecycle = {
  stage: null,
  retires_at: null,
  reason: 'the provider did not answer, or knows no such model',
}
