import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ServiceProcess, tempFolder } from '../e2e/service-process.ts'

const MIB = 1024 * 1024

export const pidOf = ({ child }: ServiceProcess): number => {
  if (child.pid === undefined) throw new Error('the service has no process')
  return child.pid
}

export const openHandles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** The log of a database in MiB; none is 0. */
export const walMib = (database: string): number =>
  (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / MIB

/** Tests that look into /proc, or change the limits of a process, are Linux’s alone. */
export const isLinux = process.platform === 'linux'
if (!isLinux) process.stdout.write('faults: what looks into /proc is left out: this is no Linux\n')

/** A file system of its own of so many MiB, gone with the test; null where this user may not make one. */
export function makeSmallDisk(mib: number): string | null {
  const folder = tempFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    process.stdout.write('faults: no file system can be mounted here: the full disk is left out (it takes root)\n')
    return null
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }))
  return folder
}

const fillerOf = (folder: string): string => join(folder, 'filler')

/** Takes every free byte. */
export function fillDisk(folder: string): void {
  const file = openSync(fillerOf(folder), 'a')
  try {
    for (const size of [65_536, 4096, 1]) writeUntilFull(file, Buffer.alloc(size))
  } finally {
    closeSync(file)
  }
  if (statfsSync(folder).bavail > 0) throw new Error('the disk is not full')
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(file, bytes) < bytes.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

export const emptyDisk = (folder: string): void => rmSync(fillerOf(folder), { force: true })

/** Changes a limit of a running process, as `ulimit` does for one that starts. */
export const setLimit = (pid: number, name: 'nofile' | 'fsize', value: number | 'unlimited'): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--${name}=${value}:`], { stdio: 'ignore' })
