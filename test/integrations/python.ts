import { spawnSync } from 'node:child_process'

/** Finds a Python of at least this version, or the reason why none is usable. */
export type FoundPython = { readonly command: string } | { readonly why: string }

export function findPython(major: number, minor: number): FoundPython {
  const program = `import sys; print(int(sys.version_info >= (${major}, ${minor})))`
  const ran = spawnSync('python3', ['-c', program], { encoding: 'utf8' })
  if (ran.error !== undefined) return { why: 'there is no python3' }
  return ran.stdout.trim() === '1' ? { command: 'python3' } : { why: `python3 is older than ${major}.${minor}` }
}
