import type { Clock, Judge } from '../ports/ports.ts'
import type { Lifecycle } from '../schemas/judge-info.ts'

const PATIENCE_MS = 5000
const KEPT_MS = 60 * 60 * 1000

/**
 * What providers say of how long their models can be asked; null of what is no model. A provider is asked once an hour at most, however many
 * callers want to know.
 */
export function createLifecycles(clock: Clock): (judge: Judge) => Promise<Lifecycle | null> {
  const all = new Map<string, { readonly until: number; readonly answer: Promise<Lifecycle> }>()
  return async ({ info, lifecycle }) => {
    if (lifecycle === undefined) return null
    const now = clock.now().getTime()
    const known = all.get(info.name)
    if (known !== undefined && known.until > now) return await known.answer
    const answer = lifecycle(AbortSignal.timeout(PATIENCE_MS)).then(
      ({ stage, retires_at }) => ({ stage, retires_at, reason: null }),
      () => UNKNOWN,
    )
    all.set(info.name, { until: now + KEPT_MS, answer })
    return await answer
  }
}

const UNKNOWN: Lifecycle = {
  stage: null,
  retires_at: null,
  reason: 'the provider did not answer, or knows no such model',
}
