import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Batch } from './contract.ts'
import { chunksOf } from './lines.ts'
import { type FollowTiming, persist } from './persist.ts'

/** As much of a batch as says whether it goes on. */
interface State {
  readonly status: string
  readonly resumes_at: string | null
}

/** Whether nothing more will happen by itself: ended, or parked until it is resumed. */
export const isSettled = (batch: State): boolean =>
  batch.status === 'done' || batch.status === 'cancelled' || waitsForYou(batch)

/** How many items of a batch have a result. */
export const endedOf = ({ counts: { total, pending, running } }: Pick<Batch, 'counts'>): number =>
  total - pending - running

/** Parked, and does not try again by itself. */
export const waitsForYou = ({ status, resumes_at }: State): boolean => status === 'parked' && resumes_at === null

/** What is asked of a batch that is followed. */
interface BatchSource<B extends State> {
  readBatch(id: string, signal?: AbortSignal): Promise<B>
  events(id: string, signal?: AbortSignal): AsyncGenerator<B>
}

/** A batch as it goes, until nothing more will happen by itself; its last state comes last. See `persist`. */
export const followBatch = <B extends State>(
  source: BatchSource<B>,
  id: string,
  signal?: AbortSignal,
  timing?: FollowTiming,
): AsyncGenerator<B> =>
  persist(
    async function* (answered) {
      const batch = await source.readBatch(id, signal)
      answered()
      yield batch
      if (isSettled(batch)) return true
      for await (const next of source.events(id, signal)) {
        yield next
        if (isSettled(next)) return true
      }
      return false
    },
    signal,
    timing,
  )

/** The most that is held of an event whose end does not come, in characters. */
const MOST_EVENT_CHARS = 1_000_000

/** The states in a stream of server-sent events, as text, up to its `end`. */
export async function* readStates(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MOST_EVENT_CHARS }))
  for await (const { event, data } of chunksOf(events)) {
    if (event === 'progress' || event === 'end') yield data
    if (event === 'end') return
  }
}

type ReadableWritablePair<R, W> = { readable: ReadableStream<R>; writable: WritableStream<W> }
