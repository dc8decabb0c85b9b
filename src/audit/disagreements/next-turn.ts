/** Lets other requests in: reading from SQLite is synchronous, and a chain of promises alone never leaves the turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
