import { fileURLToPath } from 'node:url'
import PQueue from 'p-queue'
import type { Piscina } from 'piscina'
import { parseStored, textIn, unpackBytes } from '../db/text.ts'
import { err, type Issue, ok, type Result } from '../domain/result.ts'
import type { JsonFault } from '../domain/text/json.ts'
import { rememberPacked, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import { readTrajectory } from '../formats/read.ts'

/** Bytes of a body or stored run above which a thread reads it, so that it does not hold up other requests. */
export const LARGE_BODY = 1024 * 1024

/** Young heap of the thread. V8 would grow it to hundreds of megabytes over large texts, and keep them. */
const YOUNG_HEAP_MB = 32
/** The thread ends after this time without work, and gives its memory back. */
const IDLE_MS = 30_000

/** Work of the thread: a request that holds a trajectory, a run that was sent alone, or the text of a stored run. */
export interface LargeBody {
  readonly kind: 'request' | 'run' | 'stored'
  readonly bytes: Uint8Array
  readonly limits: BodyLimits
}

/** `depth`: levels of nesting that a body may have. */
export type BodyLimits = ReadLimits & { readonly depth: number }

export interface ReadBody {
  /** Parsed body; without its trajectory where `run` is set. */
  readonly body: unknown
  /** The trajectory, and its document as the store keeps it. */
  readonly run: { readonly read: Result<Trajectory, Issue[]>; readonly packed: Uint8Array } | null
}

const TOO_COSTLY: JsonFault = {
  code: 'body_too_large',
  path: '',
  message: 'reading the body takes more memory or time than one body may take',
}

/** Trajectories that the thread has read, by the empty object that stands for their document. */
const readings = new WeakMap<object, Result<Trajectory, Issue[]>>()

/** Reads a document, or answers the reading of the thread where the document is a stand-in of `readLargeBody`. */
export const readDocument = (document: unknown, limits: ReadLimits): Result<Trajectory, Issue[]> =>
  (typeof document === 'object' && document !== null ? readings.get(document) : undefined) ??
  readTrajectory(document, limits)

/**
 * Parses a body in the thread and reads its trajectory there. An empty object stands for the trajectory’s document in the value: `readDocument` knows
 * its reading, and the store keeps the document that was sent. The bytes may be unusable afterwards.
 */
export async function readLargeBody(
  kind: 'request' | 'run',
  bytes: Uint8Array,
  limits: BodyLimits,
  inThread: BodyThread = sharedThread,
): Promise<Result<unknown, JsonFault>> {
  const read = await inThread({ kind, bytes, limits })
  if (!read.ok) return read
  const { body, run } = read.value
  if (run === null) return ok(body)
  const document = {}
  readings.set(document, run.read)
  rememberPacked(document, run.packed)
  return ok(kind === 'run' ? document : { ...(body as object), trajectory: document })
}

/** Reads a stored run, in the thread where the run is large. Throws where the run can no longer be read. */
export async function readStoredRun(packed: Uint8Array, limits: ReadLimits): Promise<Trajectory> {
  const bytes = unpackBytes(packed)
  const inThread = async () => {
    const read = await sharedThread({ kind: 'stored', bytes, limits: { ...limits, depth: Number.POSITIVE_INFINITY } })
    return read.ok ? read.value.run?.read : read
  }
  const read = bytes.length > LARGE_BODY ? await inThread() : readTrajectory(parseStored(textIn(bytes)), limits)
  if (!read?.ok) throw new Error('a stored trajectory can no longer be read')
  return read.value
}

type BodyThread = (work: LargeBody) => Promise<Result<ReadBody, JsonFault>>

/**
 * Opens a thread with the first body. The thread reads one body after the other: a task in piscina’s queue would wait forever after the death of the
 * only thread. Reading that exceeds a bound ends the thread.
 *
 * @param heap_mb of the old heap. A limit reached within `JSON.parse` ends the whole process, so the limit is far above 22 times a body, the most
 *   that parsing takes.
 */
export function openBodyThread(heap_mb: number, reading_ms: number): BodyThread {
  let pool: Promise<Piscina> | undefined
  const queue = new PQueue({ concurrency: 1 })
  return (work) =>
    queue.add(async () => {
      pool ??= openPool(heap_mb)
      return readInPool(await pool, work, reading_ms)
    })
}

async function readInPool(pool: Piscina, work: LargeBody, reading_ms: number): ReturnType<BodyThread> {
  const { buffer, byteLength } = work.bytes
  const transferList = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
  const broken = new AbortController()
  const onBroken = (error: Error) => broken.abort(error)
  pool.on('error', onBroken)
  try {
    return await pool.run(work, {
      transferList,
      signal: AbortSignal.any([AbortSignal.timeout(reading_ms), broken.signal]),
    })
  } catch (error) {
    if (broken.signal.aborted) throw broken.signal.reason
    if (isCostly(error)) return err(TOO_COSTLY)
    throw error
  } finally {
    pool.off('error', onBroken)
  }
}

async function openPool(heap_mb: number): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  const opened = new Piscina({
    filename: fileURLToPath(new URL('./large-body-thread.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    // A thread that waits by Atomics blocks its own event loop.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: heap_mb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  })
  // An error of an idle thread has no caller; without a listener it would end the process.
  return opened.on('error', () => undefined)
}

const isCostly = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'AbortError' || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')

const sharedThread = openBodyThread(2048, 60_000)
