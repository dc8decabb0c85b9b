import type { Context } from '../context.ts'
import { Type } from '../schemas/type.ts'
import type { InFlight } from './in-flight.ts'

/** What the routes of batches share. */
export interface BatchRouteOptions {
  readonly context: Context
  readonly inFlight: InFlight
  /** Once `draining`, streams end. */
  readonly state: { readonly draining: boolean }
}

export const BatchId = Type.Object({ id: Type.String({ maxLength: 100 }) }, { additionalProperties: false })
