import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { digestFile } from '../../archives/unpack/file-bytes.ts'
import { fileFault } from '../../domain/file-fault.ts'
import { CliError } from './cli-error.ts'

/** What makes two commands mean one batch: where it is read from, what is known of it, and how it is graded. */
interface KeyParts {
  readonly paths: readonly string[]
  /** SHA-256 of the file of ground truths; null without one. */
  readonly truths: string | null
  readonly options: Readonly<Record<string, unknown>>
}

/** The key of a command: the same in any folder and in any order of its paths. What the paths hold comes after it. */
export const commandKey = ({ paths, truths, options }: KeyParts, cwd: string): string =>
  digestKey(['batch', absolutePaths(paths, cwd), truths, sorted(options)])

/** The key of a command’s batch: of the command, of whom it asked (`askedKey`), and of what its paths held. */
export const batchKey = (command: string, content: string): string => `${command}:${content}`

/** Whether a batch is of the command, whatever came after it; keys were those of commands alone once. */
export const isKeyOf = (command: string, key: string): boolean => key === command || key.startsWith(`${command}:`)

export const absolutePaths = (paths: readonly string[], cwd: string): string[] =>
  [...new Set(paths.map((path) => resolve(cwd, path)))].sort()

/** The key of the re-grade of a command. */
export const regradeKey = (request: Readonly<Record<string, unknown>>): string =>
  digestKey(['regrade', sorted(request)])

const digestKey = (value: unknown): string =>
  `cli:sha256:${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`

/** Entries in one order, at every depth; what is undefined was not said. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, inner]) => [name, sorted(inner)])
    : value

/** Throws a CliError where the file cannot be read. */
export const digestTruths = (path: string): Promise<string> =>
  digestFile(path).catch((error: unknown) => {
    throw new CliError(`the ground truths in ${path} cannot be read: ${fileFault(error)}`)
  })
