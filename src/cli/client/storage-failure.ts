interface StorageFailure {
  readonly message: string
  /** Nothing answered where the database is. */
  readonly away: boolean
}

/** What a refusal of the store says to who types commands: with the server that it is about. By name: commands know nothing of the store. */
export function readStorageFailure(error: unknown): StorageFailure | null {
  if (!(error instanceof Error) || error.name !== 'StorageError') return null
  const { server, away } = error as { readonly server?: unknown; readonly away?: unknown }
  const at = typeof server === 'string' ? ` (${server})` : ''
  return { message: error.message + at, away: away === true }
}
