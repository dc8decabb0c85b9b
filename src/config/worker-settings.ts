import type { Static } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'
import type { Environment } from './environment.ts'

export const WorkersFileSchema = Closed({
  lease_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
  most_in_flight: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
})

/** How batches are worked on where several processes share a PostgreSQL. */
export interface WorkerSettings {
  /** Whether `veridict serve` works on batches too. */
  readonly in_service: boolean
  /** Seconds after which another process may take the work of one that is silent. */
  readonly lease_seconds: number
  /** Items of one judge that a process works on at once at the most, whatever the judge would take; null: no bound. */
  readonly most_in_flight: number | null
  /** Where `veridict worker` answers /healthz, /readyz and /metrics; null: nowhere. */
  readonly port: number | null
}

export const resolveWorkers = (
  { worker, worker_port }: Pick<Environment, 'worker' | 'worker_port'>,
  { lease_seconds = 30, most_in_flight }: Static<typeof WorkersFileSchema> = {},
): WorkerSettings => ({
  in_service: worker !== 'off',
  lease_seconds,
  most_in_flight: most_in_flight ?? null,
  port: worker_port ?? null,
})
