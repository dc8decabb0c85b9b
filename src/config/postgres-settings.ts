import type { Static } from 'typebox'
import { Type } from '../schemas/type.ts'

const positive = (maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum }))

/** Milliseconds that fit a timer of the server. */
const LONGEST_MS = 2_147_483_647

export const PostgresFileSchema = Type.Object(
  {
    max_connections: positive(1000),
    connect_timeout_ms: positive(LONGEST_MS),
    statement_timeout_ms: positive(LONGEST_MS),
    idle_transaction_timeout_ms: positive(LONGEST_MS),
  },
  { additionalProperties: false },
)

export type PostgresFile = Static<typeof PostgresFileSchema>

/** How the PostgreSQL of `VERIDICT_DATABASE_URL` is used. The URL itself may hold a password and is no part of the configuration. */
export interface PostgresSettings {
  /** Of each project in each process. */
  readonly max_connections: number
  /** Milliseconds; so are the others. */
  readonly connect_timeout_ms: number
  readonly statement_timeout_ms: number
  readonly idle_transaction_timeout_ms: number
  /** Which database it is, without user, password and options: to be shown. */
  readonly shown: string
}

const DEFAULTS = {
  max_connections: 10,
  connect_timeout_ms: 10_000,
  statement_timeout_ms: 30_000,
  idle_transaction_timeout_ms: 60_000,
} as const

export const DATABASE_URL = 'VERIDICT_DATABASE_URL'

/** Null where no URL is given: SQLite. Throws without repeating the URL, which may hold a password. */
export function resolvePostgres(url: string | undefined, file: PostgresFile = {}): PostgresSettings | null {
  if (url === undefined) return null
  if (!URL.canParse(url)) throw new Error(`${DATABASE_URL} is not a URL; ${FORM}`)
  const { protocol, hostname, port, pathname, searchParams } = new URL(url)
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new Error(`${DATABASE_URL} must begin with postgres:// and not with ${protocol}; ${FORM}`)
  if (pathname.length < 2) throw new Error(`${DATABASE_URL} names no database; ${FORM}`)
  if (hostname === '' && !searchParams.has('host')) throw new Error(`${DATABASE_URL} names no host; ${FORM}`)
  const place = hostname === '' ? (searchParams.get('host') ?? '') : `${hostname}${port === '' ? '' : `:${port}`}`
  return { ...DEFAULTS, ...file, shown: `postgres://${place}${pathname}` }
}

const FORM = 'it looks like postgres://user:password@host:5432/database?sslmode=verify-full'
