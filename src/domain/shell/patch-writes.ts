const HEADERS = ['+++ b/', '+++ ', '*** Add File: ', '*** Update File: ', '*** Move to: ']

/** The text that a patch puts into a file, and the text that it takes out. */
interface PatchWrite {
  readonly path: string | null
  readonly text: string
  readonly old: string
}

interface Change {
  readonly path: string | null
  readonly lines: string[]
  readonly old: string[]
}

/** Lists the lines that a patch adds, by file: unified diffs, the `*** Begin Patch` form and SEARCH/REPLACE blocks. */
export function patchWrites(patch: string): PatchWrite[] {
  const writes: Change[] = []
  let path: string | null = null
  let side: 'lines' | 'old' | null = null
  const open = (): Change => {
    const change = { path, lines: [], old: [] }
    writes.push(change)
    return change
  }
  const current = (): Change => writes.at(-1) ?? open()
  const all = patch.split('\n')
  for (const [at, line] of all.entries()) {
    const header = HEADERS.find((one) => line.startsWith(one))
    if (header !== undefined) {
      path = line.slice(header.length).split('\t')[0] ?? null
      open()
    } else if (/^(?:<{7}|-{7}) SEARCH/u.test(line)) {
      side = 'old'
      open()
    } else if (side === 'old' && line.startsWith('=======')) side = 'lines'
    else if (/^(?:>{7}|\+{7}) REPLACE/u.test(line)) side = null
    else if (side !== null) current()[side].push(line)
    else if (line.startsWith('+')) current().lines.push(line.slice(1))
    else if (line.startsWith('-') && !isOldHeader(line, all[at + 1])) current().old.push(line.slice(1))
  }
  return writes
    .filter((one) => one.lines.length > 0)
    .map((one) => ({ path: one.path, text: one.lines.join('\n'), old: one.old.join('\n') }))
}

/** `--- a/file` before `+++ b/file`: a removed line may begin like that, too. */
const isOldHeader = (line: string, next = ''): boolean => line.startsWith('--- ') && next.startsWith('+++ ')
