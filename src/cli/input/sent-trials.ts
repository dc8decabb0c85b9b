import { ServiceError } from '../../client/errors.ts'
import type { BatchOptions } from '../../schemas/batch.ts'
import type { Session } from '../client/session.ts'
import type { TrialStream } from './trial-lines.ts'

/** A trial without content. */
const BLANK = {
  item: {
    trajectory: { steps: [{ actor: 'user', text: '–' }] },
    ground_truth: { instruction: '–', cue: { text: '–' } },
  },
  trajectory: null,
} as const

/**
 * Throws the service's refusal of a typed judge or rubric before the paths are read, which may take minutes. A dry run of a blank trial
 * asks the service, and keeps nothing; a refusal of the blank trial itself does not count.
 */
export async function checkGrading({ client, signal }: Session, options: BatchOptions): Promise<void> {
  const { judge, rubric } = options
  if (judge === undefined && rubric === undefined) return
  async function* blank() {
    yield BLANK
  }
  await client.estimateBatch(options, blank(), signal).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
    const places = error.errors.map((one) => ({ ...one, path: one.path.replace(/^\/items\/0/, '') }))
    // Trials can name their own judge.
    const isTyped = places.some(({ path }) => path === '/rubric' || (judge !== undefined && OF_JUDGE.includes(path)))
    if (isTyped) throw new ServiceError(error.status, { code: error.code, detail: error.message, errors: places })
  })
}

/** Places of a refused judge. */
const OF_JUDGE = ['/judge', '/mode', '/max_cost_usd']

/** Awaits an upload. Throws the fault of the reading, if the reading broke the upload. */
export async function unlessBroken<T>(stream: TrialStream, sent: Promise<T>): Promise<T> {
  return await sent.catch((error: unknown) => {
    throw stream.fault() ?? (error instanceof ServiceError ? placed(error, stream) : error)
  })
}

/** Replaces the line numbers of a refusal by the names of the trials. */
function placed(error: ServiceError, stream: TrialStream): ServiceError {
  let detail = error.message
  const errors = error.errors.map(({ path, message }) => {
    const [, list, digits = '', ...rest] = path.split('/')
    const place = list === 'items' && digits !== '' ? stream.placeAt(Number(digits)) : null
    if (place === null) return { path, message }
    const sent = `line ${Number(digits) + 1}`
    if (detail.startsWith(`${sent} `)) detail = `${place}${detail.slice(sent.length)}`
    return { path: `${place} ${rest.map((name) => `/${name}`).join('')}`.trim(), message }
  })
  return new ServiceError(error.status, { code: error.code, detail, errors })
}
