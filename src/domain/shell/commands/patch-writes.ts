import type { Write } from '../syntax/record.ts'

const HEADERS = ['+++ b/', '+++ ', '*** Add File: ', '*** Update File: ', '*** Move to: ']

/** The lines that a patch adds, by file: unified diffs and the `*** Begin Patch` form. */
export function patchWrites(patch: string): Write[] {
  const writes: { path: string | null; lines: string[] }[] = []
  let path: string | null = null
  let replaces = false
  const hasBlocks = patch.includes('<<<<<<< SEARCH')
  for (const line of patch.split('\n')) {
    const header = HEADERS.find((one) => line.startsWith(one))
    if (header !== undefined) {
      path = line.slice(header.length).split('\t')[0] ?? null
      writes.push({ path, lines: [] })
    } else if (hasBlocks && line.startsWith('=======')) {
      replaces = true
      writes.push({ path, lines: [] })
    } else if (/^(?:>{7}|\+{7}) REPLACE/u.test(line)) replaces = false
    else if (replaces) writes.at(-1)?.lines.push(line)
    else if (line.startsWith('+')) {
      if (writes.length === 0) writes.push({ path, lines: [] })
      writes.at(-1)?.lines.push(line.slice(1))
    }
  }
  return writes
    .filter((one) => one.lines.length > 0)
    .map((one) => ({ path: one.path, text: one.lines.join('\n'), use: 'done' as const }))
}
