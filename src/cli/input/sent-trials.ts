import { ServiceError } from '../../client/errors.ts'
import type { BatchOptions } from '../../schemas/batch.ts'
import type { Session } from '../client/session.ts'
import type { TrialStream } from './trial-lines.ts'

/** A trial of which nothing is known. */
const BLANK = {
  item: {
    trajectory: { steps: [{ actor: 'user', text: '–' }] },
    ground_truth: { instruction: '–', cue: { text: '–' } },
  },
  trajectory: null,
} as const

/**
 * Throws what the service says to a judge or rubric that was typed and cannot be asked, before the paths are read, which may take minutes. It is
 * asked by a dry run of one blank trial, which keeps nothing; what is wrong with that trial alone is no matter.
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
    // Trials can name a judge of their own.
    const isTyped = places.some(({ path }) => path === '/rubric' || (judge !== undefined && OF_JUDGE.includes(path)))
    if (isTyped) throw new ServiceError(error.status, { code: error.code, detail: error.message, errors: places })
  })
}

/** Where a judge is refused that there is not, or that cannot do what is wanted of it. */
const OF_JUDGE = ['/judge', '/mode', '/max_cost_usd']

/** A reading that breaks ends the upload; what broke it is the better story. */
export async function unlessBroken<T>(stream: TrialStream, sent: Promise<T>): Promise<T> {
  return await sent.catch((error: unknown) => {
    throw stream.fault() ?? (error instanceof ServiceError ? placed(error, stream) : error)
  })
}

/** The service counts the lines that it was sent; people know the trial, and the line of their own file. */
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
