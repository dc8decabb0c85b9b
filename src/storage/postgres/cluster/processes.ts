import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { pidExists } from '../../pid.ts'
import type { Sql } from '../connection/pool.ts'
import type { Unit } from '../connection/unit.ts'

/** The registry as the other stores of this process use it. */
export type Processes = Awaited<ReturnType<typeof registerProcess>>

interface Living {
  readonly id: string
  readonly host: string
  readonly pid: number
}

/** A process that said nothing for so long is dead, wherever it runs. */
export const SILENCE_S = 60

/** Of a process that said something within $1 seconds. While the server was down none could: the time counts from its start. */
export const IS_HEARD = 'greatest(seen_at, pg_postmaster_start_time()) > clock_timestamp() - make_interval(secs => $1)'

const LIVING = `SELECT id, host, pid FROM processes WHERE ${IS_HEARD}`

const BEAT = `
  INSERT INTO processes (id, host, pid, seen_at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`

/** Registers this process; the rows of the dead go. */
export async function registerProcess(unit: Unit, silenceS: number) {
  const me: Living = { id: `prc_${randomUUID()}`, host: machine(), pid: process.pid }
  // Inserted again where another process took this one for dead and removed it.
  const beat = async () => void (await unit.run(BEAT, [me.id, me.host, me.pid]))
  /** Ids of the processes that live, this one always among them; all others are dead. */
  const living = async (sql: Pick<Sql, 'rows'>): Promise<string[]> => {
    const rows = await sql.rows<Living>(LIVING, [silenceS])
    return [me.id, ...rows.filter((row) => row.id !== me.id && exists(row, me)).map((row) => row.id)]
  }
  await beat()
  await unit.write(async (sql) => {
    await sql.run('DELETE FROM processes WHERE NOT id = ANY($1)', [await living(sql)])
  })
  return {
    /** This process, for as long as its stores are open. */
    id: me.id,
    /** This process as the holder of a lease: also says where it runs. */
    holder: `${me.id} ${me.pid} ${me.host}`,
    /** Surely dead: no process on this machine has its number. Of processes elsewhere nothing is known. */
    isGone(holder: string): boolean {
      const [, pid = '', ...host] = holder.split(' ')
      return host.join(' ') === me.host && Number(pid) !== me.pid && !pidExists(Number(pid))
    },
    beat,
    living,
    /** What this process holds is free from now on. */
    async leave(): Promise<void> {
      // A row that stays names a process that is about to be gone: the others see that for themselves.
      await unit.run('DELETE FROM processes WHERE id = $1', [me.id]).catch(() => undefined)
    },
  }
}

/** Of our own machine the numbers of processes are known. Our own number under another id: the process that had it before us. */
const exists = (row: Living, me: Living): boolean => row.host !== me.host || (row.pid !== me.pid && pidExists(row.pid))

/**
 * Where a number of a process means the same: this boot of this kernel, and this space of numbers. Many machines of one database may have
 * the same name, and containers of one machine their own numbers; where nothing tells them apart, silence alone does.
 */
function machine(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return `${hostname()} ${randomUUID()}`
  }
}
