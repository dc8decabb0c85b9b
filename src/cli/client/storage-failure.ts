interface StorageFailure {
  readonly message: string
  /** Whether no database answered. */
  readonly away: boolean
}

/** Reads the failure of a store, with its server, for the user. The name of the error decides: commands import no store. */
export function readStorageFailure(error: unknown): StorageFailure | null {
  if (!(error instanceof Error) || error.name !== 'StorageError') return null
  const { server, away } = error as { readonly server?: unknown; readonly away?: unknown }
  const at = typeof server === 'string' ? ` (${server})` : ''
  return { message: error.message + at, away: away === true }
}
