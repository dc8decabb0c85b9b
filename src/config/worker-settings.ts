import type { Static } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'

export const WorkersFileSchema = Closed({
  lease_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
  most_in_flight: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
})

type WorkersFile = Static<typeof WorkersFileSchema>

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

const LEASE_SECONDS = 30

export const resolveWorkers = (
  { worker, worker_port }: { readonly worker: 'on' | 'off' | undefined; readonly worker_port: number | undefined },
  { lease_seconds = LEASE_SECONDS, most_in_flight }: WorkersFile = {},
): WorkerSettings => ({
  in_service: worker !== 'off',
  lease_seconds,
  most_in_flight: most_in_flight ?? null,
  port: worker_port ?? null,
})
