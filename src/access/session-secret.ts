import { createHmac, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Derives the secret that signs the sessions of browsers from the secret of the database and a part that no copy of the database holds: the URL of a
 * PostgreSQL database, or the file `FILE.session` beside an SQLite database, which is made here. Deleting the file and a restart end all sessions.
 * Without a URL and a file the secret ends with the process.
 */
export function sessionSecret(
  stored: Uint8Array,
  at: { readonly url: string | undefined; readonly file: string | null },
): string {
  const own = at.url ?? (at.file === null ? randomBytes(32) : keptSecret(`${at.file}.session`))
  return createHmac('sha256', stored).update('sessions of browsers').update(own).digest('hex')
}

/** Reads the secret of a file, or makes the file, whole at once. Where neither can be done, the secret ends with the process. */
function keptSecret(path: string): Uint8Array {
  const made = randomBytes(32)
  const beside = `${path}.${process.pid}`
  try {
    writeFileSync(beside, made, { mode: 0o600 })
    linkSync(beside, path)
    return made
  } catch {
    return readSecret(path) ?? made
  } finally {
    rmSync(beside, { force: true })
  }
}

function readSecret(path: string): Uint8Array | null {
  try {
    const kept = readFileSync(path)
    return kept.length > 0 ? kept : null
  } catch {
    return null
  }
}
