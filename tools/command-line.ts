/** What a script was told wrongly: said in one sentence, with exit code 2, never with a stack trace. */
export class UsageError extends Error {}

/** The one sentence for an error that the caller of a script can mend; null: it is a fault of the script, and its trace is wanted. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof UsageError) return error.message
  const { code, path } = error as NodeJS.ErrnoException
  if (!(error instanceof Error) || code === undefined) return null
  // The rest tells how to write an argument that begins with a dash.
  if (code.startsWith('ERR_PARSE_ARGS')) return error.message.split(/\. |\n/, 1)[0] ?? null
  const why = FILE_FAULTS[code]
  return why === undefined || path === undefined ? null : `${path}: ${why}`
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'may not be read or written',
  EPERM: 'may not be read or written',
  EISDIR: 'is a folder',
  ENOTDIR: 'no such file or folder',
  ENOSPC: 'the disk is full',
  EROFS: 'stands on a disk that is only read',
}

/** Does something with a file that the caller named; what is wrong with the file is said of that name. */
export function withFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const why = FILE_FAULTS[(error as NodeJS.ErrnoException).code ?? '']
    throw why === undefined ? error : new UsageError(`${file}: ${why}`)
  }
}

/** Runs a script’s main. What it answers is the exit code. */
export async function runScript(main: () => number | Promise<number>): Promise<void> {
  // A reader that has seen enough, as `head` has: nothing is wrong.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  try {
    process.exitCode = await main()
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === null) throw error
    console.error(sentence)
    process.exitCode = 2
  }
}

/** A whole number of at least so much; `name` is the option’s, with its dashes. */
export function wholeNumber(name: string, given: string, least: number): number {
  const value = Number(given)
  if (given.trim() === '' || !Number.isSafeInteger(value) || value < least)
    throw new UsageError(`${name} takes a whole number from ${least}, not ${JSON.stringify(given)}`)
  return value
}
