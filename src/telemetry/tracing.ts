import type { Lane } from '../asking/lane/lane.ts'
import type { GradingService } from '../grading/service.ts'
import type { Judge } from '../ports/ports.ts'
import type { Slice, SliceEnd } from '../ports/slice-ports.ts'
import type { UnitWatcher } from './watch-stores.ts'

/**
 * What is done, for whom, and how long it takes, told to a collector of OpenTelemetry. The rest of the program knows this port alone;
 * without the standard variables everything here does nothing and costs nothing. No text of users or agents (a trajectory, a quote, an
 * answer, a message, a path, a key) ever becomes a name or an attribute: closed words, ids of ours and numbers do, and the id that a caller
 * gives as `gen_ai.response.id` to be found by.
 */
export interface Tracing {
  /** The W3C `traceparent` of what is being done now, to be carried along (in a notice); undefined where nothing is traced. */
  inject(): string | undefined
  /**
   * A slice is being worked on here: in a trace of its own that links to what `traceparent` names, since a batch of ten thousand items as one
   * trace could be shown by nothing. Its items are graded inside of it until the end is told; what is no traceparent counts as none.
   */
  slice(slice: Slice, traceparent: string | undefined): (end: SliceEnd) => void
  /** The span of an HTTP request; null: not traced. */
  request(arrived: Arrived): RequestSpan | null
  /** Makes a span of every unit of work of a store that a traced piece of work asks for; null: nothing is traced. */
  units(database: DatabaseKind): UnitWatcher | null
  /** The same service, every grade of which is a span. */
  service(service: GradingService, project: string): GradingService
  /** The same judge, every call of which is a span. Nothing is added to what is sent to the provider. */
  judge(judge: Judge): Judge
  /** The same lane; its calls belong to who asked for them and not to whose end made room for them. */
  lane(lane: Pick<Lane, 'call'>): Pick<Lane, 'call'>
  /** Hears how many spans could not be sent, at most once a minute. */
  onLoss(listener: (spans: number) => void): void
  /** Sends what is left, for three seconds at the most. Never rejects. */
  close(): Promise<void>
}

export type DatabaseKind = 'sqlite' | 'postgresql'

export interface Arrived {
  readonly method: string
  /** Of the application (`/v1/grades/:id`); undefined: none fits. */
  readonly route: string | undefined
  /** As the header has it. */
  readonly traceparent: string | readonly string[] | undefined
}

export interface RequestSpan {
  /** Does something as part of the request. */
  enter<T>(work: () => T): T
  /** The status of the answer; null: the client went before there was a whole one. Told once. */
  end(status: number | null): void
}

/** Where tracing is off. */
export const NO_TRACING: Tracing = {
  inject: () => undefined,
  slice: () => () => undefined,
  request: () => null,
  units: () => null,
  service: (service) => service,
  judge: (judge) => judge,
  lane: (lane) => lane,
  onLoss: () => undefined,
  close: async () => undefined,
}
