import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { ServiceProcess } from '../e2e/service-process.ts'

const MIB = 1024 * 1024
const PAGE_BYTES = 4096

export const pidOf = ({ child }: ServiceProcess): number => {
  if (child.pid === undefined) throw new Error('the service has no process')
  return child.pid
}

/** What a process holds in memory, in MiB. */
export const residentMib = (pid: number): number =>
  (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / MIB

export const openHandles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** The log of a database in MiB; none is 0. */
export const walMib = (database: string): number =>
  (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / MIB

/** Tests that look into /proc, or change the limits of a process, are Linux’s alone. */
export const isLinux = process.platform === 'linux'
if (!isLinux) process.stdout.write('faults: what looks into /proc is left out: this is no Linux\n')
