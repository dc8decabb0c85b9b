import { Closed, Type } from '../../schemas/type.ts'
import type { Context } from '../context.ts'
import type { InFlight } from '../guard/in-flight.ts'

/** What the routes of batches share. */
export interface BatchRouteOptions {
  readonly context: Context
  readonly inFlight: InFlight
  /** Once `draining`, streams end. */
  readonly state: { readonly draining: boolean }
}

export const BatchId = Closed({ id: Type.String({ maxLength: 100 }) })
