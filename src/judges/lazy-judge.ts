import type { JudgeInfo } from '../ports/judge-ports.ts'
import type { Judge } from '../ports/ports.ts'
import type { BatchLimits } from '../schemas/providers.ts'

/**
 * A judge whose adapter, with an SDK of hundreds of files, is loaded when it is first used: a service that is asked for other judges, and a command
 * that asks none, do without. `batches`: the limits of its provider’s batch endpoint, null where there is none.
 */
export function lazyJudge(info: JudgeInfo, batches: BatchLimits | null, load: () => Promise<Judge>): Judge {
  let loading: Promise<Judge> | undefined
  const loaded = () => {
    loading ??= load()
    return loading
  }
  const judge: Judge = {
    info,
    prepare: async () => void (await loaded()),
    ask: async (request, signal) => (await loaded()).ask(request, signal),
  }
  if (batches === null) return judge
  const whole = async () => (await loaded()) as Required<Judge>
  const batch = async () => (await whole()).batch
  return {
    ...judge,
    lifecycle: async (signal) => (await whole()).lifecycle(signal),
    batch: {
      ...batches,
      encode: async (customId, request) => (await batch()).encode(customId, request),
      submit: async (submission, signal) => (await batch()).submit(submission, signal),
      find: async (submission, signal) => (await batch()).find(submission, signal),
      poll: async (id, signal) => (await batch()).poll(id, signal),
      async *results(id, signal) {
        yield* (await batch()).results(id, signal)
      },
      cancel: async (id, signal) => (await batch()).cancel(id, signal),
    },
  }
}
