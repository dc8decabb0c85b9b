import { withoutReply } from '../asking/asker.ts'
import type { BatchApi } from '../ports/batch-api.ts'
import type { JudgeInfo } from '../ports/judge-ports.ts'
import type { Judge } from '../ports/ports.ts'
import type { Failure } from '../schemas/grade.ts'
import type { BatchLimits } from '../schemas/providers.ts'

type Loaded = { readonly ok: true; readonly judge: Judge } | { readonly ok: false; readonly failure: Failure }

/**
 * A judge whose adapter, with an SDK of hundreds of files, is loaded when it is first used: a service that is asked for other judges, and a command
 * that asks none, do without. `batches`: the limits of its provider’s batch endpoint, null where there is none.
 */
export function lazyJudge(info: JudgeInfo, batches: BatchLimits | null, load: () => Promise<Judge>): Judge {
  let loading: Promise<Judge> | undefined
  // What failed once, for want of file handles or during an installation, is tried again.
  const whole = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  const loaded = (): Promise<Loaded> =>
    whole().then(
      (judge) => ({ ok: true, judge }),
      (error: unknown) => ({ ok: false, failure: cannotLoad(info.name, error) }),
    )
  const judge: Judge = {
    info,
    async prepare() {
      const one = await loaded()
      return one.ok ? null : one.failure
    },
    async ask(request, signal) {
      const one = await loaded()
      return one.ok ? one.judge.ask(request, signal) : withoutReply(one.failure)
    },
  }
  return batches === null ? judge : { ...judge, ...lazyEndpoints(batches, whole, loaded) }
}

/** What judges with a batch endpoint have beside. */
function lazyEndpoints(batches: BatchLimits, whole: () => Promise<Judge>, loaded: () => Promise<Loaded>) {
  const batchOf = (judge: Judge) => (judge as Required<Judge>).batch
  const call = async <T>(make: (api: BatchApi) => Promise<T>) => {
    const one = await loaded()
    return one.ok ? make(batchOf(one.judge)) : one
  }
  return {
    batch: {
      ...batches,
      encode: async (customId, request) => batchOf(await whole()).encode(customId, request),
      submit: (submission, signal) => call((api) => api.submit(submission, signal)),
      find: (submission, signal) => call((api) => api.find(submission, signal)),
      poll: (id, signal) => call((api) => api.poll(id, signal)),
      async *results(id, signal) {
        const one = await loaded()
        if (one.ok) yield* batchOf(one.judge).results(id, signal)
        else yield one
      },
      cancel: (id, signal) => call((api) => api.cancel(id, signal)),
    },
  } satisfies Partial<Judge>
}

const cannotLoad = (name: string, error: unknown): Failure => ({
  code: 'internal',
  message: `the adapter of the judge ${name} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
  retryable: false,
  retry_after_s: null,
})
