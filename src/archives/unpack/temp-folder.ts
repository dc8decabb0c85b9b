import { createHash } from 'node:crypto'
import { lstat, mkdtemp, opendir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Names the host: two containers may share a temporary folder, and neither sees the processes of the other. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
const NAME = new RegExp(`^veridict-([1-9][0-9]{0,9})-${HOST}-[A-Za-z0-9]{6}$`)

/** Makes a new folder that only this user can enter, named after this process. */
export const makeTempFolder = (parent: string): Promise<string> =>
  mkdtemp(join(parent, `veridict-${process.pid}-${HOST}-`))

/** Removes folders that killed processes of this machine and user left behind. A folder that cannot be removed stays. */
export async function removeLeftovers(parent: string): Promise<void> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(parent)) {
      const pid = Number(NAME.exec(name)?.[1])
      if (Number.isInteger(pid) && pid !== process.pid && isDead(pid)) names.push(name)
    }
  } catch {
    return
  }
  for (const name of names) {
    const path = join(parent, name)
    const stats = await lstat(path).catch(() => null)
    const isOwn = process.getuid === undefined || stats?.uid === process.getuid()
    if (stats?.isDirectory() === true && isOwn) await rm(path, { recursive: true, force: true }).catch(() => null)
  }
}

function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
