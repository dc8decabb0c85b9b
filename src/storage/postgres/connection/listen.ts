import pg from 'pg'
import { decodeText } from './text.ts'

/** Heard of what other processes say with `pg_notify`, on one connection that is opened when it is first needed. */
export interface Listener {
  /**
   * `channel` is letters, digits and underscores. `onHeard` gets the words of each notice, and null when the connection was made anew:
   * something may have been missed. Nothing is promised: waiters also look from time to time. Neither may throw.
   */
  on(channel: string, onHeard: (words: string | null) => void): void
  close(): Promise<void>
}

const AGAIN_MS = { first: 50, most: 5_000 } as const

export function createListener(url: string, connectTimeoutMs: number): Listener {
  const channels = new Map<string, (words: string | null) => void>()
  let client: pg.Client | null = null
  let again: NodeJS.Timeout | undefined
  let wait: number = AGAIN_MS.first
  let isClosed = false

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
      keepAlive: true,
      application_name: 'veridict',
    })
    client = next
    next.on('notification', ({ channel, payload }) => channels.get(channel)?.(decodeText(payload ?? '')))
    next.on('error', () => lose(next))
    next.on('end', () => lose(next))
    try {
      await next.connect()
      for (const channel of channels.keys()) await next.query(`LISTEN "${channel}"`)
      wait = AGAIN_MS.first
      for (const onHeard of channels.values()) onHeard(null)
    } catch {
      lose(next)
    }
  }

  function lose(lost: pg.Client): void {
    if (client !== lost) return
    client = null
    lost.end().catch(() => undefined)
    if (isClosed) return
    again = setTimeout(() => void connect(), wait * (1 + Math.random())).unref()
    wait = Math.min(AGAIN_MS.most, wait * 2)
  }

  return {
    on(channel, onHeard) {
      const isFirst = channels.size === 0
      channels.set(channel, onHeard)
      if (isClosed) return
      if (isFirst) void connect()
      else {
        const now = client
        // One that is still being connected hears of it there, or again here: both are harmless.
        now?.query(`LISTEN "${channel}"`).catch(() => lose(now))
      }
    },
    async close() {
      isClosed = true
      clearTimeout(again)
      const last = client
      client = null
      await last?.end().catch(() => undefined)
    },
  }
}
