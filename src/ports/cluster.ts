import type { LeaseStore } from './lease-ports.ts'
import type { SliceStore, WorkNotices } from './slice-ports.ts'

/** What several processes on one database share. Null in `Stores` where there is only one: SQLite. */
export interface Cluster {
  readonly leases: LeaseStore
  readonly slices: SliceStore
  /** Of all projects. */
  readonly notices: WorkNotices
}
