/** What a move does: all of it, only what can be told before it, or only the comparison after it. */
export type MoveMode = 'move' | 'plan' | 'verify'

/** How far it is. */
export interface MoveProgress {
  readonly project: string
  /** `read` the source only, `move` its rows, `verify` what the target has. */
  readonly step: 'read' | 'move' | 'verify'
  readonly table: string
  /** Rows of this step in this project. */
  readonly done: number
  readonly total: number
}

/** How a PostgreSQL is reached. Times in milliseconds. */
export interface PoolSettings {
  /** Of each project in each process. */
  readonly max_connections: number
  /** To connect, and to wait for a connection where all are busy. */
  readonly connect_timeout_ms: number
  /** The server gives a statement up after so long; 0: never. */
  readonly statement_timeout_ms: number
  /** The server closes a connection that leaves a transaction alone for so long. */
  readonly idle_transaction_timeout_ms: number
}

export interface MoveTarget {
  /** May hold a password: never shown. */
  readonly url: string
  readonly settings: PoolSettings
}

export interface MoveOptions {
  /** The main file; those of other projects lie beside it. */
  readonly from: string
  readonly to: MoveTarget
  readonly mode: MoveMode
  readonly now: () => Date
  /** Ends the move; nothing of it stays. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: MoveProgress) => void
  /** About what one statement writes and what is held in memory at once; one row may be larger. 4 MiB where it is not given. */
  readonly chunk_bytes?: number
}

/** One table of one project on both sides. */
export interface MovedTableReport {
  readonly table: string
  readonly rows: number
  readonly digest: string
  /** Null: not looked at. */
  readonly target_rows: number | null
  readonly target_digest: string | null
}

/** References that no constraint holds: how many lead nowhere. */
export interface ReferenceReport {
  readonly reference: string
  readonly dangling: number
}

export interface MovedProject {
  readonly project: string
  readonly schema: string
  readonly tables: readonly MovedTableReport[]
  readonly references: readonly ReferenceReport[]
}

export interface MoveReport {
  /** `differs`: what PostgreSQL has is not what the source has. */
  readonly outcome: 'moved' | 'planned' | 'equal' | 'differs'
  readonly projects: readonly MovedProject[]
  /** Rows that this run has written, and the seconds that took. */
  readonly moved_rows: number
  readonly moving_s: number
  readonly verified_rows: number
  readonly verifying_s: number
}

/** Moves all projects of a SQLite store into PostgreSQL. Throws where it cannot, and has then written nothing. */
export type MoveStore = (options: MoveOptions) => Promise<MoveReport>
