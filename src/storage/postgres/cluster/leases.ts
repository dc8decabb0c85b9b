import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lease, LeaseStore } from '../../../ports/lease-ports.ts'
import { refusal } from '../../storage-error.ts'
import type { Listener } from '../connection/listen.ts'
import type { Unit } from '../connection/unit.ts'
import { gather } from './leases-gather.ts'
import { createHeldLeases, type HeldLeases } from './leases-held.ts'
import { createLeaseStatements, type LeaseStatements, type Returned, type Wanted } from './leases-statements.ts'
import { createLeaseWaits } from './leases-wait.ts'
import type { Processes } from './processes.ts'

interface LeaseOptions {
  readonly unit: Unit
  readonly listener: Listener
  readonly schema: string
  readonly processes: Pick<Processes, 'holder' | 'isGone'>
  /** After which a silent holder has lost a lease. */
  readonly seconds: number
}

export const LEASE_SECONDS = 30

/** Renewals in the time of a lease. */
const RENEWALS = 3
/** Looks at the own clock in the time of a lease. */
const CHECKS = 20
const PRUNE_MS = 30_000
const NOTE_MS = 300
const RELEASE_AGAIN_MS = 300

/** Leases over PostgreSQL. What is asked in one moment goes in one statement; without a lease held, nothing is asked. */
export function createLeaseStore({ unit, listener, schema, processes, seconds }: LeaseOptions): LeaseStore {
  const channel = channelOf(schema)
  const statements = createLeaseStatements(unit, processes.holder, seconds, channel)
  const held = createHeldLeases(seconds)
  const supervisor = createSupervisor(statements, held, processes.isGone, seconds * 1000)
  let isListening = false
  let closing: Promise<void> | undefined
  const waits = createLeaseWaits(statements, processes.isGone, () => closing !== undefined)
  const takeOne = gather(async (wanted: readonly Wanted[]) => {
    const taken = await statements.take(wanted)
    return wanted.map(({ token }) => taken.has(token))
  })
  const releaseOne = gather(async (given: readonly Returned[]) => {
    // Were it left to run out, others would wait for nothing once a server that was away is back.
    for (const since = performance.now(); ; await delay(RELEASE_AGAIN_MS)) {
      const isDone = await statements.release(given).then(
        () => true,
        () => closing !== undefined || performance.now() - since > seconds * 1000,
      )
      if (isDone) return given.map(() => undefined)
    }
  })
  /** A lease that this process is giving back is free for it after that. */
  const releasing = new Map<string, Promise<void>>()

  async function take(name: string): Promise<Lease | null> {
    await releasing.get(name)
    if (closing !== undefined) throw closed()
    const token = `lea_${randomUUID()}`
    const since = performance.now()
    supervisor.start()
    const taking = takeOne({ name, token })
    // It may have been taken although nothing was heard of it.
    taking.catch(() => releaseOne({ token, result: null }))
    if (!(await taking)) return null
    if (closing === undefined) return held.add(name, token, since)
    await releaseOne({ token, result: null })
    throw closed()
  }

  async function release({ name, token }: Lease, result?: string): Promise<void> {
    if (!held.remove(token)) return
    const released = releaseOne({ token, result: result ?? null })
    releasing.set(name, released)
    await released
    if (releasing.get(name) === released) releasing.delete(name)
  }

  /** All that are free, or none: a lease whose answer was lost would be held, and kept from all, for as long as this process lives. */
  async function takeMany(names: readonly string[]): Promise<readonly Lease[]> {
    const settled = await Promise.allSettled(names.map(take))
    const taken = settled.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []))
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed === undefined) return taken
    await Promise.all(taken.map((lease) => release(lease)))
    throw failed.reason
  }

  async function close(): Promise<void> {
    supervisor.stop()
    const tokens = held.tokens()
    held.loseAll()
    waits.ring(null)
    await Promise.all([...tokens.map((token) => releaseOne({ token, result: null })), ...releasing.values()])
  }

  return {
    take,
    takeMany,
    holds: async ({ lost }) => !lost.aborted,
    note: ({ token }, inFlight) => supervisor.note(token, inFlight),
    release,
    async wait(name, signal) {
      if (!isListening) listener.on(channel, waits.ring)
      isListening = true
      return waits.wait(name, signal)
    },
    inFlight: (prefix) => statements.inFlight(prefix),
    isHeld: (name) => statements.isHeld(name),
    close() {
      closing ??= close()
      return closing
    },
  }
}

/**
 * Renews, watches the clock, tells what is in flight, ends the leases of dead neighbours and throws away what ran out long ago. Idle until
 * something is taken.
 */
function createSupervisor(
  statements: LeaseStatements,
  held: HeldLeases,
  isGone: (holder: string) => boolean,
  leaseMs: number,
) {
  const notes = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  let noting: NodeJS.Timeout | undefined

  async function renew(): Promise<void> {
    const tokens = held.tokens()
    const since = performance.now()
    if (tokens.length > 0) held.renewed(tokens, await statements.renew(tokens), since)
  }

  async function endGone(): Promise<void> {
    const gone = (await statements.holders()).filter(isGone)
    if (gone.length > 0) await statements.end(gone)
  }

  /** Not again while it is under way. What fails is tried again: leases that cannot be renewed run out. */
  function every(ms: number, work: () => Promise<unknown>): void {
    let isBusy = false
    const run = async () => {
      if (isBusy) return
      isBusy = true
      await work().catch(() => undefined)
      isBusy = false
    }
    timers.add(setInterval(() => void run(), ms).unref())
  }

  return {
    start() {
      if (timers.size > 0) return
      timers.add(setInterval(() => held.check(), leaseMs / CHECKS).unref())
      every(leaseMs / RENEWALS, renew)
      every(leaseMs / RENEWALS, endGone)
      endGone().catch(() => undefined)
      every(PRUNE_MS, () => statements.prune())
    },
    note(token: string, inFlight: number) {
      notes.set(token, inFlight)
      noting ??= setTimeout(() => {
        noting = undefined
        const told = new Map(notes)
        notes.clear()
        statements.note(told).catch(() => undefined)
      }, NOTE_MS).unref()
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
      clearTimeout(noting)
    },
  }
}

const closed = () => refusal('the database is closed')

/** A name that PostgreSQL takes whatever the schema is called. */
const channelOf = (schema: string): string =>
  `veridict_${createHash('sha256').update(schema).digest('hex').slice(0, 24)}`
