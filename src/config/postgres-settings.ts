import type { Static } from 'typebox'
import { defineSettings, whole } from './settings.ts'

/** Milliseconds that fit a timer of the server. */
const FITS = { maximum: 2_147_483_647 }

export const POSTGRES = defineSettings(
  {
    max_connections: whole(10, 'connections of each process', { maximum: 1000 }),
    statement_timeout_ms: whole(30_000, 'milliseconds of one statement', FITS),
  },
  {
    /** Time to connect, and to wait for a free connection. */
    connect_timeout_ms: 10_000,
    /** Time that a transaction may be idle. */
    idle_transaction_timeout_ms: 60_000,
  },
)

/** How the PostgreSQL of `VERIDICT_DATABASE_URL` is used. The URL itself may hold a password and is no part of the configuration. */
export type PostgresSettings = typeof POSTGRES.defaults & {
  /** Which database it is, without user, password and options: to be shown. */
  readonly shown: string
}

export const DATABASE_URL = 'VERIDICT_DATABASE_URL'

/** Null where no URL is given: SQLite. Throws without repeating the URL, which may hold a password. */
export function resolvePostgres(
  url: string | undefined,
  file: Static<typeof POSTGRES.file> = {},
): PostgresSettings | null {
  if (url === undefined) return null
  if (!URL.canParse(url)) throw new Error(`${DATABASE_URL} is not a URL; ${FORM}`)
  const { protocol, hostname, port, pathname, searchParams } = new URL(url)
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new Error(`${DATABASE_URL} must begin with postgres:// and not with ${protocol}; ${FORM}`)
  if (pathname.length < 2) throw new Error(`${DATABASE_URL} names no database; ${FORM}`)
  if (hostname === '' && !searchParams.has('host')) throw new Error(`${DATABASE_URL} names no host; ${FORM}`)
  const place = hostname === '' ? (searchParams.get('host') ?? '') : `${hostname}${port === '' ? '' : `:${port}`}`
  return { ...POSTGRES.defaults, ...file, shown: `postgres://${place}${pathname}` }
}

const FORM = 'it looks like postgres://user:password@host:5432/database?sslmode=verify-full'
